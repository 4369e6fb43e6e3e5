"""What would happen if: curing sets of diseases, and the smallest set worth curing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits, Options
from hickam.evidence.case import Case, Evidence
from hickam.evidence.vocabulary import vocabularies
from hickam.inference.infer import take
from hickam.inference.reduce import Problem, Tables, log_fails, reduce
from hickam.inference.solve import solve
from hickam.issues import InvalidInput, Issue, error, invalid
from hickam.model.network import Ints, Network
from hickam.model.scm import SCM
from hickam.model.scm_network import as_network

if TYPE_CHECKING:
    from hickam.twin.cure import Cures

# The search for a smallest set tries every set of this many of the likeliest causes at most.
CANDIDATES = 12
GENERAL = Accuracy("exact", 1e-10)  # of a general model's merged twins
LARGEST_PROVEN = 3


@dataclass(frozen=True, slots=True)
class Cure:
    """What curing a set of diseases together would do to the present findings.

    `removed[s]` is P(finding s goes away under do(D = 0 for every D in the set) | evidence): every
    active cause of s is in the set. `expected` is their sum, the expected disablement of the set.
    """

    diseases: tuple[str, ...]
    removed: Mapping[str, float]
    accuracy: Accuracy
    smallest: bool = True  # for a search: whether no smaller set can reach the goal

    @property
    def expected(self) -> float:
        """Expected number of present findings that go away."""
        return sum(self.removed.values())


def cure(network: Network, case: Case, diseases: Sequence[str], **options: Unpack[Options]) -> Cure:
    """What curing these diseases together would remove.

    >>> import hickam
    >>> what = cure(hickam.load("smoker"), Case(present=["chest pain"]), ["emphysema"])
    >>> what.expected
    0.0
    """
    chosen = _positions(network, diseases)
    if isinstance(network, SCM) and as_network(network) is None:
        named = tuple(network.diseases[position] for position in chosen)
        return Cure(named, _general(network, case, options).of(named), GENERAL)
    return _situation(_layered(network), case, options).cure(chosen)


def _general(model: SCM, case: Case, options: Options) -> Cures:
    """The same questions on a general model; imported only when there is one."""
    from hickam.twin.cure import Cures

    return Cures(model, case, options)


def _layered(network: Network | SCM) -> Network:
    """A network, also if it comes as a general model."""
    layered = as_network(network) if isinstance(network, SCM) else network
    assert layered is not None
    return layered


def smallest_cure(
    network: Network, case: Case, at_least: float, **options: Unpack[Options]
) -> Cure | None:
    """The smallest set whose cure is expected to remove at least this many present findings.

    Among sets of equal size the one that removes most. Every set of up to three of the twelve
    likeliest causes is tried, then the best set grows greedily (`smallest` is then False). None if
    even curing every disease falls short, because the rest comes from outside the network.
    """
    if isinstance(network, SCM) and as_network(network) is None:
        found = _general(network, case, options).smallest(at_least)
        return None if found is None else Cure(found[0], found[1], GENERAL, found[2])
    situation = _situation(_layered(network), case, options)
    count = len(situation.evidence.present)
    if not 0.0 < at_least <= count:
        where = f"the goal of removing {at_least!r} findings"
        raise invalid(where, f"is outside (0, {count}]", f"{count} findings are present")
    able = np.flatnonzero(situation.tables.sustained.sum(axis=1) > 0.0)
    if situation.cure_rows(able).expected < at_least:
        return None
    likely = able[np.argsort(-situation.tables.sustained[able].sum(axis=1), kind="stable")]
    for size in range(1, LARGEST_PROVEN + 1):
        tried = (
            situation.cure_rows(np.array(rows))
            for rows in itertools.combinations(likely[:CANDIDATES].tolist(), size)
        )
        best = max(tried, key=lambda what: what.expected, default=None)
        if best is not None and best.expected >= at_least:
            return replace(best, smallest=len(likely) <= CANDIDATES or size == 1)
    return next(c for c in _grow(situation, likely) if c.expected >= at_least)


def _grow(situation: _Situation, likely: Ints) -> Iterator[Cure]:
    """Ever larger cures, each adding the disease that removes most."""
    chosen: list[int] = []
    while len(chosen) < len(likely):
        tried = {
            int(row): situation.cure_rows(np.array([*chosen, row]))
            for row in likely
            if row not in chosen
        }
        best = max(tried, key=lambda row: tried[row].expected)
        chosen.append(best)
        yield replace(tried[best], smallest=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Situation:
    """A case ready for many questions."""

    network: Network
    evidence: Evidence
    problem: Problem
    tables: Tables
    accuracy: Accuracy
    limits: Limits

    def cure(self, diseases: Sequence[int]) -> Cure:
        """The cure of diseases by position; those that the evidence does not reach add nothing."""
        row_of = {int(disease): row for row, disease in enumerate(self.problem.rows)}
        rows = np.array([row_of[d] for d in diseases if d in row_of], dtype=np.int64)
        named = tuple(self.network.diseases[d] for d in diseases)
        return replace(self.cure_rows(rows), diseases=named)

    def cure_rows(self, rows: Ints) -> Cure:
        """The cure of the diseases in these rows of the problem."""
        removed, error_bound = {}, self.accuracy.error
        for column, finding in enumerate(self.evidence.present):
            name = self.network.findings[finding]
            only = only_caused_by(self.problem, rows, column)
            if only is None:
                removed[name] = 0.0
                continue
            tables, _, accuracy = solve(only, self.limits)
            error_bound = max(error_bound, accuracy.error)
            removed[name] = min(
                1.0, float(np.exp(tables.log_evidence + only.log_scale - self._log))
            )
        return Cure(
            diseases=tuple(self.network.diseases[d] for d in self.problem.rows[rows]),
            removed=removed,
            accuracy=replace(self.accuracy, error=error_bound),
        )

    @property
    def _log(self) -> float:
        return self.tables.log_evidence + self.problem.log_scale


def only_caused_by(problem: Problem, rows: Ints, column: int) -> Problem | None:
    """The problem whose evidence is: as before, and every active cause of one finding is in a set.

    The mechanisms of all other causes must fail: each other disease k pays λ_ks when on, the leak
    pays its own λ_s, and the finding must be produced by the set alone. Positive throughout. None
    if that is impossible.
    """
    inside = np.zeros(len(problem.rows), dtype=bool)
    inside[rows] = True
    if problem.leak_fails[column] == 0.0 or not np.any(problem.acts[inside, column] > 0.0):
        return None
    acts, fails = problem.acts.copy(), problem.fails.copy()
    outside = ~inside
    weight_on = np.where(outside, problem.weight_on * fails[:, column], problem.weight_on)
    acts[outside, column], fails[outside, column] = 0.0, 1.0
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    paid = float(log_fails(leak[column : column + 1], leak_fails[column : column + 1])[0])
    leak[column], leak_fails[column] = 0.0, 1.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_on=weight_on,
        log_scale=problem.log_scale + paid,
    )


def _situation(network: Network, case: Case, options: Options) -> _Situation:
    """The case, located, reduced and solved once."""
    evidence, limits = take(network, case, options)
    problem = reduce(network, evidence)
    tables, _, accuracy = solve(problem, limits)
    return _Situation(network, evidence, problem, tables, accuracy, limits)


def _positions(network: Network, diseases: Sequence[str]) -> list[int]:
    """Diseases by position, each once; all unknown names at once."""
    words = vocabularies(network)["disease"]
    found = [words.find(name) for name in diseases]
    issues = [f for f in found if isinstance(f, Issue)]
    if not diseases:
        issues = [error("the set of diseases", "is empty", "name at least one disease to cure")]
    if issues:
        raise InvalidInput(issues)
    return list(dict.fromkeys(f for f in found if isinstance(f, int)))
