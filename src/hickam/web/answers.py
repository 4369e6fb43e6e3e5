"""What the service answers; every answer says which network, engine and options gave it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from hickam.advise.next_question import Advice
from hickam.advise.pairs import Pairs
from hickam.beliefs.beliefs import Accuracy
from hickam.issues import Issue
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES
from hickam.web.problems import IssueBody
from hickam.web.shelf import Offer


class Answer(BaseModel):
    """A response body."""

    model_config = ConfigDict(from_attributes=True)


class NetworkBody(Answer):
    """One network on offer."""

    id: str
    name: str
    hash: str
    version: str
    licence: str
    description: str
    disclaimer: str
    risk_factors: int
    diseases: int
    findings: int
    links: int
    uploaded: bool
    warnings: list[IssueBody] = []

    @classmethod
    def of(cls, offer: Offer) -> NetworkBody:
        """The network as the API shows it."""
        network = offer.network
        return cls(
            id=offer.id,
            name=network.name,
            hash=network.hash,
            version=network.about.version,
            licence=network.about.licence,
            description=network.about.description,
            disclaimer=network.about.disclaimer,
            risk_factors=len(network.risk_factors),
            diseases=len(network.diseases),
            findings=len(network.findings),
            links=len(network.causes) + len(network.effects),
            uploaded=offer.uploaded,
            warnings=[IssueBody.model_validate(issue.as_dict()) for issue in offer.warnings],
        )


class AccuracyBody(Answer):
    """How far the numbers can be trusted."""

    kind: str = Field(description="exact, estimated or sampled")
    error: float | None = Field(description="relative to max(|score|, 0.001)")
    leading: float | None = Field(None, description="the same over the ten leading diseases")
    unexplained: float | None = Field(None, description="of every unexplained share, absolute")
    log_evidence: float | None = Field(None, description="of the log evidence, absolute")
    condition: float | None = None
    notes: list[str] = []
    in_words: str


class Provenance(Answer):
    """Where an answer comes from."""

    network: str
    network_name: str
    network_hash: str
    engine: str = Field(description="empty where nothing was inferred")
    accuracy: AccuracyBody | None
    options: list[str] = Field(description="assumptions and soft evidence in force, in words")
    milliseconds: float
    at: datetime
    hickam: str
    disclaimer: str
    notice: str = Field(description="whose data these are, and on what terms")

    @classmethod
    def of(
        cls,
        offer: Offer,
        engine: str,
        accuracy: Accuracy | None,
        options: tuple[str, ...],
        seconds: float,
    ) -> Provenance:
        """The provenance of an answer that took this many seconds."""
        return cls(**provenance(offer, engine, accuracy, options, seconds))


def provenance(
    offer: Offer,
    engine: str,
    accuracy: Accuracy | None,
    options: tuple[str, ...],
    seconds: float,
) -> dict[str, Any]:
    """The provenance of an answer as plain values, in the shape of `Provenance`."""
    import hickam

    network = offer.network
    return {
        "network": offer.id,
        "network_name": network.name,
        "network_hash": network.hash,
        "engine": engine,
        "accuracy": accuracy.to_dict() if accuracy else None,
        "options": list(options),
        "milliseconds": round(1000 * seconds, 3),
        "at": datetime.now(UTC),
        "hickam": hickam.__version__,
        "disclaimer": network.about.disclaimer,
        "notice": network.about.notice,
    }


def _scores(schema: JsonDict) -> None:
    """Add a required number for every measure that there is."""
    fields: Any = schema["properties"]
    for name, measure in MEASURES.items():
        fields[name] = {"type": "number", "description": measure.meaning}
        schema["required"] = [*cast("list[str]", schema["required"]), name]


class CandidateBody(Answer):
    """One disease of a differential, with its score by every measure."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_scores)
    __pydantic_extra__: dict[str, float]

    rank: int
    tied: bool
    disease: str
    name: str
    score: float
    ranks: dict[str, int] = Field(description="measure → rank")
    disabled: dict[str, float] = Field(description="finding → P(it goes away if this is cured)")
    sustained: dict[str, float] = Field(description="finding → P(this alone would keep it)")
    against: dict[str, float] = Field(description="absent finding → factor on the odds")
    raised_by: dict[str, float | None] = Field(
        description="risk factor → factor on the odds; null: makes it certain"
    )
    urgency: str
    rareness: str
    group: str

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateBody:
        """The candidate as the API shows it."""
        return cls(**candidate.to_dict())


class DifferentialBody(Answer):
    """A ranked differential."""

    provenance: Provenance
    measure: str
    log_evidence: float
    present: list[str]
    absent: list[str]
    unexplained: dict[str, float] = Field(description="finding → P(no listed disease causes it)")
    bystanders: dict[str, float] = Field(
        description="likely disease that explains no present finding → posterior"
    )
    doubts: list[str] = Field(
        description="what was entered but is not expected at this sex and age, as questions"
    )
    diseases_ranked: int
    candidates: list[CandidateBody]
    warnings: list[IssueBody] = Field(
        default=[], description="terms of a phenopacket that the network does not know"
    )


# What `Differential.to_dict` says and `DifferentialBody` shows; the rest is in the provenance.
SHOWN = tuple(
    name for name in DifferentialBody.model_fields if name not in ("provenance", "warnings")
)


