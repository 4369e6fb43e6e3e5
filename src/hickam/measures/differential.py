"""Beliefs → a ranked, explained differential."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.evidence.case import Evidence
from hickam.measures.explanation import Explanations
from hickam.measures.scores import MEASURES
from hickam.model.described import Described
from hickam.model.kinds import Model
from hickam.model.network import URGENT, Floats, Ints
from hickam.words import counted, finite

if TYPE_CHECKING:
    import pandas as pd

# Scores closer than this, relative to the larger, are one rank: rounding must not order diseases.
TIE = 1e-9

# A bystander is among this many likeliest diseases, at least this likely, and explains nothing.
LIKELIEST = 10
LIKELY = 0.05

LEFT_OPEN = 0.5  # a finding is left open by a disease that keeps it up less often than this
SHOWN = 10  # candidates in the form that a prompt shows


@dataclass(frozen=True, slots=True)
class Candidate:
    """One disease of a differential, with what it explains and what speaks against it."""

    rank: int  # by the differential's measure; tied candidates share it
    disease: str
    name: str
    score: float
    tied: bool  # whether another candidate has the same score
    scores: Mapping[str, float]  # measure → score
    ranks: Mapping[str, int]  # measure → rank
    disabled: Mapping[str, float]  # present finding → P(it goes away if this disease is cured)
    sustained: Mapping[str, float]  # present finding → P(this disease alone would keep it)
    against: Mapping[str, float]  # absent finding → factor on the disease's odds, below 1
    raised_by: Mapping[str, float]  # observed risk factor → factor on the disease's odds, above 1
    urgency: str = ""
    rareness: str = ""
    group: str = ""
    measure: str = "disablement"

    @property
    def posterior(self) -> float:
        """Probability that the patient has the disease."""
        return self.scores["posterior"]

    @property
    def disablement(self) -> float:
        """Expected number of present findings that curing it would remove."""
        return self.scores["disablement"]

    @property
    def sufficiency(self) -> float:
        """Expected number of present findings it would keep up on its own."""
        return self.scores["sufficiency"]

    def at_work(self, finding: str) -> float:
        """P(the disease is at work on a present finding), at least; see `Beliefs.at_work`."""
        return max(self.disabled.get(finding, 0.0), self.sustained.get(finding, 0.0))

    @property
    def single_fault(self) -> float:
        """Probability of the disease if there is exactly one."""
        return self.scores["single_fault"]

    @property
    def urgent(self) -> bool:
        """Whether this is a disease that must not be missed."""
        return self.urgency in URGENT

    @property
    def explains(self) -> Mapping[str, float]:
        """Present finding → probability, under the differential's own measure."""
        explained: Mapping[str, float] = getattr(self, MEASURES[self.measure].table)
        return explained

    def to_dict(self) -> dict[str, Any]:
        """The candidate as plain values, ready for JSON; a score for every measure.

        A risk factor that makes the disease certain has the factor None.
        """
        return {
            "rank": self.rank,
            "tied": self.tied,
            "disease": self.disease,
            "name": self.name,
            "score": self.score,
            **self.scores,
            "ranks": dict(self.ranks),
            "disabled": dict(self.disabled),
            "sustained": dict(self.sustained),
            "against": dict(self.against),
            "raised_by": {risk: finite(by) for risk, by in self.raised_by.items()},
            "urgency": self.urgency,
            "rareness": self.rareness,
            "group": self.group,
        }


