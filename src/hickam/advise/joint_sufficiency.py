"""Sufficiency of several diseases together: what they would keep up with all else switched off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits, Options
from hickam.evidence.case import Case, Evidence
from hickam.evidence.stated import layered
from hickam.infer import take
from hickam.inference.engines import check_possible
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.inference.solve import solve
from hickam.issues import error, invalid
from hickam.language.vocabulary import find_all, vocabularies
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_scm
from hickam.model.network import Network
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm

if TYPE_CHECKING:
    from hickam.twin.worlds import Action

Keeps = Mapping[str, float]  # present finding → P(it would stay)


@dataclass(frozen=True, slots=True)
class JointSufficiency:
    """What a set of diseases would keep up by itself."""

    diseases: tuple[str, ...]
    keeps: Keeps
    accuracy: Accuracy

    @property
    def expected(self) -> float:
        """The expected number of present findings that would stay."""
        return math.fsum(self.keeps.values())


def joint_sufficiency(
    model: Model, case: Case, diseases: Sequence[str], **options: Unpack[Options]
) -> JointSufficiency:
    """What these diseases would keep up with every other cause off. [CD joint-sufficiency]

    Of one disease it is its expected sufficiency. Where a finding needs two diseases at once, as
    under a noisy-AND, neither suffices alone and both do together.

    >>> import hickam
    >>> network, case = hickam.load("smoker"), Case(present=["chest pain"])
    >>> both = joint_sufficiency(network, case, ["angina", "emphysema"])
    >>> alone = joint_sufficiency(network, case, ["angina"])
    >>> both.expected >= alone.expected
    True
    """
    empty = error("the set of diseases", "is empty", "name at least one disease")
    words = vocabularies(model)["disease"]
    chosen = [model.diseases[p] for p in find_all(words, diseases, [] if diseases else [empty])]
    evidence, limits = take(model, case, options)
    if evidence.dial != 1.0:
        raise invalid("option 'dial'", "is not for joint sufficiency", "leave it at 1")
    network = layered(model, evidence)
    if network is not None:
        keeps, accuracy = _in_network(network, evidence, chosen, limits)
    else:
        keeps, accuracy = _in_model(as_scm(model), evidence, chosen, limits)
    return JointSufficiency(tuple(chosen), keeps, accuracy)


def _in_network(
    network: Network, evidence: Evidence, diseases: Sequence[str], limits: Limits
) -> tuple[Keeps, Accuracy]:
    """The same by the engines for layered networks, in positive terms only.

    A finding stays if a mechanism of the set fires; the terms are "the first to fire is that of
    disease i": acts_i * P(D_i = 1, those before i do not fire, the other findings), over
    P(all findings), for a fired mechanism makes the finding present whatever else there is.
    """
    network = adapted(network, evidence.circumstances)
    check_possible(network, evidence)
    problem = reduce(network, evidence)
    whole = solve(problem, limits)
    row_of = {int(disease): row for row, disease in enumerate(problem.rows)}
    wanted = [network.index[disease] for disease in diseases]
    rows = [row_of[position] for position in wanted if position in row_of]
    worst, found = whole.accuracy, {}
    for column, position in enumerate(evidence.present):
        others = _without(problem, column)
        chance = 0.0
        for row in rows:
            acts = problem.acts[row, column]
            if acts == 0.0:
                continue
            part = solve(others, limits)
            worst = max(worst, part.accuracy, key=lambda how: how.error)
            gap = part.tables.log_evidence - whole.tables.log_evidence
            chance += acts * part.tables.posterior[row] * math.exp(min(gap, 700.0))
            weights = others.weight_on.copy()
            weights[row] *= problem.fails[row, column]
            others = replace(others, weight_on=weights)
        found[network.findings[position]] = min(1.0, float(chance))
    return found, worst


def _without(problem: Problem, column: int) -> Problem:
    """The problem without one of its present findings."""
    kept = np.arange(len(problem.leak)) != column
    return replace(
        problem,
        acts=problem.acts[:, kept],
        fails=problem.fails[:, kept],
        leak=problem.leak[kept],
        leak_fails=problem.leak_fails[kept],
        single_fault=None,
    )


def _in_model(
    model: SCM, evidence: Evidence, diseases: Sequence[str], limits: Limits
) -> tuple[Keeps, Accuracy]:
    """The same on a general model: stays with the set as it is, not with the set off as well."""
    from hickam.twin.exact import Setting, solve
    from hickam.twin.infer import EXACT
    from hickam.twin.observe import observe

    model = adapted_scm(model, evidence.circumstances)
    seen = observe(model, evidence)
    setting = Setting(model, seen.states, seen.weights, limits.memory)
    affected = frozenset().union(*(model.descendants(disease) for disease in diseases))
    reached = [finding for finding in seen.present if finding in affected]
    worlds = _worlds(model, frozenset(diseases), affected)
    solved = solve(setting, worlds, [(world, s) for world in (1, 2) for s in reached])
    if solved.log_total == -math.inf:
        raise invalid("the case", "is impossible in this model", "see hickam diagnose")
    found = dict.fromkeys(seen.present, 0.0)
    for finding in reached:
        values, chance = solved.table(finding)
        off = model.nodes[finding].off
        stays = (values[:, 1] != off) & (values[:, 2] == off)
        found[finding] = float(chance[stays].sum())
    return found, EXACT


def _worlds(model: SCM, chosen: frozenset[str], affected: frozenset[str]) -> list[Action]:
    """Every cause off but the chosen diseases, which keep their state; and those off as well."""
    from hickam.twin.worlds import Action

    do: dict[str, int] = {}
    held = set()
    for node in model:
        if node.id in chosen:
            continue
        if node.role == "disease" or (node.id not in affected and node.normal is not None):
            do[node.id] = node.off
        elif node.id not in affected:
            held.add(node.id)
    silenced = frozenset(node for node in affected - chosen if node not in do)
    off = {**do, **{disease: model.nodes[disease].off for disease in chosen}}
    return [Action(do, frozenset(held) | chosen, silenced), Action(off, frozenset(held), silenced)]
