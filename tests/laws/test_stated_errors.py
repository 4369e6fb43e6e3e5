"""The error that an answer states holds, over thousands of random instances."""

from itertools import islice

import numpy as np
import pytest

from coupled_instances import random_problems, true_error
from hickam.beliefs.options import Limits
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.choice import coupled, stated_error
from hickam.inference.coupled.conditioning import condition_on_risks
from hickam.inference.coupled.elimination import eliminate

CELLS = 2.0**19  # of the exact answers to compare with


def share_within(pairs: list[tuple[float, float]]) -> float:
    """How often the true error (first) is within the stated one (second)."""
    return float(np.mean([true <= stated for true, stated in pairs]))


def message_passing(seed: int, count: int) -> list[tuple[float, float]]:
    pairs = []
    for problem in random_problems(seed):
        truth = eliminate(problem, CELLS / 2 ** len(problem.leak))
        if truth is None:
            continue
        outcome = bethe(problem)
        pairs.append((true_error(outcome.tables, truth.tables), stated_error(outcome)))
        if len(pairs) == count:
            return pairs
    raise AssertionError


def test_message_passing_errs_within_its_stated_error():
    pairs = message_passing(seed=1, count=200)
    assert share_within(pairs) >= 0.99
    assert np.median([stated for _, stated in pairs]) < 1e-4


@pytest.mark.slow
def test_message_passing_errs_within_its_stated_error_in_two_thousand_instances():
    assert share_within(message_passing(seed=2, count=2000)) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-5])
def test_whatever_engine_answers_errs_within_its_stated_error(tolerance):
    pairs = []
    for problem in islice(random_problems(seed=3), 250):
        truth = eliminate(problem, CELLS / 2 ** len(problem.leak))
        if truth is not None:
            tables, _, accuracy = coupled(problem, Limits(tolerance=tolerance))
            pairs.append((true_error(tables, truth.tables), accuracy.error))
            assert accuracy.error <= tolerance or accuracy.notes
    assert share_within(pairs) >= 0.99


def test_exact_elimination_errs_within_its_rounding_bound():
    pairs = []
    for problem in islice(random_problems(seed=4, most_risks=6), 60):
        outcome = eliminate(problem)
        truth = condition_on_risks(problem)
        pairs.append((true_error(outcome.tables, truth), outcome.rounding + 1e-12))
    assert share_within(pairs) == 1.0
