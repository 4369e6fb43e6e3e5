"""What clients send: cases and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hickam.advise.pairs import MOST
from hickam.beliefs.options import Options
from hickam.evidence.case import Case, joined
from hickam.exports import FORMS
from hickam.infer import all_engines
from hickam.io.case_document import case_from
from hickam.io.phenopackets import case_for, is_phenopacket
from hickam.issues import Issue, did_you_mean
from hickam.language.note import LONGEST_NOTE
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.report.pictures import STAGES, TWINS


@dataclass(frozen=True)
class OneOf:
    """A string among those that there are when it is read; the schema lists them as an enum."""

    what: str
    names: Callable[[], Collection[str]]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "enum": list(self.names())}

    def check(self, name: str) -> str:
        """The name itself, if it is one of them."""
        if name not in self.names():
            fix = did_you_mean(name[:80], self.names()) or f"use one of {', '.join(self.names())}"
            shown = {"what": self.what, "fix": fix}
            raise PydanticCustomError("one_of", "is no {what}; {fix}", shown)
        return name


Name = Annotated[str, Field(min_length=1, max_length=200)]
Risks = (
    Annotated[dict[Name, bool | None], Field(max_length=1000)]
    | Annotated[list[Name], Field(max_length=1000)]
)
MeasureName = Annotated[str, OneOf("measure", lambda: MEASURES)]
EngineName = Annotated[str, OneOf("engine", all_engines)]


CASE: JsonDict = {
    "present": ["chest pain", "nausea"],
    "absent": ["breathlessness"],
    "risks": {"smoker": True},
}


class Body(BaseModel):
    """A request body: unknown keys are mistakes, not noise."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class CaseBody(Body):
    """What is known about one patient; names are ids, names or synonyms in any letter case.

    A GA4GH phenopacket may stand in place of a case.
    """

    present: list[Name] = Field(default=[], max_length=1000, description="findings that are there")
    absent: list[Name] = Field(default=[], max_length=1000, description="findings that are not")
    risks: Risks = Field(
        default={},
        description="risk factors: true, false, or null for unknown; a list says all are true",
    )
    likelihoods: dict[Name, float] = Field(
        default={}, max_length=1000, description="soft evidence: likelihood ratio by disease"
    )
    categories: dict[Name, Name | float] = Field(
        default={},
        max_length=1000,
        description="observations with values: a duration, a test result, a number with its unit",
    )
    sex: str | None = Field(default=None, max_length=200, description="'female' or 'male'")
    age: float | None = Field(default=None, description="in years")
    id: str = Field(default="", max_length=200, description="your own reference, not used")
    phenopacket: dict[str, Any] | None = Field(
        default=None,
        max_length=100,
        description="a GA4GH phenopacket, instead of or besides the rest",
    )

    @model_validator(mode="before")
    @classmethod
    def _packet(cls, given: Any) -> Any:
        """A phenopacket that stands where a case is expected."""
        return {"phenopacket": given} if is_phenopacket(given) else given

    def to_case(self, network: Model) -> tuple[Case, list[Issue]]:
        """The case that the library works on, and what of a phenopacket was left out."""
        case = case_from(self.model_dump(exclude={"phenopacket"}))
        if self.phenopacket is None:
            return case, []
        packet, issues = case_for(network, self.phenopacket)
        return joined(packet, case), issues


class OptionsBody(Body):
    """Assumptions that change the question and limits that bound the answer."""

    case_mix: float | None = Field(default=None, description="β: 1 keeps the network's priors")
    dial: float | None = Field(
        default=None,
        description="γ, the Occam–Hickam dial: 1 keeps the network, towards 0 exactly one disease",
    )
    prior_shift: float | None = Field(default=None, description="added to every prior")
    tolerance: float | None = Field(default=None, description="relative error asked for")
    deadline: float | None = Field(default=None, description="seconds, up to the service's own")
    seed: int | None = Field(default=None, ge=0, le=2**63 - 1, description="of sampled answers")

    def to_options(self, deadline: float) -> Options:
        """The options given, with the service's deadline as the upper bound."""
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        given["deadline"] = min(given.get("deadline", deadline), deadline)
        return Options(**given)  # type: ignore[typeddict-item]


