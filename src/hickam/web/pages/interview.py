"""The Interview page: one question at a time, where the patient stands, and when to stop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.advise.next_question import Advice
from hickam.advise.red_flags import RedFlags
from hickam.advise.replies import UNKNOWN
from hickam.advise.triage import Triage
from hickam.issues import Issue
from hickam.measures.differential import Candidate, Differential
from hickam.model.kinds import Model
from hickam.web.answers import Provenance
from hickam.web.pages.case_page import attempt, open_case, panel
from hickam.web.pages.questions import talk_at_once
from hickam.web.pages.render import page
from hickam.web.pages.state import State
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
LISTED = 5
OTHERS = 4
WORDS = {"p": "yes", "y": "yes", "a": "no", "x": "no", UNKNOWN: "not known"}


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where the interview stands: what the answers say so far."""

    dx: Differential
    first: tuple[Candidate, ...]
    red_flags: RedFlags
    triage: Triage | None
    provenance: Provenance


@router.get("/interview")
async def interview_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Interview page."""
    state, offer = await open_case(request, service)
    advice: Advice | None = None
    standing: Standing | None = None
    issues: list[Issue] = []
    if not state.empty:
        stood, issues = await attempt(service, lambda: stand(service, offer, state))
        advice, standing = stood or (None, None)
    return page(
        request,
        "interview.html",
        title="Interview",
        state=state,
        offer=offer,
        advice=advice,
        question=None if advice is None or advice.stop else advice.questions[0],
        others=OTHERS,
        standing=standing,
        issues=issues,
        told=told(offer.network, state),
        **panel(request, offer, state),
    )


def stand(service: Service, offer: Offer, state: State) -> tuple[Advice, Standing]:
    """What to ask next or why to stop, and where the answers in the address have led."""
    begun = time.perf_counter()
    held = talk_at_once(service, offer, state)
    dx = held.ranked("disablement")
    return held.advice, Standing(
        dx=dx,
        first=tuple(islice((c for c in dx if c.score > 0.0), LISTED)),
        red_flags=held.red_flags,
        triage=held.triage,
        provenance=Provenance.of(
            offer, dx.engine, dx.accuracy, dx.in_force, time.perf_counter() - begun
        ),
    )


def told(network: Model, state: State) -> list[tuple[str, str]]:
    """The answers given so far, as (what was asked, answer)."""
    names = {category.id: category.name for category in network.categories}
    entered = dict(state.categories)
    found = []
    for turn in state.turns:
        key, node = turn[:1], turn[2:]
        name = network.label(node) if node in network.entries else names.get(node, node)
        found.append((name, entered.get(node, "") if key == "c" else WORDS.get(key, "")))
    return found
