"""What every page on a case does: open it, search, ask, and show mistakes where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from fastapi import Request

from hickam.evidence.likelihood import prevalence_rows
from hickam.issues import InvalidInput, Issue
from hickam.model.kinds import Model
from hickam.web.consult import Consultation
from hickam.web.pages.entered import entered
from hickam.web.pages.state import State, read_state
from hickam.web.service import Service
from hickam.web.shelf import Offer

T = TypeVar("T")
AT_ONCE = 10  # present findings up to which nothing of a page has to wait for their inference


async def open_case(request: Request, service: Service) -> tuple[State, Offer]:
    """The state in the address and the network it speaks of."""
    state = read_state(request.query_params)
    offer = await service.offer(state.network or service.shelf.default)
    return replace(state.resolved(offer.network), network=offer.id), offer


def panel(request: Request, offer: Offer, state: State) -> dict[str, Any]:
    """What a page on a case needs besides the state: the search, and what diseases depend on."""
    sought = request.query_params.get("q", "")
    return {
        "sought": sought,
        "entered": entered(offer.network, state, sought),
        "depends": depends(offer.network),
    }


def depends(network: Model) -> tuple[str, ...]:
    """Whether how common diseases are depends on age, on sex, on both or on neither."""
    rows = [row for _, row in prevalence_rows(network, "disease")]
    by_age, by_sex = any(row.age for row in rows), any(row.sex for row in rows)
    return tuple(name for name, used in (("age", by_age), ("sex", by_sex)) if used)


def comes_later(request: Request, state: State) -> bool:
    """Whether the page is shown first and what must be inferred is loaded into it."""
    return len(state.present) > AT_ONCE and "all" not in request.query_params


async def attempt(service: Service, job: Callable[[], T]) -> tuple[T | None, list[Issue]]:
    """The result of a job, or what is wrong with the case."""
    try:
        return await service.run(job), []
    except InvalidInput as bad:
        return None, bad.issues


def ask(service: Service, offer: Offer, state: State) -> Consultation:
    """The case inferred under the service's limits."""
    settings = service.settings
    options = state.to_options(service.seconds)
    return service.memory.consult(offer.network, state.to_case(), options, settings.findings)