class Question(Body):
    """A case and the options of the inference."""

    case: CaseBody
    options: OptionsBody = OptionsBody()


ENGINE: Any = Field(default="auto", description="how to compute; auto chooses")


class DiagnoseBody(Question):
    """Which diseases explain the findings?"""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"case": CASE, "measure": "disablement", "top": 3}]}
    )

    measure: MeasureName = "disablement"
    engine: EngineName = ENGINE
    top: int = Field(default=10, ge=1, le=10_000)
    cruelty: bool = Field(default=False, description="weight findings by the network's cruelty")
    treatment: bool = Field(default=False, description="weigh treatment success against cost")


class PairsBody(Question):
    """Which two diseases explain the findings together?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "top": 2}]})

    top: int = Field(default=5, ge=1, le=MOST)


class ExportBody(DiagnoseBody):
    """The answer as a document: a phenopacket, a table or a report."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"case": CASE, "form": "tsv", "top": 3}]}
    )

    form: Annotated[str, OneOf("form", lambda: FORMS)] = "phenopacket"
    pairs: bool = Field(default=False, description="pairs of diseases as well, in a report")


class ExplainBody(Question):
    """Why does this disease stand where it stands?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "disease": "angina"}]})

    disease: Name
    measure: MeasureName = "disablement"
    engine: EngineName = ENGINE


class WhatIfBody(Question):
    """What would be different if? Give exactly one of `cure`, `only` and `remove`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "cure": ["angina"]}]})

    cure: list[Name] | None = Field(default=None, max_length=20, description="cure these diseases")
    only: Name | None = Field(
        default=None, description="switch off every cause of the findings but this disease"
    )
    remove: float | None = Field(
        default=None, description="find the smallest set whose cure removes this many findings"
    )


class NextBody(Question):
    """Which finding should be asked about next?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "alpha": 0.01}]})

    alpha: float = Field(default=0.0, ge=0.0, le=1e6, description="value given up per unit of cost")
    costs: dict[Name, float] = Field(
        default={}, max_length=1000, description="cost by finding, instead of the network's"
    )
    top: int = Field(default=5, ge=1, le=100)


class SecondOpinionBody(Question):
    """How does the network see your own differential?"""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"case": CASE, "differential": ["emphysema", "angina"]}]}
    )

    differential: list[Name] = Field(
        min_length=1, max_length=30, description="your diseases, the likeliest first"
    )
    measure: MeasureName = Field(
        default="single_fault", description="a differential lists alternatives: one at a time"
    )
    engine: EngineName = ENGINE
    top: int = Field(default=10, ge=1, le=10_000)


class TwinBody(Body):
    """How does the twin network behind a measure look?"""

    model_config = ConfigDict(json_schema_extra={"examples": [{"case": CASE, "disease": "angina"}]})

    case: CaseBody
    disease: Name = Field(description="the disease to intervene on")
    measure: Annotated[str, OneOf("measure with a twin", lambda: TWINS)] = Field(
        default="disablement", description="cure the disease, or switch every other cause off"
    )
    stage: Annotated[str, OneOf("stage", lambda: STAGES)] = Field(
        default="after", description="the network alone, or the twin before or after merging"
    )


class BatchBody(Body):
    """Many cases at once; each gets its own answer or its own issues."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cases": [CASE], "top": 1}]})

    cases: list[CaseBody] = Field(min_length=1, max_length=10_000)
    options: OptionsBody = OptionsBody()
    measure: MeasureName = "disablement"
    top: int = Field(default=5, ge=1, le=100)


class NoteBody(Body):
    """A note in free text."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "67f, headache ?tension. No fever"}]}
    )

    text: str = Field(max_length=LONGEST_NOTE)


class NetworkFileBody(Body):
    """A network file: its name tells the format, its text is the content."""

    file: Name = Field(examples=["my-clinic.yaml"])
    text: str = Field(min_length=1)
