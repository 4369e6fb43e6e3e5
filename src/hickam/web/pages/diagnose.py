"""The Diagnose page: the case, two rankings side by side, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.advise.next_question import Advice
from hickam.advise.red_flags import RedFlags, red_flags
from hickam.advise.triage import Triage, triage
from hickam.issues import Issue
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES, Measure
from hickam.model.kinds import as_network
from hickam.web.answers import Provenance
from hickam.web.consult import Expected
from hickam.web.pages.case_page import ask, attempt, comes_later, open_case, panel
from hickam.web.pages.changes import Change, changes, news_in_words
from hickam.web.pages.examples import examples
from hickam.web.pages.questions import question_only, talk
from hickam.web.pages.render import PAGES, page
from hickam.web.pages.slope import Curve, slope
from hickam.web.pages.state import State, measures
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
SHOWN = 8


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All that the page says about a case."""

    measure: Measure
    by_measure: Differential
    by_posterior: Differential
    ranked: list[Candidate]  # those that explain something, by the measure
    likely: list[Candidate]  # the same, the likeliest first
    bystanders: list[Candidate]  # likelier than most, but explaining nothing or next to nothing
    curves: list[Curve]
    look_for: dict[str, list[Expected]]
    red_flags: RedFlags
    triage: Triage | None
    unexplained: list[tuple[str, float]]
    unexplained_by: dict[str, list[str]]  # disease → present findings it would not keep up
    changes: list[Change]
    news: str
    provenance: Provenance


@router.get("/")
async def diagnose_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Diagnose page; with many findings, what to ask next while the ranking is computed."""
    state, offer = await open_case(request, service)
    reading: Reading | None = None
    advice: Advice | None = None
    issues: list[Issue] = []
    later = comes_later(request, state)
    # On a layered network the questions cost less than a second request for them.
    asking = "ask" in request.query_params or as_network(offer.network) is not None
    if later:
        if asking:
            advice, issues = await attempt(service, lambda: question_only(service, offer, state))
    elif not state.empty or state.yes or state.no:
        reading, issues = await attempt(service, lambda: read_case(service, offer, state))
        if asking and not issues:
            advice, issues = await attempt(service, lambda: advise(service, offer, state))
    return show(
        request,
        offer,
        state,
        issues,
        reading=reading,
        advice=advice,
        later=later,
    )


def show(
    request: Request,
    offer: Offer,
    state: State,
    issues: list[Issue],
    *,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """The Diagnose page with what is known of its reading."""
    unknown = {"reading": None, "advice": None, "later": False}
    return page(
        request,
        "diagnose.html",
        title="Diagnose",
        state=state,
        offer=offer,
        here="/",
        status=status,
        issues=issues,
        examples=examples(offer),
        measures=measures(),
        **{**unknown, **panel(request, offer, state), **values},
    )


@router.get("/matches")
async def matches(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only the matches of a search, for the page to put in place as you type."""
    state, offer = await open_case(request, service)
    at = request.query_params.get("at", "/")
    here = at if at in (*dict(PAGES), "/pairs", "/trust") else "/"
    answer = page(
        request,
        "matches.html",
        title="",
        state=state,
        offer=offer,
        here=here,
        **panel(request, offer, state),
    )
    return answer


@router.get("/next")
async def next_fragment(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only what to ask next, which the page loads after the differential is shown."""
    state, offer = await open_case(request, service)
    advice = await service.run(lambda: advise(service, offer, state))
    return page(request, "next.html", title="", state=state, offer=offer, here="/", advice=advice)


def advise(service: Service, offer: Offer, state: State) -> Advice:
    """What to ask next about the case."""
    return talk(service, offer, state).advice


def read_case(service: Service, offer: Offer, state: State) -> Reading:
    """The whole reading of a case."""
    asked = ask(service, offer, state)
    measure = state.measure
    by_measure = asked.differential(measure, SHOWN)
    by_posterior = asked.differential("posterior", SHOWN)
    before = state.before()
    moved = changes(ask(service, offer, before), asked, measure) if before else []
    beliefs = asked.beliefs
    ranked = explaining(by_measure)
    likely = sorted(ranked, key=lambda c: -c.posterior)
    shown = {c.disease for c in ranked}
    return Reading(
        measure=MEASURES[measure],
        by_measure=by_measure,
        by_posterior=by_posterior,
        ranked=ranked,
        likely=likely,
        bystanders=[c for c in by_posterior if c.disease not in shown]
        if by_measure.present
        else [],
        curves=slope([c.disease for c in likely], [c.disease for c in ranked]),
        look_for={c.disease: asked.look_for(c.disease) for c in by_measure},
        red_flags=red_flags(offer.network, asked.evidence, beliefs, skip=state.unknown),
        triage=triage(offer.network, asked.evidence, beliefs),
        unexplained=[(f, p) for f, p in by_measure.unexplained.items() if p > 0.5],
        unexplained_by={c.disease: by_measure.left_open(c) for c in by_measure},
        changes=moved,
        news=news_in_words(offer.network, state.news) if state.news else "",
        provenance=Provenance.of(
            offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, asked.seconds
        ),
    )


def explaining(dx: Differential) -> list[Candidate]:
    """The candidates that explain something."""
    return [c for c in dx if c.score > 0.0] if dx.present else []
