from dataclasses import replace

import numpy as np
import pytest

from conditioned import condition_on_risks
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.coupled.bethe import bethe, bethe_numpy
from hickam.inference.problem import Problem, Tables
from hickam.inference.reduce import reduce
from hickam.model.random import Recipe, random_network


def problem_of(seed: int, recipe: Recipe) -> Problem:
    rng = np.random.default_rng(seed)
    network = random_network(rng, recipe)
    order = [network.findings[i] for i in rng.permutation(recipe.findings)]
    likelihoods = {network.diseases[0]: 3.0, network.diseases[1]: 0.2}
    case = Case(present=order[:3], absent=order[3:4], likelihoods=likelihoods)
    problem = reduce(network, locate(case, network))
    assert not problem.settled
    return problem


def certain(problem: Problem) -> Problem:
    """The problem with a link, a leak and a coupling that never fail."""
    acts, fails = problem.acts.copy(), problem.fails.copy()
    acts[0, :2], fails[0, :2] = 1.0, 0.0
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    leak[0], leak_fails[0] = 1.0, 0.0
    edge_acts, edge_fails = problem.edge_acts.copy(), problem.edge_fails.copy()
    edge_acts[0], edge_fails[0] = 1.0, 0.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        edge_acts=edge_acts,
        edge_fails=edge_fails,
    )


def assert_agree(one: Tables, other: Tables, relative: float, absolute: float) -> None:
    for name in ("log_evidence", "posterior", "disabled", "sustained", "unexplained"):
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=relative, atol=absolute, err_msg=name
        )


@pytest.mark.parametrize("seed", range(4))
def test_message_passing_is_exact_without_loops(seed):
    problem = problem_of(seed, Recipe(risk_factors=3, causes=(1, 1)))
    outcome = bethe(problem)
    assert_agree(outcome.tables, condition_on_risks(problem), 1e-9, 1e-12)
    assert outcome.doubts.score == 0.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("change", [lambda problem: problem, certain], ids=["as drawn", "certain"])
def test_message_passing_with_loop_corrections_is_close(seed, change):
    problem = change(problem_of(seed, Recipe(causes=(2, 3))))
    outcome = bethe(problem)
    assert_agree(outcome.tables, condition_on_risks(problem), 1e-2, 1e-3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("goal", [1e-6, 1e-30], ids=["float64", "double-double"])
@pytest.mark.parametrize("change", [lambda problem: problem, certain], ids=["as drawn", "certain"])
def test_the_compiled_message_passing_agrees_with_its_twin(seed, goal, change):
    problem = change(problem_of(seed, Recipe(causes=(2, 3), coupling=(0.05, 0.9))))
    kernel, twin = bethe(problem, goal), bethe_numpy(problem)
    assert_agree(kernel.tables, twin.tables, 1e-8, 1e-11)
    np.testing.assert_allclose(kernel.condition, twin.condition, rtol=0.05)
    np.testing.assert_allclose(kernel.doubts, twin.doubts, rtol=1e-5, atol=1e-12)
