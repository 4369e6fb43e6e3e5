"""A question with what it is worth and why, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hickam.model.described import Described
from hickam.words import percent

YES, NO = "yes", "no"
YES_OR_NO = (YES, NO)
FINDING, RISK, CATEGORY = EVERYTHING = ("finding", "risk factor", "category")

LIKELY = 0.2  # a dangerous disease less likely than this is looked for rather than told apart
PHRASES = {"": "", "symptom": "", "sign": "On examination: ", "test": "Test: "}


@dataclass(frozen=True, slots=True)
class Move:
    """How the answer to a question would move one disease."""

    disease: str
    name: str
    now: float
    after: Mapping[str, float]  # answer → probability of the disease

    @property
    def if_present(self) -> float:
        """Its probability if the finding is present."""
        return self.after.get(YES, self.now)

    @property
    def if_absent(self) -> float:
        """Its probability if the finding is absent."""
        return self.after.get(NO, self.now)


@dataclass(frozen=True, slots=True)
class Question:
    """Something that nobody has asked about yet, and what the answer is worth."""

    about: str  # "finding" | "risk factor" | "category"
    id: str
    name: str
    kind: str  # of a finding: "symptom", "sign" or "test"
    answers: tuple[str, ...]
    chances: tuple[float, ...]  # [answer]  P(answer | evidence); empty where it is not inferred
    value: float  # bits of doubt that the answer is expected to take away
    cost: float
    net: float  # value − α · cost
    reason: str
    moves: tuple[Move, ...]  # the diseases that the answer moves most; empty as `chances` are

    @property
    def finding(self) -> str:
        """The id of what is asked about."""
        return self.id

    @property
    def yes_or_no(self) -> bool:
        """Whether it is answered with yes or no, and not with a value."""
        return self.about != CATEGORY

    @property
    def rate(self) -> float:
        """What it brings beyond its price, for a unit of its cost."""
        return self.net / max(self.cost, 1e-9)

    @property
    def chance(self) -> float | None:
        """The probability of the first answer: of a finding, that it is present."""
        return self.chances[0] if self.chances else None

    @property
    def text(self) -> str:
        """The question as it is put to a person."""
        if not self.yes_or_no:
            return f"{self.name}?"
        if self.about == RISK:
            return f"History: {_lowered(self.name)}?"
        return f"{PHRASES.get(self.kind, '')}{_lowered(self.name, not PHRASES.get(self.kind))}?"


def _lowered(name: str, keep: bool = False) -> str:
    """A name inside a sentence: small first letter, unless it is an abbreviation or a name."""
    second = name[1:2]
    return name if keep or second.isupper() or not second.isalpha() else name[:1].lower() + name[1:]


def with_figures(
    network: Described, asked: Question, chances: tuple[float, ...], moves: tuple[Move, ...]
) -> Question:
    """A question with the probabilities that were inferred for it."""
    return replace(asked, chances=chances, moves=moves, reason=reason_for(network, moves))


def reason_for(network: Described, moves: tuple[Move, ...], *, figures: bool = True) -> str:
    """Why a question is worth asking, in words; without figures where these are only rough."""
    if not moves:
        return "It says nothing about the diseases in question."
    first = moves[0]
    if set(first.after) != set(YES_OR_NO):
        said = _figures(first, sorted(first.after, key=lambda answer: -first.after[answer]))
        return f"Bears most on {first.name}{said if figures else ''}."
    up, down = first.if_present - first.now, first.now - first.if_absent
    swing = first.if_present - first.if_absent
    opposed = [m for m in moves[1:] if (m.if_present - m.if_absent) * swing < -0.3 * swing**2]
    name = first.name
    missed = ", which must not be missed" if network.entries[first.disease].urgent else ""
    said = _figures(first, YES_OR_NO) if figures else ""
    if missed and first.now < LIKELY and up > 0.0:
        return f"Looks for {name}{missed}{said}."
    if opposed:
        whose = f": {name} is{said[1:]}" if figures else ""
        return f"Tells {name} from {opposed[0].name}{whose}."
    if swing < 0.0:
        return f"A yes would speak against {name}{missed}{said}."
    if up >= down:
        return f"Would support {name}{said}."
    return f"Would help to rule out {name}{missed}{said}."


def _figures(move: Move, answers: Sequence[str]) -> str:
    """How likely a disease is now and after the answers that move it most each way."""
    ends = (answers[0], answers[-1])
    told = [f"{percent(move.after[end])} if {_quoted(end)}" for end in ends]
    return f": {percent(move.now)} now, {', '.join(told)}"


def _quoted(answer: str) -> str:
    """An answer inside a sentence: a value is quoted, yes and no are not."""
    return answer if answer in YES_OR_NO else f"“{answer}”"
