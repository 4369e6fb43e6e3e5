"""How likely it is that several diseases, and nothing else, are what causes a finding."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.mixed import mixed
from hickam.inference.having import having
from hickam.inference.problem import Problem, Solution
from hickam.inference.solve import solve
from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints

# Tolerance at most: the worlds that have a whole set of diseases are few among all, and so is what
# an error in them amounts to.
ROUGH = 0.1
FINER = 0.1  # of the tolerance for most, that of a mixture: it is quick, and errs by all it may
# That given diseases cause a finding, over that they do not: larger, and the latter worlds are too
# few to tell of the former.
MOST_ODDS = 30.0
PAIR = 2
FURTHER = 0.5  # of what is left until a deadline, for one inference
KEPT = 4  # inferences that may tell of sets which are asked for later

Rows: TypeAlias = tuple[int, ...]
Plan: TypeAlias = list[tuple[Rows, list[Rows]]]  # diseases taken for certain, sets they tell of


class Joint(NamedTuple):
    """[present] P(the active causes of the finding are exactly these | evidence), and its error."""

    chance: Floats
    error: float  # of the sum, absolute, as far as it is stated
    accuracy: Accuracy | None  # of the inference behind it; None: it is impossible


class Given(NamedTuple):
    """What an inference among the worlds that have given diseases found."""

    rows: Rows  # the given diseases
    problem: Problem  # among those worlds
    solution: Solution
    share: float  # of these worlds among all that fit the evidence
    error: float  # of that share, relative


class JointCauses:
    """A solved problem, ready for questions about sets of diseases.

    Among the worlds that have all diseases of a set, their links are as good as leaks: what no
    other disease causes there, one of them or the leak does, and which of these did is a matter of
    their own chances alone. One inference tells of the set, and of the set with any one more: what
    that disease alone causes there, the links of the set having failed. The last ones are kept,
    and tell of sets that are asked for later.
    """

    def __init__(
        self, problem: Problem, solution: Solution, limits: Limits, deadline: Deadline
    ) -> None:
        self.problem, self.limits, self.deadline = problem, limits, deadline
        self.solution = solution
        self._log_evidence = solution.tables.log_evidence + problem.log_scale
        self._log_error = _stated(solution.accuracy.log_evidence, solution.accuracy)
        self._disabled, self._sustained = solution.tables.disabled, solution.tables.sustained
        self._error = solution.accuracy.error
        self._risks: dict[int, list[int]] = {}
        self._given: list[Given] = []
        self._known: dict[Rows, Joint] = {}
        self._removed: dict[frozenset[int], Floats] = {}  # at most, by sets that are known

    def of(self, rows: Sequence[int]) -> Joint:
        """What exactly the diseases of these rows cause together."""
        return self.of_all([rows])[0]

    def of_all(self, sets: Sequence[Sequence[int]], plan: Plan | None = None) -> list[Joint]:
        """The same for each of several sets, with few inferences: a plan made for these sets."""
        wanted = [tuple(sorted(rows)) for rows in sets]
        members = sorted({row for rows in wanted for row in rows})
        for given, told in self.inferences(wanted) if plan is None else plan:
            found = self._infer(given, self._aim(members, told))
            self._known |= {rows: self._joint(found, rows) for rows in told}
            self._given = [*self._given[1 - KEPT :], found]
        return [self._known[rows] for rows in wanted]

    def inferences(self, sets: Sequence[Rows]) -> Plan:
        """Sets of diseases to be taken for certain, each with the sets that it tells of."""
        left = list[Rows]()
        for rows in sets:
            kept = next((one for one in self._given if self._tells(one.rows, rows)), None)
            if rows not in self._known and kept is not None:
                self._known[rows] = self._joint(kept, rows)
            elif rows not in self._known:
                left.append(rows)
        plan = Plan()
        while left:
            ways = {
                tuple(row for row in rows if row != without)
                for rows in left
                for without in (None, *rows)
            }
            tells = {given: [rows for rows in left if self._tells(given, rows)] for given in ways}
            best = max(
                tells, key=lambda one: (len(tells[one]), -self._entangled(one), len(one), one)
            )
            plan.append((best, tells[best]))
            left = [rows for rows in left if rows not in tells[best]]
        return plan

    def _entangled(self, given: Rows) -> int:
        """How many risk factors act on several of the given, where that makes loops.

        Whoever is certain asks for its causes: what two of them ask of the same is hard to settle.
        """
        heard = Counter(risk for row in given for risk in self._risks_of(row))
        shared = sum(count > 1 for count in heard.values())
        return shared if shared > 1 else 0

    def _risks_of(self, row: int) -> list[int]:
        """The risk factors that act on the disease of a row."""
        if row not in self._risks:
            self._risks[row] = self.problem.edge_risk[self.problem.edge_row == row].tolist()
        return self._risks[row]

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

    def _aim(self, members: Sequence[int], told: Sequence[Rows]) -> float:
        """The tolerance worth asking for: little of what the members remove is told of here."""
        removed = max(float(self._disabled[members].sum()), FLOOR)
        allowed = max(self.limits.tolerance * removed, alone_errors(self.solution, members).sum())
        several = np.maximum(self._sustained - self._disabled, 0.0)
        together = sum(float(several[list(rows)].min(axis=0).sum()) for rows in told)
        return max(self.limits.tolerance, min(ROUGH, allowed / max(together, FLOOR)))

    def _infer(self, given: Rows, tolerance: float) -> Given:
        """The inference with these diseases for certain."""
        among, deadline = having(self.problem, given), self.deadline.share(FURTHER)
        found = None
        if self.solution.engine == "mixture" and not among.settled:
            finer = max(self.limits.tolerance, FINER * tolerance)
            found = mixed(among, replace(self.limits, tolerance=finer), deadline)
        if found is None:
            found = solve(among, replace(self.limits, tolerance=tolerance), deadline)
        if found.engine == "sampling" and deadline.end is not None:
            raise _unknown()  # explanations tell more in what time is left
        log_share = found.tables.log_evidence + among.log_scale - self._log_evidence
        relative = _stated(found.accuracy.log_evidence, found.accuracy) + self._log_error
        if not np.isfinite(relative):
            raise _unknown()
        return Given(given, among, found, min(1.0, float(np.exp(log_share))), relative)

    def _joint(self, given: Given, rows: Rows) -> Joint:
        """What exactly these diseases cause, by an inference that tells of them."""
        if given.share == 0.0:
            return Joint(np.zeros(len(self.problem.leak)), 0.0, None)
        if rows == given.rows:
            chance, error = self._themselves(given)
        else:
            (beside,) = set(rows) - set(given.rows)
            (row,) = np.flatnonzero(given.problem.rows == self.problem.rows[beside])
            odds = given.share * self._odds(given.rows, rows)
            chance = odds * np.clip(given.solution.tables.disabled[row], 0.0, 1.0)
            error = float(odds.max() * alone_errors(given.solution, [int(row)]).sum())
        error += float(chance.sum()) * given.error
        return Joint(chance, error, given.solution.accuracy)

    def _themselves(self, given: Given) -> tuple[Floats, float]:
        """[present] what the diseases that are certain cause and no other, and its error."""
        leak, how = given.problem.leak, given.solution.accuracy
        exactly = self.problem.leak_fails * np.prod(self.problem.acts[list(given.rows)], axis=0)
        weight = np.divide(exactly, leak, out=np.zeros_like(exactly), where=exactly > 0.0)
        weight *= given.share
        unexplained = np.clip(given.solution.tables.unexplained, 0.0, 1.0)
        return weight * unexplained, float(weight.sum()) * _stated(how.unexplained, how)

    def learn(self, rows: Sequence[int], removed: Floats, error: float) -> None:
        """What curing these removes, found elsewhere; of two, it says what they cause together."""
        self._removed[frozenset(rows)] = removed + error
        if len(rows) == PAIR:
            alone = self._disabled[list(rows)].sum(axis=0)
            bound = error + self._error * np.maximum(alone, FLOOR)
            joint = Joint(np.maximum(removed - alone, 0.0), float(bound.sum()), None)
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


def alone_errors(solution: Solution, rows: Sequence[int] | Ints) -> Floats:
    """[row] the stated error of how many findings each disease alone causes, absolute."""
    how, disabled = solution.accuracy, solution.tables.disabled[rows].sum(axis=1)
    bounds = how.error * np.maximum(disabled, FLOOR)
    if how.stated_errors is not None and not how.exact:
        bounds = np.minimum(bounds, how.stated_errors[rows, 1])
    return bounds


def _unknown() -> TooHard:
    """Why there is no answer by inference: others may have one."""
    what = "has an error that inference cannot state"
    return TooHard([error("the cure of several diseases", what, "cure fewer at a time")])


def _stated(own: float | None, accuracy: Accuracy) -> float:
    """The error that is stated of one quantity, or else of all."""
    return accuracy.error if own is None else own
