"""Two diseases at once: the pairs that the findings ask for, and what each of the two explains."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Unpack

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.evidence.stated import layered
from hickam.infer import take
from hickam.issues import TooHard, error, raise_errors
from hickam.model.kinds import Model, as_scm
from hickam.model.network import Floats

LEADING = 10  # diseases of which every pair is weighed up
MOST = 45  # pairs that so many diseases have
IMPOSSIBLE = 1e-15  # a pair less likely than this is not shown: its shares are not known

Removed = Mapping[str, float]  # present finding → P(it goes away | both are there)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two diseases in one patient, and what they explain when both are there."""

    diseases: tuple[str, str]
    names: tuple[str, str]
    chance: float  # P(both are there | evidence)
    alone: tuple[Removed, Removed]  # with one of the two cured, given that both are there
    together: Removed  # with both cured, given that both are there
    score: float  # expected findings that the lesser of the two explains and the other does not

    def left(self, which: int) -> dict[str, float]:
        """Present finding → P(it stays when one of the two is cured | both are there)."""
        return {finding: 1.0 - gone for finding, gone in self.alone[which].items()}

    def share(self, finding: str) -> tuple[float, float, float, float]:
        """How likely a finding is due to the first alone, the second alone, both, and others.

        "Both" needs both cured to go away; "others" stays even then.
        """
        first, second = (min(gone[finding], 1.0) for gone in self.alone)
        either = max(self.together[finding] - first - second, 0.0)
        return first, second, either, max(1.0 - first - second - either, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """The pair as plain values, ready for JSON."""
        both = zip(self.diseases, self.alone, strict=True)
        return {
            "diseases": list(self.diseases),
            "names": list(self.names),
            "chance": self.chance,
            "score": self.score,
            "goes_with": {disease: dict(gone) for disease, gone in both},
            "goes_with_both": dict(self.together),
            "stays_after": {d: self.left(which) for which, d in enumerate(self.diseases)},
        }


@dataclass(frozen=True, slots=True)
class Pairs(Sequence[Pair]):
    """The best pairs of diseases, and how far their numbers can be trusted."""

    pairs: tuple[Pair, ...]
    considered: tuple[str, ...]  # the diseases whose pairs were weighed up
    accuracy: Accuracy
    labels: Mapping[str, str]  # present finding → display name

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, index: Any) -> Any:
        return self.pairs[index]

    def to_dict(self) -> dict[str, Any]:
        """The pairs as plain values, ready for JSON."""
        return {
            "pairs": [pair.to_dict() for pair in self.pairs],
            "considered": list(self.considered),
            "accuracy": self.accuracy.to_dict(),
        }


class Company(Protocol):
    """A case in which some diseases are taken for certain, on either kind of model."""

    @property
    def present(self) -> tuple[str, ...]:
        """The present findings."""

    @property
    def accuracy(self) -> Accuracy:
        """The accuracy of all that was answered so far."""

    def leading(self, count: int) -> tuple[str, ...]:
        """The diseases that explain most of the present findings."""

    def chance(self, one: str, other: str) -> float:
        """P(both diseases | evidence)."""

    def removed(self, cured: str, beside: str) -> Floats:
        """[present] P(the finding goes away with one of two diseases | both, evidence)."""

    def removed_together(self, one: str, other: str) -> Floats:
        """[present] P(the finding goes away when both are cured | both, evidence)."""


def pairs(model: Model, case: Case, *, top: int = 5, **options: Unpack[Options]) -> Pairs:
    """The best pairs of diseases that explain a case together, those that need both first.

    Every pair of the ten leading diseases is weighed up by P(both | evidence) times the expected
    number of findings that go away with the lesser of the two and not without it: a pair counts
    only if it is likely and each of the two is needed. With one disease all scores are small.

    >>> import hickam
    >>> found = pairs(hickam.load("clinic"), Case(present=["cough", "dysuria"], risks={}))
    >>> found[0].chance > found[1].chance
    True
    """
    issues = []
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= MOST:
        issues.append(error(f"top {top!r}", "is not a number of pairs", f"give 1 to {MOST}"))
    raise_errors(issues)
    company = _company(model, case, options)
    considered = company.leading(LEADING)
    weighed = []
    for one, other in itertools.combinations(considered, 2):
        chance = company.chance(one, other)
        if chance > IMPOSSIBLE:
            gone = (company.removed(one, other), company.removed(other, one))
            score = chance * min(float(part.sum()) for part in gone)
            weighed.append((score, one, other, chance, gone))
    weighed.sort(key=lambda each: (-each[0], -each[3]))
    found: list[Pair] = []
    for score, one, other, chance, gone in weighed[:top]:
        try:
            together = company.removed_together(one, other)
        except TooHard:
            if not found:
                raise
            break
        alone = tuple(_by_finding(company.present, part) for part in gone)
        found.append(
            Pair(
                diseases=(one, other),
                names=(model.label(one), model.label(other)),
                chance=chance,
                alone=(alone[0], alone[1]),
                together=_by_finding(company.present, together),
                score=score,
            )
        )
    labels = {finding: model.label(finding) for finding in company.present}
    return Pairs(tuple(found), considered, company.accuracy, labels)


def _by_finding(present: Sequence[str], values: Floats) -> dict[str, float]:
    """Values by present finding."""
    return dict(zip(present, values.tolist(), strict=True))


def _company(model: Model, case: Case, options: Options) -> Company:
    """The case ready for questions about pairs."""
    evidence, limits = take(model, case, options)
    network = layered(model, evidence)
    if network is not None:
        from hickam.inference.company import NetworkCompany

        return NetworkCompany(network, evidence, limits)
    from hickam.twin.company import ModelCompany

    return ModelCompany.of(as_scm(model), evidence, limits)
