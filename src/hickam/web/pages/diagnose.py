"""The Diagnose page: the case, two rankings side by side, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.advise.interview import Interview, interview
from hickam.advise.next_question import Advice
from hickam.advise.red_flags import RedFlags, red_flags
from hickam.advise.triage import Triage, triage
from hickam.issues import InvalidInput, Issue
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES, Measure
from hickam.model.kinds import as_network
from hickam.web.answers import Provenance
from hickam.web.consult import Consultation, Expected
from hickam.web.pages.changes import Change, changes, news_in_words
from hickam.web.pages.examples import examples
from hickam.web.pages.render import PAGES, page
from hickam.web.pages.slope import Curve, slope
from hickam.web.pages.state import State, measures, read_state
from hickam.web.search import search
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
    """The Diagnose page."""
    state, offer = await open_case(request, service)
    reading: Reading | None = None
    advice: Advice | None = None
    issues: list[Issue] = []
    if not state.empty or state.yes or state.no:
        try:
            reading = await service.run(lambda: read_case(service, offer, state))
            # On a layered network the questions cost less than a second request for them.
            if "ask" in request.query_params or as_network(offer.network) is not None:
                advice = await service.run(lambda: advise(service, offer, state))
        except InvalidInput as bad:
            issues = bad.issues
    return page(
        request,
        "diagnose.html",
        title="Diagnose",
        state=state,
        offer=offer,
        reading=reading,
        advice=advice,
        issues=issues,
        examples=examples(offer),
        measures=measures(),
        **panel(request, offer),
    )


@router.get("/matches")
async def matches(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only the matches of a search, for the page to put in place as you type."""
    state, offer = await open_case(request, service)
    at = request.query_params.get("at", "/")
    here = at if at in dict(PAGES) else "/"
    answer = page(
        request,
        "matches.html",
        title="",
        state=state,
        offer=offer,
        here=here,
        **panel(request, offer),
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


def talk(service: Service, offer: Offer, state: State) -> Interview:
    """The interview as far as it has come, after inference."""
    asked = ask(service, offer, replace(state, news=""))
    return replace(begin(service, offer, state), inferred=(asked.evidence, asked.beliefs))


def begin(service: Service, offer: Offer, state: State) -> Interview:
    """The interview as far as it has come."""
    return interview(
        offer.network,
        state.to_case(),
        unknown=state.unknown,
        alpha=state.alpha,
        **state.to_options(service.seconds),
    )


async def open_case(request: Request, service: Service) -> tuple[State, Offer]:
    """The state in the address and the network it speaks of."""
    state = read_state(request.query_params)
    offer = await service.offer(state.network or service.shelf.default)
    return replace(state.resolved(offer.network), network=offer.id), offer


def panel(request: Request, offer: Offer) -> dict[str, Any]:
    """What the case panel needs besides the state: the search and its matches."""
    sought = request.query_params.get("q", "")[:200]
    matches = search(offer.network, sought, ("finding", "risk factor")) if sought else []
    named_disease = ""
    if sought and not (matches and matches[0].sure):
        diseases = search(offer.network, sought, ("disease",), limit=1)
        named_disease = diseases[0].name if diseases and diseases[0].means else ""
    return {"sought": sought, "matches": matches, "named_disease": named_disease}


def ask(service: Service, offer: Offer, state: State) -> Consultation:
    """The case inferred under the service's limits."""
    settings = service.settings
    options = state.to_options(service.seconds)
    return service.memory.consult(offer.network, state.to_case(), options, settings.findings)


def read_case(service: Service, offer: Offer, state: State) -> Reading:
    """The whole reading of a case."""
    asked = ask(service, offer, state)
    measure = state.measure
    by_measure = asked.differential(measure, SHOWN)
    by_posterior = asked.differential("posterior", SHOWN)
    before = state.before()
    moved = changes(ask(service, offer, before), asked, measure) if before else []
    beliefs = asked.beliefs
    return Reading(
        measure=MEASURES[measure],
        by_measure=by_measure,
        by_posterior=by_posterior,
        curves=slope(
            [c.disease for c in by_posterior], [c.disease for c in explaining(by_measure)]
        ),
        look_for={c.disease: asked.look_for(c.disease) for c in by_measure},
        red_flags=red_flags(offer.network, asked.evidence, beliefs, skip=state.unknown),
        triage=triage(offer.network, beliefs),
        unexplained=[(f, p) for f, p in by_measure.unexplained.items() if p > 0.5],
        unexplained_by={c.disease: by_measure.left_open(c) for c in by_measure},
        changes=moved,
        news=news_in_words(offer.network, state.news) if state.news else "",
        provenance=Provenance.of(
            offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, asked.seconds
        ),
    )


def explaining(dx: Differential) -> list[Candidate]:
    """The candidates that explain something, or all of them while no finding is present."""
    return [c for c in dx if c.score > 0.0] if dx.present else []
