"""Cures of sets of diseases on a layered network: what each removes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, WIDTH, Accuracy, relative_error
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import Turned
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.coupled.cures import WeighedExplanations, weighed_explanations
from hickam.inference.engines import check_possible, finish
from hickam.inference.frontier.visit import cured
from hickam.inference.joint_causes import JointCauses, Plan, alone_errors
from hickam.inference.reduce import reduce
from hickam.inference.sampling.cures import Explanations, explanations
from hickam.inference.single_fault import few_diseases
from hickam.inference.solve import solve
from hickam.issues import TooHard
from hickam.model.adapted import adapted
from hickam.model.network import Floats, Ints, Network

EFFORT = 0.3  # seconds of a search for exact answers; it goes on with sampled explanations
MOST_JOINT = 4  # inferences for one set: two diseases take one, three take two
MOST_SETS = 11  # of diseases that may cause something together: four diseases have so many
# Predicted seconds of an exact answer by the frontier: at most; and instead of explanations.
PATIENCE, INSTEAD = 20.0, 0.05
# Of the time until a deadline, for the diagnosis; and how much longer than that took each further
# inference may take, or else explanations say more.
FIRST, AMPLE = 0.5, 3.0
# Of what is left until a deadline, for the exact answers of a search, and for drawing the
# explanations by which it goes on.
SEARCHING, DRAWING = 0.3, 0.5
KINDS = ("exact", "estimated", "sampled")


class NetworkCures:
    """A case, reduced and solved once, ready for questions. [CD expected-disablement]

    Curing one disease is its row of `disabled`. With settled risk factors the frontier visits the
    diseases of a set last, and half an inference says what they alone complete, however many they
    are. Else a set removes what each member removes, and besides the findings that several members,
    and nothing else, are causing: an inference or two (`JointCauses`). Larger sets, the many of a
    search, and those of a case that is sampled anyhow are averaged over explanations that are drawn
    once. A set that holds every cause of a finding leaves only its leak, which is known.
    """

    def __init__(self, network: Network, evidence: Evidence, limits: Limits) -> None:
        network = adapted(network, evidence.circumstances)
        check_possible(network, evidence)
        self.network = network
        self.limits = limits
        self.deadline = Deadline.after(limits.deadline)
        self.problem = reduce(network, evidence)
        before = self.deadline.left
        self.solution = solve(self.problem, limits, self.deadline.share(FIRST))
        after = self.deadline.left
        self._took = 0.0 if before is None or after is None else before - after
        self.present = tuple(network.findings[finding] for finding in evidence.present)
        self._row = {network.diseases[d]: row for row, d in enumerate(self.problem.rows.tolist())}
        self._joint = JointCauses(self.problem, self.solution, limits, self.deadline)
        able = self.solution.tables.sustained.sum(axis=1) > 0.0
        self._links = (self.problem.acts > 0.0) & able[:, None]  # [row, present]
        self._causes = self._links.sum(axis=0)
        self._search: Deadline | None = None  # how long a search may look for exact answers
        self._explained: WeighedExplanations | Explanations | None = None
        self._turned = None if evidence.dial == 1.0 else self._turn(evidence)

    def _turn(self, evidence: Evidence) -> Turned:
        """How the Occam–Hickam dial reweighs what the engines find under γ ** n."""
        beliefs = finish(self.network, evidence, self.problem, self.solution)
        expected, error = float(beliefs.posterior.sum()), beliefs.accuracy.error
        few = few_diseases(self.network, evidence)
        return Turned.of(few, beliefs.log_evidence, expected, error)

    @property
    def able(self) -> tuple[str, ...]:
        """The diseases that may be causing a present finding, the likeliest causes first."""
        produced = self.solution.tables.sustained.sum(axis=1)
        rows = np.argsort(-produced, kind="stable")
        return tuple(
            self.network.diseases[self.problem.rows[row]] for row in rows if produced[row] > 0.0
        )

    def at_most(self, chosen: Sequence[str], others: Sequence[str]) -> Floats:
        """[other] a bound on how many findings curing the chosen and one other is said to remove.

        Where sets are sampled it is what will be said of them.
        """
        if self._exact_search:
            rows = self._rows(chosen).tolist()
            return np.array([self._bound([*rows, *self._rows([other])]) for other in others])
        rows = self._rows(chosen).tolist(), self._rows(others).tolist()
        found = self._explanations.with_one_more(*rows)
        said = np.empty(len(others))
        for place, other in enumerate(others):
            every = self._holds_every_cause([*rows[0], rows[1][place]])
            removed = self._all_cured()[0] if every else found[place]
            said[place] = self._reweighed([*chosen, other], removed).sum()
        return said

    def _holds_every_cause(self, rows: Sequence[int]) -> bool:
        """Whether no finding has a cause outside these rows but its leak."""
        return bool(np.all(self._links[rows].sum(axis=0) == self._causes))

    def _bound(self, rows: Sequence[int]) -> float:
        """A bound on the expected number of findings that curing these together removes."""
        total = 1.0 if self._turned is None else self._turned.total
        return float(np.minimum(self._joint.at_most(rows) / total, 1.0).sum())

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away when these are cured together), and the accuracy.

        Diseases that the evidence does not reach add nothing.
        """
        return self._answer(diseases, self._removed(self._rows(diseases), MOST_JOINT))

    def tried(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """The same for one of many sets: exactly while that is quick, else by explanations."""
        most = MOST_JOINT if self._exact_search else 0
        return self._answer(diseases, self._removed(self._rows(diseases), most))

    @property
    def _exact_search(self) -> bool:
        """Whether the sets of a search are to be answered exactly, for now."""
        if self._search is None:
            self._search = Deadline.after(EFFORT).before(self.deadline.share(SEARCHING))
        if self._explained is not None or not self.solution.accuracy.exact:
            return False
        return not self._search.over

    def _answer(
        self, diseases: Sequence[str], answer: tuple[Floats, Accuracy]
    ) -> tuple[Mapping[str, float], Accuracy]:
        """Finding → chance, with the dial's word on worlds that have no disease."""
        found, accuracy = answer
        removed = self._reweighed(diseases, found)
        if self._turned is not None:
            bound = accuracy.error * max(float(found.sum()), FLOOR) / self._turned.total
            own = relative_error(np.array([bound]), np.array([removed.sum()]))
            turned = self._turned.accuracy(accuracy)
            accuracy = replace(turned, error=max(turned.error, own))
        return dict(zip(self.present, removed.tolist(), strict=True)), accuracy

    def _reweighed(self, diseases: Sequence[str], found: Floats) -> Floats:
        """[present] what a set removes, with the weight that the dial gives its worlds."""
        if self._turned is None:
            return found
        positions = [self.network.index[disease] for disease in diseases]
        assert self._turned.few.disabled is not None
        alone = self._turned.only[positions] @ self._turned.few.disabled[positions]
        rest = np.clip(found - alone, 0.0, self._turned.several)
        return np.clip((alone + rest) / self._turned.total, 0.0, 1.0)

    def _removed(self, rows: Ints, most: int) -> tuple[Floats, Accuracy]:
        """[present] the same without the dial, with at most so many further inferences."""
        if self._holds_every_cause(rows.tolist()):
            return self._all_cured()
        if not np.any(self._links[rows].sum(axis=0) > 1):
            return self._by_inference(rows, [])
        if most == 0 or self.solution.accuracy.kind == "sampled":
            return self._by_explanations(rows)
        found = self._by_frontier(rows, PATIENCE) if self.problem.settled else None
        return found or self._by_few_inferences(rows, most)

    def _by_few_inferences(self, rows: Ints, most: int) -> tuple[Floats, Accuracy]:
        """[present] the same by further inferences if they are few, and else as well as may be."""
        several = self._sharing(rows)
        plan = None if several is None else self._joint.inferences(several)
        if several is None or plan is None or len(plan) > most:
            return self._by_frontier(rows, INSTEAD) or self._by_explanations(rows)
        if not self._time_for(len(plan)):
            return self._by_explanations(rows)
        try:
            return self._by_inference(rows, several, plan)
        except TooHard:  # the time is up, or an error cannot be stated
            return self._by_explanations(rows)

    def _by_frontier(self, rows: Ints, seconds: float) -> tuple[Floats, Accuracy] | None:
        """[present] the same exactly, unless that is predicted to take more seconds."""
        if not self._time_for(1):
            return None
        found = cured(self.problem, rows, seconds, self.limits, self.deadline)
        if found is None:
            return None
        removed, error = found
        self._joint.learn(rows.tolist(), removed, error)
        return removed, Accuracy("exact", error)

    def _time_for(self, inferences: float) -> bool:
        """Whether so many more inferences may be over before the deadline."""
        left = self.deadline.left
        return left is None or left >= AMPLE * inferences * self._took

    def _sharing(self, rows: Ints) -> list[tuple[int, ...]] | None:
        """The sets of two rows or more that can cause one finding; None if there are many."""
        links, found = self._links, list[tuple[int, ...]]()
        meeting = sorted(rows.tolist())
        for size in range(2, len(rows) + 1):
            some = [
                one
                for one in itertools.combinations(meeting, size)
                if links[list(one)].all(axis=0).any()
            ]
            found += some
            if len(found) > MOST_SETS:
                return None
            meeting = [row for row in meeting if any(row in one for one in some)]
        return found

    def _by_inference(
        self, rows: Ints, several: Sequence[tuple[int, ...]], plan: Plan | None = None
    ) -> tuple[Floats, Accuracy]:
        """[present] what each row removes, and what several cause together besides."""
        tables, accuracy = self.solution.tables, self.solution.accuracy
        found = tables.disabled[rows].sum(axis=0)
        bound, kinds = float(alone_errors(self.solution, rows).sum()), {accuracy.kind}
        for joint in self._joint.of_all(several, plan):
            found, bound = found + joint.chance, bound + joint.error
            kinds |= set() if joint.accuracy is None else {joint.accuracy.kind}
        found = np.clip(found, 0.0, 1.0)
        error = relative_error(np.array([bound]), np.array([found.sum()]))
        if not several:
            return found, replace(accuracy, error=error if len(rows) else accuracy.error)
        return found, Accuracy(max(kinds, key=KINDS.index), error)

    def _all_cured(self) -> tuple[Floats, Accuracy]:
        """[present] what is left to the leak alone does not go away, nor what it causes as well.

        Where a disease causes the finding, the leak's own chance is as it was.
        """
        how, tables = self.solution.accuracy, self.solution.tables
        found = (1.0 - np.clip(tables.unexplained, 0.0, 1.0)) * self.problem.leak_fails
        stated = how.error if how.unexplained is None else how.unexplained
        bound = stated * float(self.problem.leak_fails.sum())
        error = relative_error(np.array([bound]), np.array([found.sum()]))
        return found, Accuracy(how.kind, error, notes=how.notes)

    def _rows(self, diseases: Sequence[str]) -> Ints:
        """The rows of the diseases that the evidence reaches."""
        rows = (self._row[disease] for disease in diseases if disease in self._row)
        return np.array(list(rows), dtype=np.int64)

    def _by_explanations(self, rows: Ints) -> tuple[Floats, Accuracy]:
        """[present] P(every active cause is in the rows), averaged over explanations."""
        found, _, standard_error, unseen = self._explanations.cure(rows.tolist())
        bound = WIDTH * standard_error + unseen
        if isinstance(self._explanations, WeighedExplanations):
            bound += float(alone_errors(self.solution, rows).sum())
        error = relative_error(np.array([bound]), np.array([found.sum()]))
        notes = ("what several diseases remove together is sampled",)
        return found, Accuracy("sampled", error, notes=notes)

    @property
    def _explanations(self) -> WeighedExplanations | Explanations:
        """Explanations of the case: weighed ones, or those that a sampler keeps."""
        if self._explained is None:
            tables, limits = self.solution.tables, self.limits
            until = self.deadline if self._search is None else self.deadline.share(DRAWING)
            weighed = weighed_explanations(self.problem, tables, limits, until)
            if weighed is None:
                left = replace(limits, deadline=until.left)
                self._explained = explanations(self.problem, left)
            else:
                self._explained = weighed
        return self._explained
