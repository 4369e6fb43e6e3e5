"""Rare risk factors with strong links and many findings: small networks on which statements failed.

Someone who had not built the engines found them; `auto` approximated what takes it a millisecond
to know, and an expansion and the few draws that confirmed it missed the same diseases.
"""

import json
from pathlib import Path

import pytest

import hickam
from coupled_instances import true_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled import mixed
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.kernels import compiled

needs_kernels = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")
GOLDEN = Path(__file__).parents[2] / "golden" / "rare_and_coupled.json"
INSTANCES = json.loads(GOLDEN.read_text())


def problem_of(name: str) -> Problem:
    network = hickam.from_dict(INSTANCES[name]["network"])
    case = hickam.Case(**INSTANCES[name]["case"])
    return reduce(network, locate(case, network))


@needs_kernels
@pytest.mark.parametrize("name", INSTANCES)
def test_many_findings_are_exact_where_few_are_open_at_once(name):
    network = hickam.from_dict(INSTANCES[name]["network"])
    case = hickam.Case(**INSTANCES[name]["case"])
    assert len(case.present) >= 15
    for options in ({}, {"deadline": 0.5}, {"tolerance": 0.1}, {"engine": "mixture"}):
        beliefs = hickam.infer(network, case, **options)
        assert beliefs.accuracy.exact
        assert beliefs.accuracy.error < 1e-7


@needs_kernels
@pytest.mark.parametrize("tolerance", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("name", INSTANCES)
def test_what_few_draws_have_met_is_stated(name, tolerance, monkeypatch):
    monkeypatch.setattr(mixed, "EXACT", 0.0)
    monkeypatch.setattr(mixed, "distant", lambda _: False)
    problem = problem_of(name)
    truth = by_frontier(problem, Limits(), NEVER).tables
    for seed in range(8):
        solution = mixed.mixed(problem, Limits(tolerance, seed=seed), NEVER)
        assert solution is not None
        assert true_error(solution.tables, truth) <= solution.accuracy.error


@needs_kernels
def test_a_mixture_that_keeps_every_coupling_is_exact_however_it_came_to_it(monkeypatch):
    monkeypatch.setattr(mixed, "EXACT", 0.0)
    problem = problem_of("rare")
    solution = mixed.mixed(problem, Limits(0.1, seed=1), NEVER)
    assert solution is not None
    assert solution.accuracy.exact
