"""The worlds that have given diseases are a smaller problem with the same answers."""

import itertools
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from conditioned import condition_on_risks
from coupled_instances import random_problems
from hickam.inference.having import _certain, having
from hickam.inference.problem import Problem


def sets_of(problem):
    """One, two and three diseases that may cause a present finding."""
    rows = np.flatnonzero((problem.acts > 0.0).any(axis=1) & problem.reached)[:3].tolist()
    for size in range(1, len(rows) + 1):
        yield from itertools.combinations(rows, size)


def single_risk(prior, on, acts, others=()):
    """One risk factor that acts on as many diseases as there are numbers in `acts`."""
    count = len(acts)
    acts, ones = np.array(acts), np.ones(count)
    return Problem(
        size=count,
        rows=np.arange(count),
        reached=~np.isin(np.arange(count), others),
        on=np.full(count, on),
        off=np.full(count, 1.0 - on),
        weight_on=ones,
        weight_off=ones,
        acts=np.full((count, 1), 0.5),
        fails=np.full((count, 1), 0.5),
        leak=np.array([0.01]),
        leak_fails=np.array([0.99]),
        risks=np.array([0]),
        risk_prior=np.array([prior]),
        edge_risk=np.zeros(count, dtype=np.int64),
        edge_row=np.arange(count),
        edge_acts=acts,
        edge_fails=1.0 - acts,
        log_scale=0.0,
        elsewhere=np.zeros(count),
    )


def test_smaller_problem_has_the_same_evidence_and_tables():
    met, smaller = 0, 0
    for problem in islice(random_problems(12, most_risks=5), 25):
        for rows in sets_of(problem):
            whole = condition_on_risks(_certain(problem, rows))
            if not np.isfinite(whole.log_evidence):
                continue
            part = having(problem, rows)
            found = condition_on_risks(part)
            evidence = found.log_evidence + part.log_scale
            assert evidence == pytest.approx(whole.log_evidence + problem.log_scale, abs=1e-9)
            at = np.flatnonzero(np.isin(problem.rows, part.rows))
            for name in ("posterior", "disabled", "sustained"):
                expected = getattr(whole, name)[at]
                np.testing.assert_allclose(getattr(found, name), expected, atol=1e-9)
            np.testing.assert_allclose(found.unexplained, whole.unexplained, atol=1e-9)
            met += 1
            smaller += len(part.edge_row) < len(problem.edge_row)
    assert met > 50
    assert smaller > met / 2


def test_who_only_listens_is_left_out():
    for problem in islice(random_problems(13, most_risks=5), 10):
        for rows in sets_of(problem):
            assert having(problem, rows).reached.all()


def test_disease_with_one_risk_factor_only_makes_it_likelier():
    problem = single_risk(0.01, 0.1, (0.8, 0.5, 0.5))
    part = having(problem, (0,))
    assert part.rows.tolist() == [1, 2]
    chance = 0.1 + 0.01 * 0.9 * 0.8
    assert part.risk_prior[0] == pytest.approx(0.01 * (0.1 + 0.9 * 0.8) / chance)
    assert part.log_scale == pytest.approx(np.log(chance))


def test_risk_factor_that_acts_on_one_disease_more_is_averaged():
    part = having(single_risk(0.01, 0.1, (0.8, 0.5)), (0,))
    assert part.settled
    belief = 0.01 * (0.1 + 0.9 * 0.8) / (0.1 + 0.01 * 0.9 * 0.8)
    assert part.off[0] == pytest.approx(0.9 * (1.0 - belief * 0.5))


def test_disease_that_cannot_be_there_is_left_for_the_engines_to_say():
    problem = replace(single_risk(0.0, 0.0, (0.8, 0.5, 0.5)), risk_prior=np.array([0.0]))
    part = having(problem, (0,))
    assert condition_on_risks(part).log_evidence == -np.inf
