"""Network + records → learnt numbers, how sure they are, and how well they fit others."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hickam.inference.engines import has_certainties
from hickam.issues import Issue, error, invalid
from hickam.kernels import compiled
from hickam.learn.batch import MOST_SETTINGS, Batch, batches, person_tables
from hickam.learn.belief import Belief, belief_of, with_rates
from hickam.learn.em import MOST_STEPS, TOLERANCE, Look, State, Totals, learn
from hickam.learn.errors import Certainty, Sums
from hickam.learn.expect import expect_all
from hickam.learn.held_out import HeldOut, held_out
from hickam.learn.numbers import Numbers, numbers_of
from hickam.learn.recorded import check_open
from hickam.learn.recording import Recording, recording_of
from hickam.learn.records import Records, digest_of, split, together
from hickam.model.kinds import Model
from hickam.model.network import Floats, Network
from hickam.model.source import NONE, Learnt, learnt, learnt_source
from hickam.words import counted

SLOW = 0.01  # on the tolerance where shares are learnt: they gain little with each step
DIGITS = 6  # of a learnt number in a network: more than any records can tell


@dataclass(frozen=True, slots=True)
class Plan:
    """How to learn."""

    trust: Mapping[str, float] | None = None  # weight by source: `belief_of`
    unmentioned: str | Sequence[str] = ()  # what empty cells mean: `recording_of`
    hold_out: float | Records = 0.0  # patients to judge by: a share, or others
    seed: int = 0
    settings: int = MOST_SETTINGS  # of the open risk factors of one record
    tolerance: float = TOLERANCE
    most_steps: int = MOST_STEPS
    workers: int | None = None

    def check(self) -> None:
        """Refuse values without meaning."""
        if not isinstance(self.hold_out, Records) and not 0.0 <= self.hold_out < 1.0:
            raise invalid(f"hold-out {self.hold_out!r}", "is no share", "give 0 to below 1")
        if self.settings < 1:
            raise invalid(f"settings {self.settings!r}", "is no number of settings", "give 1 on")

    @property
    def threads(self) -> int:
        """Threads of the E step: one for each core, where they do not hold Python's lock."""
        return self.workers or ((os.cpu_count() or 1) if compiled() is not None else 1)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """[number] what was learnt as the network's file states it, findings with their kinds."""

    before: Floats
    learnt: Floats
    certainty: Certainty
    seen: Floats  # patients from whom it could be seen
    free: np.ndarray  # neither impossible nor certain, itself or in a kind
    told: np.ndarray  # whether the records speak of it


@dataclass(frozen=True, slots=True)
class Rate:
    """The share of what a column says that is written down."""

    node: int  # over risk factors, diseases and findings in turn
    word: str  # "yes" or "no"
    share: float
    low: float  # 95 % interval
    high: float
    given: bool


