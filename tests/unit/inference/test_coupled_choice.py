from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

import hickam
from conditioned import condition_on_risks
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.coupled import choice
from hickam.inference.coupled.checked import COVERED, FEW_COUPLINGS, _missed, check
from hickam.inference.coupled.choice import coupled, possible
from hickam.inference.coupled.strongest import connected
from hickam.inference.frontier.visit import exactly
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from hickam.model.random import Recipe, random_network

needs_kernels = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")


def wide_problem(coupling: tuple[float, float], seed: int = 5) -> Problem:
    """Forty risk factors over 120 diseases: too entangled to be solved exactly in a moment."""
    rng = np.random.default_rng(seed)
    recipe = Recipe(
        risk_factors=40, diseases=120, findings=60, causes=(2, 4), effects=(2, 5), coupling=coupling
    )
    network = random_network(rng, recipe)
    return reduce(network, locate(Case(present=network.findings[:4]), network))


def test_a_small_problem_is_solved_up_to_rounding_that_nobody_sees():
    problem = next(random_problems(0, most_risks=5))
    right = condition_on_risks(problem)
    tables, engine, accuracy = coupled(problem, Limits())
    assert engine == ("elimination" if compiled() else "frontier")
    assert true_error(tables, right) < accuracy.error < 1e-6
    tables, _, accuracy = coupled(problem, Limits(tolerance=1e-9))
    assert accuracy.exact
    assert true_error(tables, right) < 1e-10


def clinic_problem() -> Problem:
    """A patient of the clinic with five findings and nothing known about risk factors."""
    network = hickam.load("clinic")
    present = ["fever", "cough", "fatigue", "headache", "sore throat"]
    return reduce(network, locate(Case(present=present), network))


@needs_kernels
def test_weak_wide_coupling_is_passed_as_messages():
    solution = coupled(clinic_problem(), Limits())
    truth = exactly(clinic_problem(), 10.0, Limits(), NEVER)
    assert solution.engine == "bethe"
    assert true_error(solution.tables, truth.tables) <= solution.accuracy.error < 1e-4


@needs_kernels
def test_a_check_that_leaves_much_out_is_widened_before_an_exact_answer_is_thought_of(monkeypatch):
    network = hickam.load("clinic")
    present = ["rash", "target_rash", "fatigue", "malaise", "muscle_aches", "joint_pain"]
    evidence = locate(Case(present=present, sex="female", age=20.0), network)
    problem = reduce(adapted(network, evidence.circumstances), evidence)
    missed = []

    def noted(*asked):
        found = check(*asked)
        missed.append(found.missed)
        return found

    monkeypatch.setattr(choice, "vouched", lambda *_: None)
    monkeypatch.setattr(choice, "check", noted)
    solution = coupled(problem, Limits())
    truth = exactly(problem, 20.0, Limits(), NEVER)
    assert missed[0] > COVERED >= missed[-1]
    assert solution.engine == "bethe"
    assert true_error(solution.tables, truth.tables) <= solution.accuracy.error < 1e-4


@needs_kernels
def test_messages_that_do_not_end_leave_time_for_another_answer(monkeypatch):
    given = []

    def endless(problem, goal, seconds):
        del problem, goal
        given.append(seconds)
        raise TimeoutError

    monkeypatch.setattr(choice, "bethe", endless)
    solution = coupled(clinic_problem(), Limits(), Deadline.after(10.0))
    assert solution.engine != "bethe"
    assert given[0] <= choice.MESSAGES * 10.0


@pytest.mark.parametrize("seed", range(4))
def test_strong_wide_coupling_meets_the_tolerance_or_says_that_it_does_not(seed):
    _, _, accuracy = coupled(wide_problem((0.3, 0.95), seed), Limits(tolerance=1e-3))
    assert accuracy.error <= 1e-3 or "not reached" in accuracy.notes[-1]


def test_a_tolerance_out_of_reach_is_admitted():
    limits = Limits(tolerance=1e-9, memory=1_000_000)
    _, _, accuracy = coupled(wide_problem((0.3, 0.95)), limits)
    assert accuracy.error > 1e-9
    assert "not reached" in accuracy.notes[-1]


@needs_kernels
def test_a_tighter_tolerance_buys_an_exact_answer():
    assert coupled(clinic_problem(), Limits(tolerance=1e-10)).accuracy.exact


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


def test_couplings_elsewhere_do_not_hide_that_a_check_leaves_some_out():
    one, other = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 3, 4])
    assert connected(one, other).tolist() == [0, 0, 0, 0, 4, 4]
    problem = SimpleNamespace(edge_risk=one, edge_row=other)
    weights = np.array([9.0, 9.0, 9.0, 9.0, 1.0, 1.0])
    keep = np.array([True, True, True, True, False, False])
    share = 2.0 / 326.0 / FEW_COUPLINGS  # and not 2 / 326
    assert _missed(problem, weights, keep) == pytest.approx(share)
