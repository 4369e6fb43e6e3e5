"""What the records say that the network has wrong or is missing: proposals, never changes.

Numbers that do not fit: at the network's own numbers, how often each mechanism acted by the records
against how often the network says. The difference of a right number is zero on average; its
variance is taken as the larger of what the records show and what complete records would, so that a
mechanism that never acted is not condemned by silence alone.

Missing links: at the numbers that fit the records best, so that a wrong leak does not look like a
missing link; each pair of disease and finding alone, by the gain of log likelihood at its best
strength. That half of it would be noise at strength 0 makes P(gain) = erfc(sqrt(gain)) / 2.

Of many tests some fail by chance: a finding is reported if its q value, the share of false ones
among those as extreme (Benjamini and Hochberg), is at most `RATE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np

from hickam.learn.batch import Batch, batches
from hickam.learn.belief import CITED, ESTIMATE
from hickam.learn.em import State
from hickam.learn.expect import expect_all
from hickam.learn.left_out import Slopes, best_strength, slopes, sums_of
from hickam.learn.numbers import Numbers, numbers_of
from hickam.learn.records import Records, together
from hickam.learn.run import Learning, Plan, learn_from
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints

RATE = 0.05  # share of false ones among what is reported
SCREENED = 2.0  # standard deviations at which a pair is looked at closely
CLOSELY = 300  # pairs that are, at most
NEVER = 0.1  # of how often the network says: a mechanism that does less never acts
# What the network says counts as one patient where it is judged, whatever its source.
LIGHT = {ESTIMATE: 1.0, CITED: 1.0}
Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A number of the network that does not fit the records."""

    kind: str  # "prior", "disease leak", "cause", "finding leak" or "effect"
    cause: str
    effect: str
    stated: float
    fitted: float
    low: float  # 95 % interval of the fitted
    high: float
    acted: float  # times, by the records
    expected: float  # times, by the network
    z: float
    q: float

    @property
    def never(self) -> bool:
        """Whether this is a link that hardly ever acts."""
        return self.kind in ("cause", "effect") and self.fitted < NEVER * self.stated


@dataclass(frozen=True, slots=True)
class Proposal:
    """A link that would explain what is left unexplained."""

    cause: str
    effect: str
    strength: float
    error: float
    gain: float  # of the log likelihood
    both: float  # expected patients with the disease and the finding observed
    q: float


@dataclass(frozen=True, slots=True)
class Criticism:
    """All that the records say against a network."""

    patients: int
    misfits: tuple[Misfit, ...]  # the least likely first
    proposals: tuple[Proposal, ...]  # the largest gain first
    tested_numbers: int
    tested_pairs: int


