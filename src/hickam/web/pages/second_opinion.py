"""The Second opinion page: your own differential, the network's, and the two fused."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.advise.second_opinion import SecondOpinion, second_opinion
from hickam.issues import Issue
from hickam.measures.differential import Candidate
from hickam.measures.scores import MEASURES, Measure
from hickam.web.answers import Provenance
from hickam.web.consult import check_size
from hickam.web.pages.case_page import attempt, open_case, panel
from hickam.web.pages.entered import entered
from hickam.web.pages.render import page
from hickam.web.pages.slope import Curve, slope
from hickam.web.pages.state import State
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
SHOWN = 5  # of both together, if the doctor lists no more


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What the page says about the doctor's list."""

    opinion: SecondOpinion
    measure: Measure
    fused: tuple[Candidate, ...]
    curves: list[Curve]
    explained: dict[str, Candidate]  # disease of a line → its candidate
    provenance: Provenance


@router.get("/second-opinion")
async def second_opinion_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Second opinion page."""
    state, offer = await open_case(request, service)
    comparison: Comparison | None = None
    issues: list[Issue] = []
    if state.present and state.listed:
        comparison, issues = await attempt(service, lambda: compare(service, offer, state))
    return page(
        request,
        "second_opinion.html",
        title="Second opinion",
        state=state,
        offer=offer,
        comparison=comparison,
        issues=issues,
        **listing(request, offer, state),
        **panel(request, offer, state),
    )


@router.get("/disease-matches")
async def disease_matches(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only the diseases that match a search, for the page to put in place as you type."""
    state, offer = await open_case(request, service)
    return page(
        request,
        "disease_matches.html",
        title="",
        state=state,
        offer=offer,
        here="/second-opinion",
        **listing(request, offer, state),
    )


def listing(request: Request, offer: Offer, state: State) -> dict[str, Any]:
    """What is typed for the doctor's own list, and the diseases that it may mean."""
    sought = request.query_params.get("dq", "")
    return {
        "disease_sought": sought,
        "listed": entered(offer.network, state, sought, ("disease",)),
    }


def compare(service: Service, offer: Offer, state: State) -> Comparison:
    """The doctor's list beside the network's and the fused one."""
    begun = time.perf_counter()
    case = state.to_case()
    check_size(case, service.settings.findings)
    options = state.to_options(service.seconds)
    listed, measure = list(state.listed), state.measure
    opinion = second_opinion(offer.network, case, listed, measure, **options)
    dx = opinion.differential
    shown = tuple(c for c in dx[: max(SHOWN, len(listed))] if c.score > 0.0)
    seconds = time.perf_counter() - begun
    return Comparison(
        opinion=opinion,
        measure=MEASURES[measure],
        fused=shown,
        curves=slope(opinion.doctor, [c.disease for c in shown]),
        explained={line.disease: dx.of(line.disease) for line in opinion.lines},
        provenance=Provenance.of(offer, dx.engine, dx.accuracy, dx.in_force, seconds),
    )
