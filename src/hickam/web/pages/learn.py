"""The Learn page: the argument for counterfactual diagnosis as a five-minute tour."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from hickam.advise.smallest_cure import Cure
from hickam.advise.what_if import cure
from hickam.evidence.case import Case
from hickam.io.load import load
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.web.consult import Consultation, consult
from hickam.web.pages.render import page
from hickam.web.pages.state import State, read_state
from hickam.web.service import ServiceOf

router = APIRouter()
STEPS = (
    "A patient",
    "Likely is not responsible",
    "Cured: what would go away?",
    "Alone: what would stay?",
    "Why likelihood misleads",
    "One disease or several?",
)
FINDINGS = ("chest_pain", "nausea", "fatigue")
RISKS = ("smoker", "elderly")
DIALS = {"1": 1.0, "0.1": 0.1, "0.001": 0.001}
NO_LIMIT = 60


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What one step shows: a live case, read in the ways that the step needs."""

    network: Model
    dx: Differential
    posterior: Differential
    cured: str
    cure: Cure | None
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the three diseases that the posterior cannot tell apart."""

    letter: str
    words: str
    posterior: float
    disablement: float


@router.get("/learn")
async def first_step(request: Request, service: ServiceOf) -> HTMLResponse:
    """The first step of the tour."""
    return await step_page(1, request, service)


@router.get("/learn/{step}")
async def step_page(step: int, request: Request, service: ServiceOf) -> HTMLResponse:
    """One step of the tour."""
    if not 1 <= step <= len(STEPS):
        raise HTTPException(404, "the tour has no such step")
    query = request.query_params
    # The patient smokes and is old until the reader says otherwise.
    off = tuple(risk for risk in query.getlist("not") if risk in RISKS)
    cured = query.get("cure", "") if query.get("cure") in ("emphysema", "angina", "reflux") else ""
    dial = query.get("dial", "1") if query.get("dial") in DIALS else "1"
    lesson = await service.run(lambda: teach(step, off, cured, DIALS[dial]))
    yes = tuple(risk for risk in RISKS if risk not in off)
    return page(
        request,
        "learn.html",
        title=f"Learn: {STEPS[step - 1]}",
        state=read_state(query),
        offer=None,
        here="/learn",
        step=step,
        steps=STEPS,
        lesson=lesson,
        risks=RISKS,
        off=off,
        dial=dial,
        dials=tuple(DIALS),
        try_it=State(network="smoker", present=FINDINGS, yes=yes, no=off).url("/"),
    )


def teach(step: int, off: tuple[str, ...], cured: str, dial: float) -> Lesson:
    """The numbers of one step."""
    network = load("smoker")
    case = Case(present=FINDINGS, risks={risk: risk not in off for risk in RISKS})
    options = {"dial": dial} if dial != 1.0 else {}
    asked: Consultation = consult(network, case, options, NO_LIMIT)  # type: ignore[arg-type]
    measure = "sufficiency" if step == 4 else "disablement"
    return Lesson(
        network=network,
        dx=asked.differential(measure, None),
        posterior=asked.differential("posterior", None),
        cured=cured,
        cure=cure(network, case, [cured]) if cured else None,
        figures=_figures() if step == 5 else [],
    )


def _figures() -> list[Figure]:
    """The three diseases of the confounding network, each given its own symptom."""
    network = load("confounding")
    words = {
        "a": "causes its symptom",
        "b": "only shares a cause with its symptom",
        "c": "does both",
    }
    found = []
    for letter, text in words.items():
        asked = consult(network, Case(present=[f"symptom_{letter}"]), {}, NO_LIMIT)
        candidate = asked.differential("disablement", None).of(f"disease_{letter}")
        found.append(Figure(letter, text, candidate.posterior, candidate.disablement))
    return found
