"""The Second opinion page: your own differential, the network's, and the two fused."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.issues import InvalidInput, Issue
from hickam.measures.differential import Candidate, Differential
from hickam.web.answers import Provenance
from hickam.web.opinion import Opinion, second_opinion
from hickam.web.pages.diagnose import open_case, panel
from hickam.web.pages.render import page
from hickam.web.pages.slope import Curve, slope
from hickam.web.pages.state import State
from hickam.web.search import search
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
SHOWN = 8
URGENT = ("emergency", "urgent")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What the page says about the doctor's list."""

    opinion: Opinion
    fused: Differential
    curves: list[Curve]
    rows: list[tuple[str, float, Candidate, Candidate]]  # disease, weight, alone, fused
    missing: list[Candidate]
    provenance: Provenance


@router.get("/second-opinion")
async def second_opinion_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Second opinion page."""
    state, offer = await open_case(request, service)
    comparison: Comparison | None = None
    issues: list[Issue] = []
    if state.present and state.listed:
        try:
            comparison = await service.run(lambda: compare(service, offer, state))
        except InvalidInput as bad:
            issues = bad.issues
    sought = request.query_params.get("dq", "")[:200]
    return page(
        request,
        "second_opinion.html",
        title="Second opinion",
        state=state,
        offer=offer,
        comparison=comparison,
        issues=issues,
        disease_sought=sought,
        disease_matches=search(offer.network, sought, ("disease",)) if sought else [],
        **panel(request, offer),
    )


@router.get("/disease-matches")
async def disease_matches(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only the diseases that match a search, for the page to put in place as you type."""
    state, offer = await open_case(request, service)
    sought = request.query_params.get("dq", "")[:200]
    return page(
        request,
        "disease_matches.html",
        title="",
        state=state,
        offer=offer,
        here="/second-opinion",
        disease_sought=sought,
        disease_matches=search(offer.network, sought, ("disease",)) if sought else [],
    )


def compare(service: Service, offer: Offer, state: State) -> Comparison:
    """The doctor's list beside the network's and the fused one."""
    settings = service.settings
    options = replace(state, news="").to_options(settings.deadline)
    case = state.to_case()
    opinion = second_opinion(offer.network, case, list(state.listed), options, settings.findings)
    measure = state.measure_name
    fused_all = opinion.fused.differential(measure, None)
    alone_all = opinion.alone.differential(measure, None)
    fused = opinion.fused.differential(measure, SHOWN)
    beliefs = opinion.fused.beliefs
    return Comparison(
        opinion=opinion,
        fused=fused,
        curves=slope(opinion.listed, [c.disease for c in fused if c.score > 0.0]),
        rows=[
            (disease, weight, alone_all.of(disease), fused_all.of(disease))
            for disease, weight in zip(opinion.listed, opinion.weights, strict=True)
        ],
        missing=[
            c
            for c in fused
            if c.urgency in URGENT and c.disease not in opinion.listed and c.score > 0
        ],
        provenance=Provenance.of(
            offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, opinion.fused.seconds
        ),
    )
