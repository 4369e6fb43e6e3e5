"""The page on how sure the order is: estimates redrawn, and the numbers that it hangs on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.beliefs.options import Options
from hickam.issues import Issue
from hickam.measures.differential import Candidate
from hickam.measures.scores import MEASURES, Measure
from hickam.report.robust import statement
from hickam.report.sensitivity import Bar, bars, sentences
from hickam.trust.examine import MEASURED
from hickam.trust.robust import Robustness, robust
from hickam.trust.sensitivity import FACTOR, Sensitivity, sensitivity
from hickam.web.answers import Provenance
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
class Stands:
    """How the order fares with estimates redrawn."""

    found: Robustness
    statement: list[str]
    measure: Measure
    provenance: Provenance


@dataclass(frozen=True, slots=True, eq=False)
class Hangs:
    """The numbers that one candidate hangs on."""

    found: Sensitivity
    bars: list[Bar]
    sentences: list[str]
    measure: Measure
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the address asks for besides the case."""

    factor: float
    of: str  # a disease; empty for the first

    @classmethod
    def of_request(cls, request: Request) -> Wanted:
        """What a request asks for."""
        query = request.query_params
        return cls(_factor(query.get("f", "")), query.get("of", "")[:200])

    def url(self, state: State, path: str, **changed: Any) -> str:
        """The address of the same case with something else asked."""
        new = replace(self, **changed)
        more = {"f": f"{new.factor:g}", **({"of": new.of} if new.of else {})}
        return f"{state.set(news='').url(path)}&{urlencode(more)}"


@router.get("/trust")
async def trust_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The page on how sure the order is; which numbers it hangs on is loaded after it."""
    state, offer = await open_case(request, service)
    wanted = Wanted.of_request(request)
    stands: Stands | None = None
    hangs: Hangs | None = None
    issues: list[Issue] = []
    if state.present:
        stands, issues = await attempt(service, lambda: _stands(service, offer, state, wanted))
        if stands is not None and "numbers" in request.query_params:
            hangs, issues = await attempt(service, lambda: _hangs(service, offer, state, wanted))
    return page(
        request,
        "trust.html",
        title="How sure is this order?",
        state=state,
        offer=offer,
        stands=stands,
        hangs=hangs,
        follows=state.measure in MEASURED and state.to_options(1.0).get("dial", 1.0) == 1.0,
        wanted=wanted,
        factors=FACTORS,
        issues=issues,
        **panel(request, offer, state),
    )


@router.get("/trust/numbers")
async def numbers_fragment(request: Request, service: ServiceOf) -> HTMLResponse:
    """Only the numbers that a candidate hangs on."""
    state, offer = await open_case(request, service)
    wanted = Wanted.of_request(request)
    hangs, issues = await attempt(service, lambda: _hangs(service, offer, state, wanted))
    return page(
        request,
        "trust_numbers.html",
        title="",
        state=state,
        offer=offer,
        here="/trust",
        hangs=hangs,
        wanted=wanted,
        issues=issues,
    )


def _stands(service: Service, offer: Offer, state: State, wanted: Wanted) -> Stands:
    """The order with estimates redrawn."""
    asked = ask(service, offer, state.set(news=""))
    options: Options = {**asked.options, "deadline": service.seconds}
    found = robust(
        offer.network, asked.case, state.measure, factor=wanted.factor, draws=DRAWS, **options
    )
    beliefs = asked.beliefs
    provenance = Provenance.of(
        offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, asked.seconds
    )
    said = statement(found, offer.network)
    return Stands(found, said, MEASURES[state.measure], provenance)


def _hangs(service: Service, offer: Offer, state: State, wanted: Wanted) -> Hangs:
    """What a candidate hangs on."""
    asked = ask(service, offer, state.set(news=""))
    options: Options = {**asked.options, "deadline": service.seconds}
    found = sensitivity(
        offer.network,
        asked.case,
        state.measure,
        candidate=wanted.of or None,
        factor=wanted.factor,
        top=BARS,
        **options,
    )
    listed = tuple(c for c in asked.differential(state.measure, OTHERS) if c.score > 0.0)
    return Hangs(found, bars(found, BARS), list(sentences(found)), MEASURES[state.measure], listed)


def _factor(text: str) -> float:
    """The factor in the address, or the usual one."""
    try:
        found = float(text)
    except ValueError:
        return FACTOR
    return found if found in FACTORS else FACTOR
