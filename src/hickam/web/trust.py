"""What is asked and answered about trust: sensitivity to numbers, and robustness."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from hickam.trust.examine import MEASURED
from hickam.trust.robust import Robustness
from hickam.trust.sensitivity import Effect, Sensitivity
from hickam.web.answers import Answer, Provenance
from hickam.web.bodies import CASE, MeasureName, Name, OneOf, Question

FACTOR: Any = Field(default=2.0, gt=1.0, le=1000.0, description="on the odds of a number")


class SensitivityBody(Question):
    """Which numbers of the network does the answer hang on?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "top": 3}]})

    measure: Annotated[str, OneOf("measure of sensitivity", lambda: MEASURED)] = "disablement"
    candidate: Name | None = Field(default=None, description="a disease; else the first")
    factor: float = FACTOR
    top: int = Field(default=10, ge=1, le=1000)


class RobustBody(Question):
    """How often does the order stay if the network's estimates are off?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "draws": 20}]})

    measure: MeasureName = "disablement"
    factor: float = FACTOR
    draws: int = Field(default=100, ge=1, le=1000)
    top: int = Field(default=10, ge=1, le=1000)


class NumberBody(Answer):
    """One number of the network."""

    kind: str = Field(description="prior, leak or link")
    cause: str | None
    effect: str
    name: str
    value: float = Field(description="as it is for this patient")
    source: str
    estimate: bool


class TurnBody(Answer):
    """A value of a number at which another disease is first."""

    value: float
    disease: str
    odds: float = Field(description="factor on the odds of the number that leads there")


class EffectBody(Answer):
    """What one number does to the score of the candidate."""

    number: NumberBody
    range: tuple[float, float] = Field(description="the number, its odds divided and multiplied")
    score: tuple[float, float] = Field(description="of the candidate, likewise")
    rank: tuple[int, int]
    slope: float = Field(description="derivative of the score by the log odds of the number")
    turns: list[TurnBody]

    @classmethod
    def of(cls, found: Sensitivity, effect: Effect) -> EffectBody:
        """The effect as the API shows it."""
        plain = effect.to_dict()
        plain["number"]["name"] = effect.number.in_words(found.network)
        return cls.model_validate(plain)


class SensitivityAnswer(Answer):
    """How a candidate follows the numbers of the network, the strongest first."""

    provenance: Provenance
    measure: str
    candidate: str
    score: float
    rank: int
    leader: str
    factor: float
    numbers: int = Field(description="that bear on the case")
    examined: int
    largest_swing_left: float = Field(description="bound on the numbers that were not examined")
    first_place_settled: bool = Field(
        description="whether all that could change the first place within the factor are known"
    )
    effects: list[EffectBody]
    decisive: list[EffectBody] = Field(description="those that change the first place")

    @classmethod
    def of(cls, provenance: Provenance, found: Sensitivity, top: int) -> SensitivityAnswer:
        """The answer as the API shows it."""
        plain = found.to_dict(0)
        plain["effects"] = [EffectBody.of(found, effect) for effect in found.effects[:top]]
        plain["decisive"] = [EffectBody.of(found, effect) for effect in found.decisive]
        kept = {name: value for name, value in plain.items() if name in cls.model_fields}
        return cls(provenance=provenance, **kept)


class StandingBody(Answer):
    """Where one candidate stands over all draws."""

    disease: str
    name: str
    score: float
    rank: int
    first: int = Field(description="draws in which it is first")
    among_first_five: int
    score_quantiles: dict[str, float]
    rank_quantiles: dict[str, int]


class RobustAnswer(Answer):
    """How often the first place and the first five stay with estimates drawn anew."""

    provenance: Provenance
    measure: str
    factor: float
    seed: int
    draws: int
    draws_asked: int
    numbers_drawn: int
    numbers_held: int
    first_stays: int
    first_five_stay: int
    firsts: dict[str, int]
    statement: list[str]
    candidates: list[StandingBody]

    @classmethod
    def of(cls, provenance: Provenance, found: Robustness, statement: list[str]) -> RobustAnswer:
        """The answer as the API shows it."""
        return cls.model_validate(
            {**found.to_dict(), "provenance": provenance, "statement": statement}
        )
