"""The page on how sure the order is: estimates redrawn, and the numbers that it hangs on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.issues import Issue
from hickam.measures.differential import Candidate
from hickam.measures.scores import MEASURES, Measure
from hickam.report.robust import statement
from hickam.report.sensitivity import Bar, bars, sentences
from hickam.trust.examine import MEASURED
from hickam.trust.robust import Robustness, robust
from hickam.trust.sensitivity import FACTOR, Sensitivity, sensitivity
from hickam.web.answers import Provenance
from hickam.web.consult import find_disease
from hickam.web.pages.case_page import ask, attempt, open_case, panel
from hickam.web.pages.render import page
from hickam.web.pages.state import State
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
FACTORS = (1.5, 2.0, 4.0)
DRAWS = 100
BARS = 10
OTHERS = 5  # candidates to choose from


@dataclass(frozen=True, slots=True, eq=False)
class Trust:
    """All that the page says."""

    stands: Robustness
    statement: list[str]
    hangs: Sensitivity | None  # on what; None where the measure does not follow the numbers
    bars: list[Bar]
    sentences: list[str]
    measure: Measure
    candidates: tuple[Candidate, ...]
    provenance: Provenance


@router.get("/trust")
async def trust_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The page on how sure the order is."""
    state, offer = await open_case(request, service)
    factor = _factor(request.query_params.get("f", ""))
    of = request.query_params.get("of", "")[:200]
    found: Trust | None = None
    issues: list[Issue] = []
    if state.present:
        found, issues = await attempt(
            service, lambda: _trust(service, offer, state.set(news=""), factor, of)
        )
    return page(
        request,
        "trust.html",
        title="How sure is this order?",
        state=state,
        offer=offer,
        trust=found,
        factor=factor,
        factors=FACTORS,
        of=of,
        issues=issues,
        **panel(request, offer),
    )


def _trust(service: Service, offer: Offer, state: State, factor: float, of: str) -> Trust:
    """The order with estimates redrawn, and what the candidate hangs on."""
    asked = ask(service, offer, state)
    measure, case = state.measure, asked.case
    options: dict[str, Any] = {**asked.options, "deadline": service.seconds / 2.0}
    stands = robust(offer.network, case, measure, factor=factor, draws=DRAWS, **options)
    dx = asked.differential(measure, OTHERS)
    hangs = None
    if measure in MEASURED and asked.evidence.dial == 1.0:
        options["deadline"] = service.seconds / 2.0
        candidate = find_disease(offer.network, of) if of else None
        hangs = sensitivity(
            offer.network, case, measure, candidate=candidate, factor=factor, top=BARS, **options
        )
    beliefs = asked.beliefs
    return Trust(
        stands,
        statement(stands, offer.network),
        hangs,
        bars(hangs, BARS) if hangs else [],
        list(sentences(hangs)) if hangs else [],
        MEASURES[measure],
        tuple(c for c in dx if c.score > 0.0),
        Provenance.of(offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, asked.seconds),
    )


def _factor(text: str) -> float:
    """The factor in the address, or the usual one."""
    try:
        found = float(text)
    except ValueError:
        return FACTOR
    return found if found in FACTORS else FACTOR
