from dataclasses import replace

import numpy as np
import pytest

from conditioned import condition_on_risks
from hickam.beliefs.beliefs import FLOOR
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.coupled.bethe import bethe, bethe_numpy
from hickam.inference.problem import Problem, Tables
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from hickam.model.network import Ints
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


def in_another_order(problem: Problem, rng: np.random.Generator) -> tuple[Problem, Ints]:
    """The same problem with rows, risk factors and findings renumbered; the old row of each."""
    rows, risks, columns = (
        rng.permutation(size) for size in (len(problem.rows), len(problem.risks), len(problem.leak))
    )
    edge_risk, edge_row = np.argsort(risks)[problem.edge_risk], np.argsort(rows)[problem.edge_row]
    edges = np.lexsort((edge_row, edge_risk))
    by_row = ("rows", "reached", "on", "off", "weight_on", "weight_off")
    changed = replace(
        problem,
        **{name: getattr(problem, name)[rows] for name in by_row},
        acts=problem.acts[np.ix_(rows, columns)],
        fails=problem.fails[np.ix_(rows, columns)],
        leak=problem.leak[columns],
        leak_fails=problem.leak_fails[columns],
        risks=problem.risks[risks],
        risk_prior=problem.risk_prior[risks],
        edge_risk=edge_risk[edges],
        edge_row=edge_row[edges],
        edge_acts=problem.edge_acts[edges],
        edge_fails=problem.edge_fails[edges],
    )
    return changed, rows


@pytest.mark.skipif(compiled() is None, reason="the twin has no double-double numbers")
@pytest.mark.parametrize("seed", range(6))
def test_rounding_in_message_passing_stays_within_what_is_stated_where_much_cancels(seed):
    rng = np.random.default_rng(seed)
    recipe = Recipe(
        risk_factors=12,
        diseases=40,
        findings=60,
        causes=(1, 4),
        effects=(2, 5),
        coupling=(0.01, 0.3),
        risk_prior=(1e-3, 1e-2),
        disease_leak=(1e-5, 1e-3),
        finding_leak=(1e-5, 1e-4),
    )
    network = random_network(rng, recipe)
    problem = reduce(network, locate(Case(present=network.findings[:7]), network))
    one = bethe(problem)
    assert one is not None
    assert one.condition > 1e9
    changed, rows = in_another_order(problem, rng)
    other = bethe(changed)
    assert other is not None
    before = one.tables.posterior[rows]
    gap = np.abs(other.tables.posterior - before) / np.maximum(before, FLOOR)
    assert gap.max() <= one.rounding + other.rounding