@dataclass(frozen=True, eq=False)
class Learning:
    """What was learnt; numbers of a finding with kinds are those of what it has besides them."""

    numbers: Numbers
    belief: Belief
    recording: Recording
    state: State
    totals: Totals
    certainty: Certainty  # the shares that are written down come after the numbers
    whole_certainty: Certainty
    judged: HeldOut | None
    unjudged: bool  # patients were held out, but none of whom enough is said
    patients: int
    alike: int  # records that differ
    drawn: int  # records whose open risk factors were sampled
    source: str  # the name of the records
    marks: tuple[str, ...]  # digests by which they are known again

    @property
    def values(self) -> Floats:
        """[number] as learnt."""
        return self.state.values[: self.numbers.size]

    @cached_property
    def told(self) -> np.ndarray:
        """[number] whether the records speak of it."""
        return (self.belief.free & (self.totals.could > 0.0))[: self.numbers.size]

    @property
    def rates(self) -> list[Rate]:
        """What of each column by a model is written down: of yes, then of no."""
        found = []
        for at, column in enumerate(self.recording.columns):
            for of_no, (word, given) in enumerate(zip(("yes", "no"), column.rates, strict=True)):
                place = self.numbers.size + 2 * at + of_no
                share, low, high = (
                    float(part[place])
                    for part in (self.state.values, self.certainty.low, self.certainty.high)
                )
                found.append(Rate(column.node, word, share, low, high, given is not None))
        return found

    @cached_property
    def whole(self) -> Whole:
        """What was learnt as the network's file states it."""
        numbers = self.numbers
        seen, free, told = self.totals.could[: numbers.size].copy(), self.belief.free, self.told
        free, told = free[: numbers.size].copy(), told.copy()
        for number, parts in numbers.together.items():
            seen[number] = self.totals.could[parts].max()
            free[number], told[number] = self.belief.free[parts].any(), self.told[parts].any()
        certain = self.whole_certainty
        learnt = numbers.whole(self.values)
        open_ones = numbers.stated < 1.0  # a certain part makes the whole certain
        return Whole(numbers.stated, learnt, certain, seen, free & open_ones, told & open_ones)

    def network(self) -> Network:
        """The network with the learnt numbers, each with where it comes from."""
        numbers, whole = self.numbers, self.whole
        sources = {}
        for number in np.flatnonzero(whole.told).tolist():
            own = numbers.sources[number]
            first = Learnt(0, 0.0, f"{whole.before[number]:.3g}, {own or NONE}")
            was = learnt(own) or first
            seen = was.patients + round(float(whole.seen[number]))
            said = Learnt(seen, self._weight(number), was.before)
            records = f"{self.source} and earlier records" if learnt(own) else self.source
            sources[numbers.names[number]] = learnt_source(records, said)
        rounded = np.array([float(f"{value:.{DIGITS}g}") for value in self.values.tolist()])
        values = np.where(self.told, rounded, numbers.values)
        found = numbers.network_with(values, sources)
        taught = f"{self.source} ({self.patients:,} patients, {' '.join(self.marks)})"
        told = "; ".join(filter(None, (found.about.learnt_from, taught)))
        return replace(found, about=replace(found.about, learnt_from=told))

    def _weight(self, number: int) -> float:
        """How many patients a learnt number counts for: as many as would leave its error."""
        whole, before = self.whole, float(self.belief.weight[number])
        share, error = float(whole.learnt[number]), float(whole.certainty.errors[number])
        most = before + float(whole.seen[number])
        worth = 1.0 / max(error**2 * share * (1.0 - share), 1e-12) if error else before
        return min(max(worth, before), most)


def learn_from(
    model: Model,
    records: Records,
    plan: Plan | None = None,
    *,
    source: str = "records",
    state: State | None = None,
    look: Callable[[Numbers, list[Batch]], Look] | None = None,
    after: Callable[[State], None] = lambda _: None,
    marks: Sequence[str] = (),
    again: bool = False,
) -> Learning:
    """Learn the numbers of a network from records; `look` may do the E step elsewhere.

    The network remembers a digest of the records, and more `marks` of them. The same records are
    refused the next time, unless they may teach it `again`.
    """
    plan = plan or Plan()
    plan.check()
    numbers = numbers_of(model)
    marks = (digest_of(records), *marks)
    taught = numbers.network.about.learnt_from
    if not again and any(mark in taught for mark in marks):
        what = "have taught this network already"
        fix = "learn from others, or teach them the network as it was before"
        raise invalid(f"records '{source}'", what, fix)
    if isinstance(plan.hold_out, Records) and digest_of(plan.hold_out) in f"{taught} {marks}":
        what = "teach the network, or have taught it"
        raise invalid("the records to judge by", what, "give those of other patients")
    recording = recording_of(numbers, records, plan.unmentioned)
    belief = with_rates(belief_of(numbers, plan.trust), recording.columns)
    kept, out = _parted(records, plan)
    kept = together(recording.filled(kept))
    check_open(numbers, kept, recording.columns)
    parts = batches(numbers, kept, plan.settings, plan.seed, columns=recording.columns)
    look_at = look(numbers, parts) if look else local(numbers, parts, plan.threads)
    state = learn(
        look_at,
        belief,
        state,
        tolerance=plan.tolerance * (SLOW if recording.columns else 1.0),
        most_steps=plan.most_steps,
        after=after,
    )
    return finished(recording, belief, state, parts, plan, out, source, tuple(marks))