def differential_answer(
    offer: Offer, dx: Differential, seconds: float, left_out: Sequence[Issue] = ()
) -> dict[str, Any]:
    """The differential and where it comes from as plain values, in the shape of `DifferentialBody`.

    They are ours and need no check on the way out; a test holds them to that shape.
    """
    plain = dx.to_dict()
    return {
        "provenance": provenance(offer, dx.engine, dx.accuracy, dx.in_force, seconds),
        **{name: plain[name] for name in SHOWN},
        "warnings": [issue.as_dict() for issue in left_out],
    }


class PairBody(Answer):
    """Two diseases in one patient; the shares are given that both are there."""

    diseases: list[str]
    names: list[str]
    chance: float = Field(description="P(both | evidence)")
    score: float = Field(description="expected findings that only the lesser of the two explains")
    goes_with: dict[str, dict[str, float]] = Field(
        description="disease → finding → P(it goes away when this one is cured)"
    )
    goes_with_both: dict[str, float] = Field(description="finding → P(it goes away with both)")
    stays_after: dict[str, dict[str, float]] = Field(
        description="disease → finding → P(it is left over when this one is cured)"
    )


class PairsAnswer(Answer):
    """The best pairs of diseases."""

    provenance: Provenance
    considered: list[str] = Field(description="the leading diseases whose pairs were weighed up")
    pairs: list[PairBody]

    @classmethod
    def of(cls, provenance: Provenance, found: Pairs) -> PairsAnswer:
        """The pairs as the API shows them."""
        listed = [PairBody(**pair.to_dict()) for pair in found]
        return cls(provenance=provenance, considered=list(found.considered), pairs=listed)


class ExpectedBody(Answer):
    """A finding that a disease often causes and nobody has asked about."""

    finding: str
    name: str
    chance: float = Field(description="P(the disease, when present, produces the finding)")


class ExplanationBody(Answer):
    """Why one disease stands where it stands."""

    provenance: Provenance
    candidate: CandidateBody
    look_for: list[ExpectedBody]
    in_words: list[str]


class FindingOutcome(Answer):
    """One present finding in both worlds."""

    finding: str
    name: str
    factual: str = "present"
    gone: float = Field(description="P(it would not be there in the counterfactual world)")


class WhatIfAnswer(Answer):
    """The factual and the counterfactual findings side by side."""

    provenance: Provenance
    question: str
    diseases: list[str]
    findings: list[FindingOutcome]
    expected_gone: float
    smallest: bool | None = Field(
        default=None, description="for a search: whether no smaller set is known to reach the goal"
    )
    reached: bool = True


class MoveBody(Answer):
    """How an answer would move one disease."""

    disease: str
    name: str
    now: float
    if_present: float
    if_absent: float


class QuestionBody(Answer):
    """A finding worth asking about."""

    finding: str
    name: str
    kind: str
    chance: float | None = Field(description="P(present); null where it would take long to infer")
    value: float = Field(description="bits expected to be learned about the suspected diseases")
    cost: float
    net: float = Field(description="value − α · cost")
    reason: str
    moves: list[MoveBody]


class NextAnswer(Answer):
    """What to ask next, and whether to stop."""

    provenance: Provenance
    alpha: float
    stop: bool
    why: str
    questions: list[QuestionBody]

    @classmethod
    def of(cls, provenance: Provenance, advice: Advice) -> NextAnswer:
        """The advice as the API shows it."""
        return cls(
            provenance=provenance,
            alpha=advice.alpha,
            stop=advice.stop,
            why=advice.why,
            questions=[QuestionBody.model_validate(question) for question in advice.questions],
        )


class OpinionLine(Answer):
    """One disease of a second opinion and where each of the three lists puts it."""

    disease: str
    name: str
    doctor: int | None = Field(description="its place on your list")
    algorithm: int = Field(description="its place by the findings alone")
    fused: int = Field(description="its place with your list as evidence")
    ratio: float = Field(description="the likelihood ratio that your list gives it")
    reason: str


class LeftOpenBody(Answer):
    """A present finding that your list does not explain, and the disease that does."""

    finding: str
    name: str
    by_list: float = Field(description="the most that the listed diseases can have caused it")
    disease: str | None = Field(description="what explains it best, if anything does")
    disease_name: str
    chance: float = Field(description="that this disease alone would keep the finding")


class SecondOpinionAnswer(Answer):
    """Your differential, the network's, and the two fused."""

    provenance: Provenance
    measure: str
    doctor: list[str]
    algorithm: list[str] = Field(description="by the findings alone, as long as your list")
    fused: list[str] = Field(description="by both, as long as your list")
    outside: list[str] = Field(description="listed diseases that the network does not know")
    lines: list[OpinionLine]
    weights: str = Field(description="where the weights of positions come from")
    candidates: list[CandidateBody] = Field(description="the fused differential beyond your size")
    missing: list[CandidateBody] = Field(
        description="urgent diseases that the findings support and your list leaves out"
    )
    left_open: list[LeftOpenBody] = Field(
        description="present findings that your list does not explain, the most open first"
    )
    warnings: list[str] = Field(description="what must be said with the fused list, as sentences")


class TwinAnswer(Answer):
    """A picture as an SVG document."""

    provenance: Provenance
    title: str
    note: str = Field(description="what was left out of the picture, if anything")
    svg: str


class BatchItem(Answer):
    """The answer to one case of a batch, or its issues."""

    id: str
    differential: DifferentialBody | None = None
    issues: list[IssueBody] = []


class BatchAnswer(Answer):
    """The answers in the order of the cases."""

    results: list[BatchItem]
    milliseconds: float
