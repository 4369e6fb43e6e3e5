"""The interview over HTTP: the client keeps the case and what is not known, and sends both."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from hickam.advise.interview import ALPHA, Interview, interview
from hickam.advise.worth import OBJECTIVES
from hickam.web.answers import Answer, CandidateBody, Provenance
from hickam.web.bodies import CASE, Name, OneOf, Question
from hickam.web.consult import check_size
from hickam.web.problems import RESPONSES
from hickam.web.service import ServiceOf
from hickam.web.shelf import Offer

router = APIRouter(prefix="/networks/{network_id}", tags=["cases"], responses=RESPONSES)


class InterviewBody(Question):
    """What should this patient be asked now, and where does the interview stand?"""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"case": CASE, "unknown": ["fatigue"], "limit": 8}]}
    )

    unknown: list[Name] = Field(
        default=[], max_length=1000, description="what the patient was asked and does not know"
    )
    objective: Annotated[str, OneOf("objective", lambda: OBJECTIVES)] = Field(
        default="differential", description="what the questions are for"
    )
    alpha: float = Field(
        default=ALPHA, ge=0.0, le=1e6, description="value a unit of cost must have"
    )
    asked: int = Field(default=0, ge=0, le=10_000, description="questions asked so far")
    limit: int | None = Field(default=None, ge=0, le=10_000, description="questions at most")
    top: int = Field(default=5, ge=1, le=100, description="candidates to show")


class AskedMove(Answer):
    """How each answer would move one disease."""

    disease: str
    name: str
    now: float
    after: dict[str, float] = Field(description="answer → probability of the disease")


class AskedQuestion(Answer):
    """A question, with the answers it can have."""

    about: str = Field(description="'finding', 'risk factor' or 'category'")
    id: str
    name: str
    kind: str
    text: str = Field(description="the question as it is put to a person")
    answers: list[str]
    chances: list[float]
    value: float = Field(description="bits of doubt about the causes, dangerous ones weighing more")
    cost: float
    reason: str
    moves: list[AskedMove]


class RedFlagBody(Answer):
    """A dangerous cause that is not yet excluded."""

    disease: str
    name: str
    urgency: str
    chance: float
    explains: str
    ask: str | None = Field(description="the finding whose absence would speak most against it")
    against: float | None = Field(description="how often the disease does not cause that finding")
    reason: str


class TriageBody(Answer):
    """How urgently the patient should be seen."""

    level: str
    meaning: str
    reason: str
    chances: dict[str, tuple[float, float]] = Field(
        description="level → least and largest chance that a disease of it causes a finding"
    )


class InterviewAnswer(Answer):
    """The next question or the reason to stop, and what is known so far."""

    provenance: Provenance
    question: AskedQuestion | None
    others: list[AskedQuestion] = Field(description="the next best questions")
    stop: bool
    why: str
    candidates: list[CandidateBody]
    unexplained: dict[str, float]
    red_flags: list[RedFlagBody]
    red_flags_in_words: str
    triage: TriageBody | None

    @classmethod
    def of(cls, offer: Offer, talk: Interview, top: int, begun: float) -> InterviewAnswer:
        """Where an interview stands, as the API shows it."""
        ranked = talk.ranked("disablement", top)
        questions = [AskedQuestion.model_validate(q) for q in talk.advice.questions]
        asked = None if talk.stop else questions[0]
        flags = talk.red_flags
        return cls(
            provenance=Provenance.of(
                offer,
                ranked.engine,
                ranked.accuracy,
                ranked.in_force,
                time.perf_counter() - begun,
            ),
            question=asked,
            others=questions[1:] if asked else questions,
            stop=talk.stop,
            why=talk.why,
            candidates=[CandidateBody.of(candidate) for candidate in ranked],
            unexplained=dict(ranked.unexplained),
            red_flags=[RedFlagBody.model_validate(flag) for flag in flags.flags],
            red_flags_in_words=flags.in_words,
            triage=TriageBody.model_validate(talk.triage) if talk.triage else None,
        )


@router.post("/interview")
async def ask_patient(network_id: str, body: InterviewBody, service: ServiceOf) -> InterviewAnswer:
    """What to ask now and why, or why to stop; differential, red flags and triage so far."""
    offer = await service.offer(network_id)

    def job() -> InterviewAnswer:
        begun = time.perf_counter()
        case, _ = body.case.to_case(offer.network)
        check_size(case, service.settings.findings)
        talk = interview(
            offer.network,
            case,
            objective=body.objective,
            unknown=body.unknown,
            alpha=body.alpha,
            limit=None if body.limit is None else max(body.limit - body.asked, 0),
            **body.options.to_options(service.seconds),
        )
        return InterviewAnswer.of(offer, talk, body.top, begun)

    return await service.run(job)
