"""The error that an answer states holds, over thousands of random instances."""

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

import hickam
from conditioned import condition_on_risks
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.checked import by_messages
from hickam.inference.coupled.choice import coupled
from hickam.inference.coupled.difference import by_score
from hickam.inference.coupled.mixed import drawn
from hickam.inference.coupled.mixture import price
from hickam.inference.coupled.thinned import thinned
from hickam.inference.coupled.vouched import vouched
from hickam.inference.frontier.visit import exactly
from hickam.inference.problem import Problem, Solution
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import sampled
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from truth_structures import instances

SECONDS = 0.02  # of the exact answers to compare with


def shares(seed: int, count: int, answer: Callable[[Problem], Solution | None]) -> list[float]:
    """True over stated error of so many approximate answers."""
    found: list[float] = []
    for problem in random_problems(seed):
        truth = exactly(problem, SECONDS, Limits(), NEVER)
        solution = None if truth is None else answer(problem)
        if truth is None or solution is None or solution.accuracy.exact:
            continue
        true = true_error(solution.tables, truth.tables)
        found.append(true / solution.accuracy.error)
        if len(found) == count:
            break
    return found


def messages(problem: Problem) -> Solution:
    return by_messages(problem, Limits(), NEVER)


def mixture(problem: Problem) -> Solution | None:
    return drawn(problem, Limits(), NEVER, 4.0 * price(problem, 1.0))


def cut(problem: Problem) -> Solution | None:
    return thinned(problem, Limits(), NEVER, 3e-5)


@pytest.mark.parametrize("answer", [messages, mixture, cut])
def test_an_approximate_answer_errs_within_its_stated_error(answer):
    found = shares(1, 200, answer)
    assert np.mean(np.array(found) <= 1.0) >= 0.985
    assert max(found) < 10.0


@pytest.mark.parametrize(("structure", "number"), [("strong_and_weak", 16), ("clinic", 203)])
def test_couplings_left_out_of_a_check_may_matter_more_than_those_in_it(structure, number):
    _, (network, case) = next(instances(structure, 70717, number))
    problem = reduce(network, locate(case, network))
    solution, truth = messages(problem), exactly(problem, 1.0, Limits(), NEVER)
    assert truth is not None
    assert not solution.accuracy.exact
    assert true_error(solution.tables, truth.tables) <= solution.accuracy.error


def unmeasured(problem: Problem) -> Solution | None:
    outcome = bethe(problem, 1e-7)
    return None if outcome is None else vouched(problem, outcome, Limits())


def test_what_loop_corrections_leave_out_tells_the_error():
    found = shares(5, 250, unmeasured)
    assert len(found) == 250
    assert np.mean(np.array(found) <= 1.0) >= 0.99
    assert max(found) < 10.0
    assert np.mean(np.array(found) > 1e-5) > 0.3  # and is no mere upper bound


@pytest.mark.slow
@pytest.mark.parametrize("answer", [messages, mixture])
def test_an_approximate_answer_errs_within_its_stated_error_in_many_more_instances(answer):
    found = shares(2, 800 if answer is messages else 160, answer)
    assert np.mean(np.array(found) <= 1.0) >= 0.99
    assert max(found) < 10.0


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-5])
def test_whatever_engine_answers_errs_within_its_stated_error(tolerance):
    held = []
    for problem in islice(random_problems(seed=3), 150):
        truth = exactly(problem, SECONDS, Limits(), NEVER)
        if truth is not None:
            tables, _, accuracy = coupled(problem, Limits(tolerance=tolerance))
            doubt = truth.accuracy.error  # the truth is rounded too
            held.append(true_error(tables, truth.tables) <= accuracy.error + doubt)
            assert accuracy.error <= tolerance or accuracy.notes
    assert np.mean(held) >= 0.995


def test_the_frontier_errs_within_its_rounding_bound():
    for problem in islice(random_problems(seed=4, most_risks=6), 60):
        solution = exactly(problem, SECONDS, Limits(), NEVER)
        if solution is not None:
            truth = condition_on_risks(problem)
            assert true_error(solution.tables, truth) <= solution.accuracy.error


def sampling(problem: Problem) -> Solution:
    tables, accuracy = sampled(problem, Limits(), steps=2000)
    return Solution(tables, "sampling", accuracy)


@pytest.mark.parametrize("answer", [mixture, cut, sampling])
def test_each_score_errs_within_the_error_that_is_stated_of_it(answer):
    held = []
    for problem in islice(random_problems(seed=6), 80):
        truth = exactly(problem, SECONDS, Limits(), NEVER)
        solution = None if truth is None else answer(problem)
        if truth is None or solution is None or solution.accuracy.exact:
            continue
        gap = np.abs(by_score(solution.tables) - by_score(truth.tables))
        held.append((gap <= solution.accuracy.stated_errors).all())
    assert len(held) >= 20
    assert np.mean(held) >= 0.98


@pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")
@pytest.mark.parametrize("structure", ["few_each", "rare", "settled", "near_certain"])
def test_what_no_sample_met_is_part_of_each_stated_error(structure):
    each, worst = [], []
    for _, (network, case) in islice(instances(structure, 6), 120):
        evidence = locate(case, network)
        problem = reduce(adapted(network, evidence.circumstances), evidence)
        truth = exactly(problem, SECONDS, Limits(), NEVER)
        if truth is None or len(problem.rows) == 0:
            continue
        tables, accuracy = sampled(problem, Limits(), steps=5000)
        gap = np.abs(by_score(tables) - by_score(truth.tables))
        each.append((gap <= accuracy.stated_errors + 1e-12).all())
        worst.append(true_error(tables, truth.tables) <= accuracy.error)
    assert len(each) >= 50
    assert np.mean(each) >= 0.98
    assert np.mean(worst) >= 0.99


@pytest.mark.parametrize("dial", [1.0, 0.3])
@pytest.mark.parametrize("engine", ["auto", "mixture", "thinned", "sampling"])
def test_infer_and_diagnose_state_one_accuracy(engine, dial):
    network = hickam.load("clinic")
    case = hickam.Case(["cough", "headache", "fatigue"])
    options = {"engine": engine, "dial": dial}
    found = hickam.infer(network, case, **options).accuracy
    assert found.to_dict() == hickam.diagnose(network, case, **options).accuracy.to_dict()
    assert (found.leading is None) == (found.stated_errors is None)
    assert found.leading is None or found.leading <= found.error


@pytest.mark.parametrize("answer", [messages, mixture, cut, sampling])
def test_log_evidence_and_unexplained_shares_err_within_what_is_stated(answer):
    held = []
    for problem in islice(random_problems(seed=5), 80):
        truth = exactly(problem, SECONDS, Limits(), NEVER)
        solution = None if truth is None else answer(problem)
        if truth is None or solution is None or solution.accuracy.exact:
            continue
        accuracy = solution.accuracy
        left = np.abs(solution.tables.unexplained - truth.tables.unexplained).max(initial=0.0)
        log = abs(solution.tables.log_evidence - truth.tables.log_evidence)
        held.append(left <= accuracy.unexplained and log <= accuracy.log_evidence)
    assert len(held) >= 20
    assert np.mean(held) >= 0.98