def _parted(records: Records, plan: Plan) -> tuple[Records, Records]:
    """(records to learn from, records held out); neither part may be empty if there is one."""
    size = records.patients
    if not size:
        raise invalid("the records", "are none", "there is nothing to learn from")
    if isinstance(plan.hold_out, Records):
        return records, plan.hold_out
    kept, out = split(records, plan.hold_out, np.random.default_rng(plan.seed))
    if plan.hold_out and not (len(kept) and len(out)):
        left = "to learn from" if len(out) else "to judge by"
        what = f"of {counted(size, 'record')} leaves none {left}"
        least = float(f"{1.0 / size:.2g}")
        fix = f"give {least:g} to {1.0 - least:g}" if size > 1 else "learn without holding out"
        raise invalid(f"hold-out {plan.hold_out:g}", what, fix)
    return kept, out


def finished(
    recording: Recording,
    belief: Belief,
    state: State,
    parts: list[Batch],
    plan: Plan,
    out: Records,
    source: str,
    marks: tuple[str, ...],
) -> Learning:
    """The last look: standard errors, and the fit to patients held out."""
    numbers = recording.numbers
    sums = Sums(numbers, state.values, belief)
    scored = expect_all(numbers, state.values, parts, plan.threads, families=sums.families)
    for one, batch in zip(scored, parts, strict=True):
        sums.add(one, batch.records.counts)
    judged = None
    if isinstance(plan.hold_out, Records):
        recorded = recording_of(numbers, out, "unknown")
    else:
        recorded = recording
    judges = together(recorded.judged(out))
    if len(judges):
        options: dict[str, Any] = {"most_settings": plan.settings, "seed": plan.seed}
        learnt = state.values[: numbers.size]
        judged = held_out(numbers, judges, learnt, workers=plan.threads, **options)
    return Learning(
        numbers,
        belief,
        recording,
        state,
        sums.totals(),
        sums.certainty(),
        sums.whole(numbers),
        judged,
        judged is None and len(out) > 0,
        sum(batch.records.patients for batch in parts),
        sum(len(batch.records) for batch in parts),
        sum(batch.settings.sampled for batch in parts),
        source,
        marks,
    )


def local(numbers: Numbers, parts: list[Batch], threads: int) -> Look:
    """The E step on this machine."""

    def look(values: Floats) -> Totals:
        acted, could = np.zeros(len(values)), np.zeros(len(values))
        found = []
        for one in expect_all(numbers, values, parts, threads):
            acted += one.acted
            could += one.could
            found.append(one)
        return Totals(acted, could, _level(found, parts))

    return look


def _level(found: list[Any], parts: list[Batch]) -> float:
    """The log likelihood of all patients."""
    return float(
        sum(
            (one.log_evidence * batch.records.counts).sum()
            for one, batch in zip(found, parts, strict=True)
        )
    )


def impossible(model: Model, records: Records, plan: Plan | None = None) -> list[int]:
    """The positions of records that have probability zero under the network."""
    plan = plan or Plan()
    numbers = numbers_of(model)
    factors = person_tables(numbers.network, records.people)
    if not has_certainties(numbers.network) and all((table > 0.0).all() for table in factors):
        return []
    filled = recording_of(numbers, records, plan.unmentioned).filled(records)
    parts = batches(numbers, filled, plan.settings, plan.seed)
    logs = [one.log_evidence for one in expect_all(numbers, numbers.values, parts, plan.threads)]
    return np.flatnonzero(~np.isfinite(np.concatenate(logs))).tolist() if logs else []


def possible_part(
    model: Model, records: Records, plan: Plan | None = None
) -> tuple[Records, list[Issue]]:
    """The records that can be under the network, and an issue for each that cannot."""
    wrong = impossible(model, records, plan)
    what = "has probability zero under the network"
    fix = "check it, or make what it contradicts less than certain"
    issues = [
        replace(error("the record", what, fix), line=int(records.lines[record])) for record in wrong
    ]
    kept = np.ones(len(records), dtype=bool)
    kept[wrong] = False
    return records.take(kept), issues
