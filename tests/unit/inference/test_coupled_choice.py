from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from coupled_instances import random_problems, true_error
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.coupled.choice import coupled, possible
from hickam.inference.coupled.conditioning import condition_on_risks
from hickam.inference.coupled.elimination import eliminate
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.model.random import Recipe, random_network


def wide_problem(coupling: tuple[float, float], seed: int = 5) -> Problem:
    """Forty risk factors over 120 diseases: too entangled to be eliminated."""
    rng = np.random.default_rng(seed)
    recipe = Recipe(
        risk_factors=40, diseases=120, findings=60, causes=(2, 4), effects=(2, 5), coupling=coupling
    )
    network = random_network(rng, recipe)
    return reduce(network, locate(Case(present=network.findings[:4]), network))


def test_a_small_problem_is_solved_exactly():
    problem = next(random_problems(0, most_risks=5))
    tables, engine, accuracy = coupled(problem, Limits())
    assert engine == "elimination"
    assert accuracy.exact
    assert true_error(tables, condition_on_risks(problem)) < 1e-9


def test_weak_wide_coupling_is_passed_as_messages():
    _, engine, accuracy = coupled(wide_problem((0.01, 0.1)), Limits())
    assert engine == "bethe"
    assert accuracy.error < 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_strong_wide_coupling_meets_the_tolerance_or_says_that_it_does_not(seed):
    _, _, accuracy = coupled(wide_problem((0.3, 0.95), seed), Limits(tolerance=1e-3))
    assert accuracy.error <= 1e-3 or "not reached" in accuracy.notes[-1]


def test_a_tolerance_out_of_reach_is_admitted():
    limits = Limits(tolerance=1e-9, memory=1_000_000)
    _, _, accuracy = coupled(wide_problem((0.3, 0.95)), limits)
    assert accuracy.error > 1e-9
    assert "not reached" in accuracy.notes[-1]


def test_a_tighter_tolerance_buys_an_exact_answer():
    problem = next(
        problem
        for problem in random_problems(7)
        if coupled(problem, Limits())[1] == "bethe" and eliminate(problem, 2.0**12) is not None
    )
    assert coupled(problem, Limits(tolerance=1e-9))[2].exact


def test_settling_risk_factors_improves_a_poor_answer():
    problem = wide_problem((0.3, 0.95))
    rough = coupled(problem, Limits(tolerance=1e-1))
    fine = coupled(problem, Limits(tolerance=rough[2].error / 2))
    assert fine[2].error < rough[2].error
    assert "settled in every way" in fine[2].notes[0]


def test_impossible_evidence_comes_back_as_such():
    problem = next(random_problems(1))
    nothing = np.zeros_like(problem.acts)
    bare = replace(problem, acts=nothing, fails=1.0 - nothing, leak=np.zeros_like(problem.leak))
    assert not possible(bare)
    assert coupled(bare, Limits())[0].log_evidence == -np.inf


def test_no_present_finding_at_all_works():
    for problem in islice(random_problems(2, most_risks=8), 5):
        none = replace(
            problem,
            acts=problem.acts[:, :0],
            fails=problem.fails[:, :0],
            leak=problem.leak[:0],
            leak_fails=problem.leak_fails[:0],
        )
        tables, _, accuracy = coupled(none, Limits())
        truth = condition_on_risks(none)
        assert np.max(np.abs(tables.posterior - truth.posterior)) <= max(accuracy.error, 1e-9)


def test_the_same_question_gets_the_same_answer():
    problem = wide_problem((0.1, 0.5))
    one, other = (coupled(problem, Limits())[0] for _ in range(2))
    assert one.log_evidence == other.log_evidence
    np.testing.assert_array_equal(one.posterior, other.posterior)