def criticise(
    model: Model, records: Records, plan: Plan | None = None, say: Said = lambda _: None
) -> Criticism:
    """Compare a network with records."""
    plan = plan or Plan()
    numbers = numbers_of(model)
    records = together(records)
    parts = batches(numbers, records, plan.settings, plan.seed)
    say("comparing the network's numbers with the records")
    tests = _tests(numbers, parts, plan.threads)

    def after(state: State) -> None:
        say(f"fitting the numbers, step {state.looks}")

    fitted = learn_from(model, records, replace(plan, trust=LIGHT, hold_out=0.0), after=after)
    say("looking for missing links")
    proposals, pairs = _proposals(numbers, fitted.values, parts, say)
    return Criticism(
        records.patients,
        _misfits(numbers, tests, fitted),
        proposals,
        len(tests.number),
        pairs,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """Numbers that were tested: how far each is off."""

    number: Ints
    z: Floats
    acted: Floats
    could: Floats


def _tests(numbers: Numbers, parts: list[Batch], threads: int) -> _Tests:
    """Score tests of the network's own numbers."""
    acted, could, squares = (np.zeros(numbers.size) for _ in range(3))
    each = [np.array([number]) for number in range(numbers.size)]
    for one in expect_all(numbers, numbers.values, parts, threads, families=each):
        acted += one.acted
        could += one.could
        squares += np.concatenate(one.products).ravel()
    values = numbers.values
    complete = values * (1.0 - values) * could
    number = np.flatnonzero((values > 0.0) & (values < 1.0) & (could > 0.0))
    spread = np.sqrt(np.maximum(squares, complete))[number]
    z = (acted - values * could)[number] / spread
    return _Tests(number, z, acted[number], could[number])


def _misfits(numbers: Numbers, tests: _Tests, fitted: Learning) -> tuple[Misfit, ...]:
    """The tests that fail, the surest first."""
    chances = np.array([erfc(abs(z) / sqrt(2.0)) for z in tests.z.tolist()])
    q = q_values(chances, len(chances))
    found = []
    for at in np.lexsort((-np.abs(tests.z), q)).tolist():
        if q[at] > RATE:
            break
        number = int(tests.number[at])
        kind = next(
            kind
            for kind in ("prior", "disease leak", "cause", "finding leak", "effect")
            if number < numbers.of_kind(kind).stop
        )
        stated = float(numbers.values[number])
        found.append(
            Misfit(
                kind,
                *numbers.names[number],
                stated,
                float(fitted.values[number]),
                float(fitted.certainty.low[number]),
                float(fitted.certainty.high[number]),
                float(tests.acted[at]),
                stated * float(tests.could[at]),
                float(tests.z[at]),
                float(q[at]),
            )
        )
    return tuple(found)


def _proposals(
    numbers: Numbers, values: Floats, parts: list[Batch], say: Said
) -> tuple[tuple[Proposal, ...], int]:
    """The links that would explain most, and how many pairs were tested."""
    own = numbers.network
    shape = (len(own.diseases), len(own.findings))
    every = np.arange(shape[1])
    total, squares = np.zeros(shape), np.zeros(shape)
    for number, batch in enumerate(parts):
        say(f"looking for missing links, {number + 1} of {len(parts)}")
        more = sums_of([slopes(numbers, values, batch, every)], shape)
        total += more[0]
        squares += more[1]
    untested = np.zeros(shape, dtype=bool)
    # a finding may have a cause only through its kinds: beside them there is no link yet
    linked = numbers.values[numbers.of_kind("effect")] > 0.0
    untested[own.effects.cause[linked], own.effects.effect[linked]] = True
    untested |= squares == 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(untested, -np.inf, total / np.sqrt(squares))
    flat = np.argsort(-z, axis=None)[:CLOSELY]
    close = [divmod(int(pair), shape[1]) for pair in flat if z.flat[pair] > SCREENED]
    pairs = int((~untested).sum())
    if not close:
        return (), pairs
    say("looking closely at the likeliest")
    collected: list[list[tuple[Floats, Floats]]] = [[] for _ in close]
    both = np.zeros(len(close))
    chosen = np.array(sorted({finding for _, finding in close}), dtype=np.int64)
    for batch in parts:
        found = slopes(numbers, values, batch, chosen)
        for at, (disease, finding) in enumerate(close):
            collected[at].append(found.of(disease, finding))
            both[at] += _observed(found, disease, finding)
    fits = [
        best_strength(*(np.concatenate(part) for part in zip(*some, strict=True)))
        for some in collected
    ]
    q = q_values(np.array([0.5 * erfc(sqrt(gain)) for _, _, gain in fits]), pairs)
    proposals = [
        Proposal(
            own.diseases[disease], own.findings[finding], *fits[at], float(both[at]), float(q[at])
        )
        for at, (disease, finding) in enumerate(close)
        if q[at] <= RATE
    ]
    return tuple(sorted(proposals, key=lambda one: -one.gain)), pairs


def _observed(found: Slopes, disease: int, finding: int) -> float:
    """Expected patients who have the disease and of whom the finding is known."""
    seen = found.absent[:, finding].copy()
    seen[found.record[found.finding == finding]] = 1.0
    return float((seen * found.counts) @ found.posterior[:, disease])


def q_values(chances: Floats, tests: int) -> Floats:
    """The rate of false ones among those at least as extreme; more tests than chances were done.

    >>> q_values(np.array([0.01, 0.5]), 2).tolist()
    [0.02, 0.5]
    """
    order = np.argsort(chances, kind="stable")
    rate = chances[order] * tests / np.arange(1, len(chances) + 1)
    smallest = np.minimum.accumulate(rate[::-1])[::-1] if len(rate) else rate
    found = np.empty_like(smallest)
    found[order] = np.minimum(smallest, 1.0)
    return found
