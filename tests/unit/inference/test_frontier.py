from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from conditioned import condition_on_risks
from coupled_instances import random_problems
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.frontier.twin import frontier_numpy
from hickam.inference.frontier.visit import frontier
from hickam.inference.problem import Problem, Tables
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from hickam.model.random import Recipe, random_network
from planted import planted_problem

needs_kernels = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")
FIELDS = ("log_evidence", "posterior", "disabled", "sustained", "unexplained")


def small_problems(seed: int, count: int) -> list[Problem]:
    """Problems with few risk factors and every kind of certainty."""
    rng = np.random.default_rng(seed)
    return [harden(problem, rng) for problem in islice(random_problems(seed, 7), count)]


def harden(problem: Problem, rng: np.random.Generator) -> Problem:
    """The problem with some links, leaks and couplings that never fail, and extreme weights."""

    def sure(acts, fails, chance):
        certain = (acts > 0.0) & (rng.random(acts.shape) < chance)
        return np.where(certain, 1.0, acts), np.where(certain, 0.0, fails)

    acts, fails = sure(problem.acts, problem.fails, 0.2)
    leak, leak_fails = sure(problem.leak, problem.leak_fails, 0.15)
    edge_acts, edge_fails = sure(problem.edge_acts, problem.edge_fails, 0.2)
    unlikely = problem.reached & (rng.random(len(problem.rows)) < 0.2)
    weight_off = np.where(unlikely, 10.0 ** -rng.uniform(0, 12, len(unlikely)), problem.weight_off)
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        edge_acts=edge_acts,
        edge_fails=edge_fails,
        weight_off=weight_off,
    )


def assert_agree(one: Tables, other: Tables, absolute: float = 1e-12) -> None:
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-9, atol=absolute, err_msg=name
        )


@pytest.mark.parametrize("solve", [frontier_numpy, lambda p: frontier(p).tables])
def test_the_frontier_agrees_with_settling_every_risk_factor(solve):
    for problem in small_problems(1, 25):
        assert_agree(solve(problem), condition_on_risks(problem))


@needs_kernels
def test_the_compiled_frontier_agrees_with_its_twin():
    for problem in small_problems(2, 60):
        assert_agree(frontier(problem).tables, frontier_numpy(problem))


@needs_kernels
def test_settled_problems_with_many_findings_agree_with_cover():
    for seed in range(5):
        problem = planted_problem(seed, rows=30, present=11)
        assert_agree(frontier(problem).tables, condition_on_risks(problem), 1e-11)


@needs_kernels
def test_tables_that_are_computed_twice_agree_with_those_that_are_kept():
    # Large enough that not every forward table is stored.
    recipe = Recipe(
        risk_factors=13,
        diseases=30,
        findings=10,
        causes=(2, 4),
        effects=(3, 6),
        coupling=(0.1, 0.8),
    )
    network = random_network(np.random.default_rng(3), recipe)
    problem = reduce(network, locate(Case(present=network.findings[:9]), network))
    found = frontier(problem)
    assert found.operations > 4e7
    settled_one = replace(problem, risk_prior=np.where(np.arange(13) < 9, 0.0, problem.risk_prior))
    assert_agree(frontier(settled_one).tables, condition_on_risks(settled_one))


@needs_kernels
def test_what_does_not_fit_the_limits_says_what_it_would_take():
    problem = next(random_problems(9))
    price = frontier(problem).operations
    refused = frontier(problem, operations=0.5 * price)
    assert refused.tables is None
    assert frontier(problem, memory=1.0).tables is None


@needs_kernels
def test_the_deadline_is_watched():
    recipe = Recipe(
        risk_factors=18,
        diseases=60,
        findings=12,
        causes=(3, 4),
        effects=(3, 6),
        coupling=(0.1, 0.8),
    )
    network = random_network(np.random.default_rng(1), recipe)
    problem = reduce(network, locate(Case(present=network.findings[:9]), network))
    with pytest.raises(TimeoutError):
        frontier(problem, seconds=1e-4)


def test_impossible_evidence_comes_back_as_such():
    problem = next(random_problems(1, 6))
    nothing = np.zeros_like(problem.acts)
    bare = replace(problem, acts=nothing, fails=1.0 - nothing, leak=np.zeros_like(problem.leak))
    assert frontier(bare).tables.log_evidence == -np.inf
    assert frontier_numpy(bare).log_evidence == -np.inf