@dataclass(frozen=True, slots=True)
class Differential(Sequence[Candidate]):
    """Diseases ranked by one measure; ties share a rank and stand in order of posterior."""

    network: str
    network_hash: str
    measure: str
    candidates: tuple[Candidate, ...]
    present: tuple[str, ...]
    absent: tuple[str, ...]
    unexplained: Mapping[str, float]  # present finding → P(no disease of the network causes it)
    bystanders: Mapping[str, float]  # likely disease that explains no present finding → posterior
    log_evidence: float
    engine: str
    accuracy: Accuracy
    in_force: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict, repr=False)  # id → display name
    total: int = 0  # number of diseases ranked, of which `candidates` are the first
    doubts: tuple[str, ...] = ()  # what was entered but is not expected at this sex and age

    def __len__(self) -> int:
        return len(self.candidates)

    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Candidate, ...]: ...
    def __getitem__(self, index: int | slice) -> Candidate | tuple[Candidate, ...]:
        return self.candidates[index]

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def of(self, disease: str) -> Candidate:
        """The candidate of one disease, by id."""
        for candidate in self.candidates:
            if candidate.disease == disease:
                return candidate
        raise KeyError(disease)

    def left_open(self, candidate: Candidate) -> list[str]:
        """The present findings that a candidate, if it is there, is hardly at work on."""
        least = LEFT_OPEN * candidate.posterior
        return [
            finding
            for finding in self.present
            if least == 0.0 or candidate.at_work(finding) < least
        ]

    def to_dict(self) -> dict[str, Any]:
        """The differential as plain values, ready for JSON."""
        return {
            "network": self.network,
            "network_hash": self.network_hash,
            "measure": self.measure,
            "engine": self.engine,
            "accuracy": self.accuracy.to_dict(),
            "options": list(self.in_force),
            "doubts": list(self.doubts),
            "log_evidence": self.log_evidence,
            "present": list(self.present),
            "absent": list(self.absent),
            "unexplained": dict(self.unexplained),
            "bystanders": dict(self.bystanders),
            "diseases_ranked": self.total,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }

    def to_table(self) -> str:
        """The ranking as lines of plain text, with the rank by posterior beside it."""
        lines = [f"{'#':>4}  {self.measure:>12}  {'posterior':>9}  {'(rank)':>6}  disease"]
        for c in self.candidates:
            mark = "=" if c.tied else " "
            lines.append(
                f"{c.rank:>3}{mark}  {c.score:12.4g}  {c.posterior:9.4g}  "
                f"{c.ranks['posterior']:>6}  {c.name}"
            )
        return "\n".join(lines)

    __str__ = to_table

    def __repr__(self) -> str:
        """What a prompt shows: a line on the whole, then the first few candidates."""
        shown = replace(self, candidates=self.candidates[:SHOWN]).to_table()
        left = len(self.candidates) - SHOWN
        more = f"\n… and {left} more" if left > 0 else ""
        what = counted(len(self.candidates), "candidate")
        return f"<Differential of {self.network} by {self.measure}, {what}>\n{shown}{more}"

    def to_pandas(self) -> pd.DataFrame:
        """One row per candidate; needs pandas."""
        import pandas as pd

        before = ("rank", "disease", "name", "score", "tied")
        columns = (*before, *MEASURES, "urgency", "rareness", "group")
        plain = [candidate.to_dict() for candidate in self.candidates]
        rows = [{name: values[name] for name in columns} for values in plain]
        return pd.DataFrame(rows, columns=list(columns))


def competition_ranks(scores: Floats, tie_break: Floats) -> tuple[list[int], list[int]]:
    """(order, rank of each disease): best first, ties share the rank of the first among them.

    >>> competition_ranks(np.array([0.2, 0.5, 0.5]), np.array([0.1, 0.3, 0.4]))
    ([2, 1, 0], [3, 1, 1])
    """
    order, places = leading(scores, tie_break)
    ranks = np.empty_like(places)
    ranks[order] = places
    return order.tolist(), ranks.tolist()


def leading(scores: Floats, tie_break: Floats, top: int | None = None) -> tuple[Ints, Ints]:
    """([…, place] disease, [… , place] rank): the first diseases by score along the last axis.

    >>> leading(np.array([[0.2, 0.5, 0.5], [0.0, 0.1, 0.2]]), np.array([0.1, 0.3, 0.4]), 2)
    (array([[2, 1],
           [2, 1]]), array([[1, 1],
           [1, 2]]))
    """
    return _first(*_sorted(scores), tie_break, top)


def _first(by_score: Ints, ranks: Ints, tie_break: Floats, top: int | None) -> tuple[Ints, Ints]:
    """The first of sorted diseases, those of one rank in order of what breaks ties."""
    size = by_score.shape[-1]
    width = size if top is None else min(top, size)
    cut = width
    if width < size:  # to the end of the ties that begin among the first
        begins = ranks[..., width:] == np.arange(width + 1, size + 1)
        ends = np.where(begins.any(axis=-1), begins.argmax(axis=-1), size - width)
        cut += int(ends.max(initial=0))
    among = by_score[..., :cut]
    inside = np.lexsort((among, -_along(tie_break, among), ranks[..., :cut]), axis=-1)
    return _along(among, inside)[..., :width], ranks[..., :width]


def _along(values: Any, places: Ints) -> Any:
    """[…, place] the values at places along the last axis."""
    if values.ndim == 1:
        return values[places]
    return np.take_along_axis(values, places, -1)


