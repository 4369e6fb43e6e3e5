"""How likely it is that several diseases, and nothing else, are what causes a finding."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Solution
from hickam.inference.solve import solve
from hickam.issues import TooHard, error
from hickam.model.network import Floats

# Tolerance that is tried first: the worlds that have a whole set of diseases are few among all, and
# so is what an error in them amounts to.
ROUGH = 0.1
# That given diseases cause a finding, over that they do not: larger, and the latter worlds are too
# few to tell of the former.
MOST_ODDS = 30.0
PAIR = 2

Rows: TypeAlias = tuple[int, ...]


class Joint(NamedTuple):
    """[present] P(the active causes of the finding are exactly these | evidence), and its error."""

    chance: Floats
    error: Floats  # absolute, as far as it is stated
    accuracy: Accuracy | None  # of the inference behind it; None: it is impossible


class JointCauses:
    """A solved problem, ready for questions about sets of diseases.

    Among the worlds that have all diseases of a set, their links are as good as leaks: what no
    other disease causes there, one of them or the leak does, and which of these did is a matter of
    their own chances alone. One inference tells of the set, and of the set with any one more: what
    that disease alone causes there, the links of the set having failed.
    """

    def __init__(
        self, problem: Problem, solution: Solution, limits: Limits, deadline: Deadline
    ) -> None:
        self.problem, self.limits, self.deadline = problem, limits, deadline
        self._log_evidence = solution.tables.log_evidence + problem.log_scale
        self._log_error = _stated(solution.accuracy.log_evidence, solution.accuracy)
        self._disabled, self._sustained = solution.tables.disabled, solution.tables.sustained
        self._error = solution.accuracy.error
        self._known: dict[Rows, Joint] = {}
        self._removed: dict[frozenset[int], Floats] = {}  # at most, by sets that are known

    def of(self, rows: Sequence[int]) -> Joint:
        """What exactly the diseases of these rows cause together."""
        return self.of_all([rows])[0]

    def of_all(self, sets: Sequence[Sequence[int]]) -> list[Joint]:
        """The same for each of several sets, with few inferences."""
        wanted = [tuple(sorted(rows)) for rows in sets]
        for given, told in self.inferences(wanted):
            self._known |= self._infer_as_asked(given, told)
        return [self._known[rows] for rows in wanted]

    def inferences(self, sets: Sequence[tuple[int, ...]]) -> list[tuple[Rows, list[Rows]]]:
        """Sets of diseases to be taken for certain, each with the sets that it tells of."""
        left = [rows for rows in sets if rows not in self._known]
        plan = list[tuple[Rows, list[Rows]]]()
        while left:
            ways = {
                tuple(row for row in rows if row != without)
                for rows in left
                for without in (None, *rows)
            }
            tells = {given: [rows for rows in left if self._tells(given, rows)] for given in ways}
            best = max(tells, key=lambda given: (len(tells[given]), len(given), given))
            plan.append((best, tells[best]))
            left = [rows for rows in left if rows not in tells[best]]
        return plan

    def _tells(self, given: Rows, rows: Rows) -> bool:
        """Whether worlds with the given diseases tell what these cause, to enough digits."""
        beside = set(rows) - set(given)
        if len(beside) != len(rows) - len(given) or len(beside) > 1:
            return False
        return not beside or bool((self._odds(given, rows) <= MOST_ODDS).all())

    def _odds(self, given: Rows, rows: Rows) -> Floats:
        """[present] that the links of all given diseases act rather than fail; 0 if nothing is to
        be told of a finding."""
        acts, fails = self.problem.acts, self.problem.fails[list(given)].prod(axis=0)
        exactly = np.where(acts[list(rows)].all(axis=0), acts[list(given)].prod(axis=0), 0.0)
        with np.errstate(divide="ignore"):
            return np.divide(exactly, fails, out=np.zeros_like(exactly), where=exactly > 0.0)

    def _infer_as_asked(self, given: Rows, told: Sequence[Rows]) -> dict[Rows, Joint]:
        """Roughly first: that may do, for what so few worlds amount to."""
        wanted = self.limits.tolerance
        found = self._infer(given, told, max(wanted, ROUGH))
        members = sorted({row for rows in told for row in rows})
        removed = float(self._disabled[members].sum())
        removed += sum(float(joint.chance.sum()) for joint in found.values())
        error = sum(float(joint.error.sum()) for joint in found.values())
        if wanted < ROUGH and error > wanted * max(removed, FLOOR):
            found = self._infer(given, told, wanted)
        return found

    def _infer(self, given: Rows, told: Sequence[Rows], tolerance: float) -> dict[Rows, Joint]:
        """The same with an inference of this tolerance."""
        among = having(self.problem, given)
        found = solve(among, replace(self.limits, tolerance=tolerance), self.deadline)
        if not np.isfinite(found.tables.log_evidence):
            nothing = np.zeros(len(self.problem.leak))
            return dict.fromkeys(told, Joint(nothing, nothing, None))
        log_share = found.tables.log_evidence + among.log_scale - self._log_evidence
        share = min(1.0, float(np.exp(log_share)))
        how = found.accuracy
        relative = _stated(how.log_evidence, how) + self._log_error
        if not np.isfinite(relative):
            raise _unknown()
        joints = {}
        for rows in told:
            if rows == given:
                chance, error = self._themselves(rows, share, among, found)
            else:
                (beside,) = set(rows) - set(given)
                odds = share * self._odds(given, rows)
                alone = np.clip(found.tables.disabled[beside], 0.0, 1.0)
                chance = odds * alone
                stated = how.error * max(float(alone.sum()), FLOOR)
                error = odds * stated
            joints[rows] = Joint(chance, error + chance * relative, how)
        return joints

    def _themselves(
        self, rows: Rows, share: float, among: Problem, found: Solution
    ) -> tuple[Floats, Floats]:
        """[present] what the diseases that are certain cause and no other, and its error."""
        exactly = self.problem.leak_fails * np.prod(self.problem.acts[list(rows)], axis=0)
        weight = np.divide(exactly, among.leak, out=np.zeros_like(exactly), where=exactly > 0.0)
        weight *= share
        stated = _stated(found.accuracy.unexplained, found.accuracy)
        return weight * np.clip(found.tables.unexplained, 0.0, 1.0), weight * stated

    def learn(self, rows: Sequence[int], removed: Floats, error: float) -> None:
        """What curing these removes, found elsewhere; of two, it says what they cause together."""
        self._removed[frozenset(rows)] = removed + error
        if len(rows) == PAIR:
            alone = self._disabled[list(rows)].sum(axis=0)
            bound = error + self._error * np.maximum(alone, FLOOR)
            joint = Joint(np.maximum(removed - alone, 0.0), bound, None)
            self._known[tuple(sorted(rows))] = joint

    def at_most(self, rows: Sequence[int]) -> Floats:
        """[present] a bound on what curing these rows removes, without any inference.

        A finding goes away if one member is its only cause, or if several are and nobody else;
        the latter is counted at least twice by "active, but not alone". What all but the last
        remove may be known.
        """
        rows = list(rows)
        alone = self._disabled[rows].sum(axis=0)
        several = np.maximum(self._sustained[rows] - self._disabled[rows], 0.0)
        together = several.sum(axis=0) / 2.0
        if PAIR <= len(rows) <= PAIR + 1:
            together = np.minimum(together, self._few_at_most(rows, several))
        bound = alone + together + self._error * np.maximum(alone + together, FLOOR)
        known = self._removed.get(frozenset(rows[:-1]))
        if known is None:
            return bound
        more = self._sustained[rows[-1]]  # the last causes no more than it does, alone or not
        return np.minimum(bound, known + more + self._error * np.maximum(more, FLOOR))

    def _few_at_most(self, rows: Sequence[int], several: Floats) -> Floats:
        """[present] a bound on what two or three rows cause together, by what is known of pairs.

        What all three cause is less than what any of them does beside being alone and in a pair.
        """
        total, left = np.zeros(several.shape[1]), several.copy()
        for one, other in itertools.combinations(range(len(rows)), 2):
            joint = self._known.get(tuple(sorted((rows[one], rows[other]))))
            if joint is None:
                total += several[[one, other]].min(axis=0)
            else:
                total += joint.chance + joint.error
                left[[one, other]] -= joint.chance - joint.error
        return total if len(rows) == PAIR else total + np.maximum(left, 0.0).min(axis=0)


def having(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem among the worlds that have these diseases, with their links as leaks."""
    acts, fails = problem.acts.copy(), problem.fails.copy()
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    weight_off = problem.weight_off.copy()
    for row in rows:
        leak, leak_fails = leak + leak_fails * acts[row], leak_fails * fails[row]
        acts[row], fails[row], weight_off[row] = 0.0, 1.0, 0.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_off=weight_off,
        single_fault=None,
    )


def _unknown() -> TooHard:
    """Why there is no answer by inference: others may have one."""
    what = "has an error that inference cannot state"
    return TooHard([error("the cure of several diseases", what, "cure fewer at a time")])


def _stated(own: float | None, accuracy: Accuracy) -> float:
    """The error that is stated of one quantity, or else of all."""
    return accuracy.error if own is None else own
