"""The What if page: cure diseases, or switch causes off, and see which findings vanish."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from hickam.advise.smallest_cure import Cure
from hickam.advise.what_if import cure, smallest_cure
from hickam.issues import Issue
from hickam.measures.differential import Differential
from hickam.web.answers import Provenance
from hickam.web.consult import draw_twin, outcome, search_seconds
from hickam.web.pages.case_page import ask, attempt, open_case, panel
from hickam.web.pages.render import page
from hickam.web.pages.state import State
from hickam.web.pages.worlds import Worlds, worlds
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
OFFERED = 8
DRAWN = 9  # nodes of the twin network, so that its names can be read
SUGGESTING = 2.0  # seconds that the suggestion of a smallest cure may take
NEARLY_ALL = 0.9  # the share of the findings that the suggested smallest cure removes


@dataclass(frozen=True, slots=True, eq=False)
class Imagined:
    """The factual and the counterfactual world side by side."""

    dx: Differential
    question: str
    cure: Cure | None
    suggestion: Cure | None
    worlds: Worlds | None
    provenance: Provenance


@router.get("/what-if")
async def what_if_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The What if page."""
    state, offer = await open_case(request, service)
    imagined: Imagined | None = None
    issues: list[Issue] = []
    if state.present:
        imagined, issues = await attempt(service, lambda: imagine(service, offer, state))
    return page(
        request,
        "what_if.html",
        title="What if",
        state=state,
        offer=offer,
        imagined=imagined,
        issues=issues,
        **panel(request, offer, state),
    )


@router.get("/twin.svg")
async def twin_picture(request: Request, service: ServiceOf) -> Response:
    """The twin network behind the cure, or the switch, in the address."""
    state, offer = await open_case(request, service)
    disease, measure = (state.only, "sufficiency") if state.only else ("", "disablement")
    disease = disease or (state.cured[0] if state.cured else "")
    settings = service.settings
    _, svg = await service.run(
        lambda: draw_twin(
            offer.network, state.to_case(), disease, measure, "after", settings, DRAWN
        )
    )
    return Response(svg, media_type="image/svg+xml")


def imagine(service: Service, offer: Offer, state: State) -> Imagined:
    """What the cure or the switch in the address would do."""
    asked = ask(service, offer, replace(state, news=""))
    network, beliefs = offer.network, asked.beliefs
    dx = asked.differential("disablement", OFFERED)
    question, what = "", None
    if state.only:
        question, what = outcome(asked, None, state.only, None)
    elif state.cured:
        question, what = outcome(asked, list(state.cured), None, None)
    suggestion = None
    if what is None and search_seconds(asked) < SUGGESTING:
        able = [c.disease for c in dx if c.sufficiency > 0.0]
        best = cure(network, asked.case, able, **asked.options).expected if able else 0.0
        goal = NEARLY_ALL * best
        suggestion = smallest_cure(network, asked.case, goal, **asked.options) if goal > 0 else None
    drawn = worlds(network, beliefs, what, switched_off=bool(state.only)) if what else None
    accuracy = what.accuracy if what else beliefs.accuracy
    return Imagined(
        dx=dx,
        question=question,
        cure=what,
        suggestion=suggestion,
        worlds=drawn,
        provenance=Provenance.of(offer, beliefs.engine, accuracy, beliefs.in_force, asked.seconds),
    )
