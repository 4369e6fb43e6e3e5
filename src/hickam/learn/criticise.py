"""What the records say that the network has wrong or is missing: proposals, never changes.

Numbers that do not fit: at the network's own numbers, how often each mechanism acted by the records
against how often the network says. The difference of a right number is zero on average; its
variance is taken as the larger of what the records show and what complete records would, so that a
mechanism that never acted is not condemned by silence alone.

Missing links: `proposals`.

Of many tests some fail by chance: a finding is reported if its q value, the share of false ones
among those as extreme (Benjamini and Hochberg), is at most `RATE`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np

from hickam.issues import invalid
from hickam.learn.batch import Batch, batches
from hickam.learn.belief import CITED, ESTIMATE, LEARNT
from hickam.learn.em import State
from hickam.learn.expect import expect_all
from hickam.learn.numbers import Numbers, numbers_of
from hickam.learn.proposals import Proposal, Said, proposals
from hickam.learn.rates import RATE, q_values
from hickam.learn.recording import recording_of
from hickam.learn.records import Records, together
from hickam.learn.run import Learning, Plan, learn_from
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints
from hickam.words import counted

NEVER = 0.1  # of how often the network says: a mechanism that does less never acts
# What the network says counts as one patient where it is judged, whatever its source.
LIGHT = {ESTIMATE: 1.0, LEARNT: 1.0, CITED: 1.0}


@dataclass(frozen=True, slots=True)
class Misfit:
    """A number of the network that does not fit the records, as the network states it.

    Of a finding with kinds, what it has besides them is tested: `acted`, `expected`, `z` and `q`.
    """

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
    besides: bool = False  # whether the test is of what a finding has besides its kinds

    @property
    def explained(self) -> bool:
        """Whether it fits after all once the other numbers are those that fit best."""
        return self.low <= self.stated <= self.high

    @property
    def never(self) -> bool:
        """Whether this is a link that hardly ever acts."""
        return self.kind in ("cause", "effect") and self.fitted < NEVER * self.stated


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
    said = recording_of(numbers, records, plan.unmentioned)
    if said.columns:
        what = "can be read by a model of what is written down only to learn"
        fix = "say absent or unknown of them"
        raise invalid(counted(len(said.columns), "column"), what, fix)
    filled = together(said.filled(records))
    parts = batches(numbers, filled, plan.settings, plan.seed)
    say("comparing the network's numbers with the records")
    tests = _tests(numbers, parts, plan.threads)

    def after(state: State) -> None:
        say(f"fitting the numbers, step {state.looks}")

    fitted = learn_from(
        model, records, replace(plan, trust=LIGHT, hold_out=0.0), after=after, again=True
    )
    say("looking for missing links")
    proposed, pairs = proposals(numbers, fitted.values, parts, say)
    return Criticism(
        records.patients,
        _misfits(numbers, tests, fitted),
        proposed,
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
        whole, mine = fitted.whole, float(numbers.values[number])
        found.append(
            Misfit(
                kind,
                *numbers.names[number],
                float(whole.before[number]),
                float(whole.learnt[number]),
                float(whole.certainty.low[number]),
                float(whole.certainty.high[number]),
                float(tests.acted[at]),
                mine * float(tests.could[at]),
                float(tests.z[at]),
                float(q[at]),
                number in numbers.together,
            )
        )
    return tuple(found)
