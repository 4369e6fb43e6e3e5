"""Of two solutions every disease is taken from the one that knows it better."""

from itertools import islice

import numpy as np
import pytest

from coupled_instances import true_error
from hickam.beliefs.beliefs import Accuracy, relative_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.mixed import mixed
from hickam.inference.coupled.mixture import price
from hickam.inference.coupled.united import united
from hickam.inference.frontier.visit import frontier
from hickam.inference.problem import Solution, Tables
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from truth_structures import instances


def solution(posterior, errors, kind="estimated", **stated):
    """A solution of as many diseases with one finding; errors are those stated of every score."""
    posterior = np.array(posterior)
    column = posterior[:, None]
    tables = Tables(-1.0, posterior, 0.5 * column, 0.8 * column, np.array([0.1]))
    scores = np.stack([posterior, 0.5 * posterior, 0.8 * posterior], axis=1)
    errors = np.array(errors)
    bounds = errors[:, None] * np.maximum(scores, 1e-3)
    accuracy = Accuracy(kind, relative_error(bounds, scores), stated_errors=bounds, **stated)
    return Solution(tables, "mixture", accuracy)


def test_each_row_is_the_one_that_states_less():
    one = solution([0.50, 0.20, 0.010], [1e-3, 0.20, 0.01])
    other = solution([0.51, 0.21, 0.011], [1e-2, 0.02, 0.50], kind="sampled")
    both = united(one, other)
    np.testing.assert_array_equal(both.tables.posterior, [0.50, 0.21, 0.010])
    np.testing.assert_array_equal(both.tables.disabled[:, 0], [0.25, 0.105, 0.005])
    assert both.accuracy.kind == "estimated"
    assert 0.02 <= both.accuracy.error < 0.022
    assert leading_error(both) == pytest.approx(0.02 / (1.0 - 0.1 * 0.02))


def test_what_is_not_of_a_disease_is_taken_from_where_it_is_better_known():
    one = solution([0.5, 0.2], [1e-3, 0.2], log_evidence=0.3, unexplained=1e-4)
    other = solution([0.5, 0.2], [1e-2, 0.1], log_evidence=0.01, unexplained=1e-3)
    other = other._replace(tables=Tables(-1.1, *_rest(other.tables)))
    both = united(one, other)
    assert both.tables.log_evidence == -1.1
    assert (both.accuracy.log_evidence, both.accuracy.unexplained) == (0.01, 1e-4)


def _rest(tables):
    return tables.posterior, tables.disabled, tables.sustained, tables.unexplained


def test_a_solution_that_knows_nothing_better_changes_nothing():
    one = solution([0.5, 0.2], [1e-3, 1e-2])
    assert united(one, solution([0.6, 0.3], [1e-2, 1e-1])) is one


@pytest.mark.skipif(compiled() is None, reason="there are only compiled mixtures")
@pytest.mark.parametrize("structure", ["clinic", "wide"])
def test_with_more_effort_less_is_stated_and_it_holds(structure):
    stated = []
    for _, (network, case) in islice(instances(structure, seed=404), 12):
        evidence = locate(case, network)
        problem = reduce(adapted(network, evidence.circumstances), evidence)
        if problem.settled:
            continue
        truth = frontier(problem, operations=1e9).tables
        found = [
            mixed(problem, Limits(), NEVER, times * price(problem, 1.0)) for times in (60.0, 2000.0)
        ]
        if truth is None or None in found or found[1].accuracy.exact:
            continue
        for one in found:
            assert true_error(one.tables, truth) <= one.accuracy.error
        stated.append([leading_error(one) for one in found])
    assert len(stated) >= 3
    little, much = np.median(np.array(stated), axis=0)
    assert much <= little
