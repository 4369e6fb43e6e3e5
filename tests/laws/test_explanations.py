"""Going through every set of diseases gives what the frontier gives."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import hickam
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.cases import easy_cases
from hickam.inference.coupled import explanations
from hickam.inference.coupled.difference import difference
from hickam.inference.coupled.explanations import by_explanations, explained, explanations_numpy
from hickam.inference.frontier.visit import frontier
from hickam.inference.reduce import reduce
from hickam.issues import TooHard
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from hickam.model.random import Recipe, random_network
from truth_structures import instances

STRUCTURES = (
    "dense",
    "ring",
    "bipartite",
    "two_by_two",
    "near_certain",
    "certain",
    "huge_ratios",
    "many_findings",
    "rare",
    "star",
    "grid",
    "sparse",
)
MOST_TWIN = 12  # diseases that the twin is asked for here


def problems(structure, seed, count=12):
    """Coupled problems that the frontier solves, with its answer."""
    for _, (network, case) in islice(instances(structure, seed=seed), count):
        evidence = locate(case, network)
        problem = reduce(adapted(network, evidence.circumstances), evidence)
        exact = frontier(problem, operations=1e8)
        if exact.tables is not None and np.isfinite(exact.tables.log_evidence):
            yield problem, exact


def assert_same(tables, exact, stated):
    assert difference(tables, exact) <= stated
    assert tables.log_evidence == pytest.approx(exact.log_evidence, abs=stated)
    np.testing.assert_allclose(tables.unexplained, exact.unexplained, atol=stated)
    np.testing.assert_allclose(tables.disabled, exact.disabled, atol=stated)
    np.testing.assert_allclose(tables.sustained, exact.sustained, atol=stated)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_is_as_near_to_the_frontier_as_it_states(structure):
    met = 0
    for problem, exact in problems(structure, seed=71):
        found, _ = explained(problem, 0.5, Limits(), NEVER)
        if found is None:
            continue
        met += 1
        assert found.accuracy.exact
        assert_same(found.tables, exact.tables, found.accuracy.error + exact.rounding)
    assert met


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_twin_says_the_same(structure):
    met = 0
    for problem, exact in problems(structure, seed=72):
        if np.count_nonzero(problem.reached) > MOST_TWIN:
            continue
        tables = explanations_numpy(problem)
        if tables is None:
            continue
        met += 1
        assert_same(tables, exact.tables, explanations.accuracy(1e-13).error + exact.rounding)
    assert met


def crowded(present=16):
    """Few diseases with many risk factors and findings: dear for every other engine."""
    recipe = Recipe(diseases=9, findings=16, risk_factors=40, causes=(20, 30), effects=(9, 16))
    network = random_network(np.random.default_rng(5), recipe)
    return network, hickam.Case(present=list(network.findings)[:present])


def test_many_findings_and_risk_factors_of_few_diseases_take_no_time(monkeypatch):
    network, case = crowded()
    found = hickam.infer(network, case)
    assert found.accuracy.exact
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    twin = hickam.infer(network, case, engine="explanations")
    np.testing.assert_allclose(found.posterior, twin.posterior, rtol=1e-10)
    np.testing.assert_allclose(found.disabled, twin.disabled, atol=1e-10)


@pytest.mark.skipif(compiled() is None, reason="a call of the compiled kernels")
def test_a_case_in_the_kernel_of_many_is_answered_by_them():
    network, case = crowded(present=6)
    (found,) = easy_cases(network, [locate(case, network)], Limits())
    assert found is not None
    assert found.engine == "explanations"
    one = hickam.infer(network, case, engine="explanations")
    np.testing.assert_allclose(found.posterior, one.posterior, rtol=1e-12)


def test_too_many_diseases_are_refused_with_their_number():
    _, (network, case) = next(islice(instances("clinic", seed=3), 1))
    evidence = locate(case, network)
    problem = reduce(adapted(network, evidence.circumstances), evidence)
    count = np.count_nonzero(problem.reached)
    with pytest.raises(TooHard, match=f"every set of {count} diseases"):
        by_explanations(problem, Limits(), NEVER)


def test_evidence_too_unlikely_for_its_sums_is_left_to_others():
    network, case = crowded()
    problem = reduce(network, locate(case, network))
    faint = replace(problem, leak=problem.leak * 1e-30, acts=problem.acts * 1e-30)
    faint = replace(faint, leak_fails=1.0 - faint.leak, fails=1.0 - faint.acts)
    assert explanations_numpy(faint) is None
    assert explained(faint, 1.0, Limits(), NEVER)[0] is None