def _sorted(scores: Floats) -> tuple[Ints, Ints]:
    """([…, place] disease, […, place] rank), best first; diseases of one rank in any order."""
    by_score = np.argsort(-scores, axis=-1, kind="stable")
    ranked = _along(scores, by_score)
    before = ranked[..., :-1]
    apart = before - ranked[..., 1:] > np.maximum(TIE * np.abs(before), 1e-15)
    ranks = np.ones(ranked.shape, dtype=np.int64)
    np.multiply(apart, np.arange(2, ranked.shape[-1] + 1), out=ranks[..., 1:])
    return by_score, np.maximum.accumulate(ranks, axis=-1)


def rank(
    network: Model,
    evidence: Evidence,
    beliefs: Beliefs,
    measure: str,
    *,
    weights: Floats,
    factors: Floats,
    top: int | None = None,
) -> Differential:
    """The diseases in order of a measure, each with its explanation.

    `weights` [present] is the cruelty of each present finding, `factors` [disease] multiplies the
    scores of the measures that count findings: cost and success of treating the disease.
    """
    scores = np.stack([score(beliefs, weights) for score in MEASURES.values()])
    for row, kind in enumerate(MEASURES.values()):
        if kind.counts_findings:
            scores[row] *= factors
    by_score, places = _sorted(scores)
    ranks = np.empty_like(places)  # [measure, disease]
    ranks[np.arange(len(ranks))[:, None], by_score] = places
    names = [*MEASURES]
    own = names.index(measure)
    order, _ = _first(by_score[own], places[own], beliefs.posterior, top)
    tied = _shared(places[own])[: len(order)].tolist()
    explained = Explanations(network, evidence)
    absent = tuple(network.findings[finding] for finding in evidence.absent.tolist())
    candidates = []
    rows = zip(
        order.tolist(),
        tied,
        scores[:, order].T.tolist(),
        ranks[:, order].T.tolist(),
        _positive(beliefs.present, beliefs.disabled[order]),
        _positive(beliefs.present, beliefs.sustained[order]),
        strict=True,
    )
    for disease, shared, its_scores, its_ranks, disabled, sustained in rows:
        entry = network.entries[network.diseases[disease]]
        candidates.append(
            Candidate(
                rank=its_ranks[own],
                disease=entry.id,
                name=entry.name,
                score=its_scores[own],
                tied=shared,
                scores=dict(zip(names, its_scores, strict=True)),
                ranks=dict(zip(names, its_ranks, strict=True)),
                disabled=disabled,
                sustained=sustained,
                against=explained.against(disease),
                raised_by=explained.raised_by(disease),
                urgency=entry.urgency,
                rareness=entry.rareness,
                group=entry.group,
                measure=measure,
            )
        )
    likely = _bystanders(network, beliefs, by_score[names.index("posterior")])
    raised = (node for c in candidates for node in c.raised_by)
    named = (*beliefs.present, *absent, *likely, *raised)
    return Differential(
        network=network.name,
        network_hash=network.hash,
        measure=measure,
        candidates=tuple(candidates),
        present=beliefs.present,
        absent=absent,
        unexplained=dict(zip(beliefs.present, beliefs.unexplained.tolist(), strict=True)),
        bystanders=likely,
        log_evidence=beliefs.log_evidence,
        engine=beliefs.engine,
        accuracy=beliefs.accuracy,
        in_force=beliefs.in_force,
        names={node: network.label(node) for node in named},
        total=len(network.diseases),
        doubts=tuple(map(str, evidence.doubts)),
    )


def _bystanders(network: Described, beliefs: Beliefs, likeliest: Ints) -> dict[str, float]:
    """The diseases among the likeliest that explain no present finding, with their posterior."""
    if not beliefs.present:
        return {}
    first = likeliest[:LIKELIEST]
    explains: list[bool] = np.any(beliefs.at_work[first], axis=1).tolist()
    known = zip(first.tolist(), explains, beliefs.posterior[first].tolist(), strict=True)
    return {
        network.diseases[disease]: chance
        for disease, explaining, chance in known
        if not explaining and chance >= LIKELY
    }


def _shared(places: Ints) -> npt.NDArray[np.bool_]:
    """[place] whether the rank at a place is that of a neighbour too."""
    same = places[:-1] == places[1:]
    shared = np.zeros(len(places), dtype=bool)
    shared[:-1] |= same
    shared[1:] |= same
    return shared


def _positive(present: tuple[str, ...], chances: Floats) -> Iterator[dict[str, float]]:
    """For each row: finding → probability, largest first, without those it cannot cause."""
    orders = np.argsort(-chances, axis=1, kind="stable").tolist()
    for row, order in zip(chances.tolist(), orders, strict=True):
        yield {present[finding]: row[finding] for finding in order if row[finding] > 0.0}
