"""Finer and finer expansions, what two of them tell, and draws that must not contradict."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import hickam
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.climb import Climbed, climb, leading_error
from hickam.inference.coupled.elimination import by_elimination
from hickam.inference.coupled.mixed import mixed
from hickam.inference.coupled.mixture import Expansion, Mixture, mix, price
from hickam.inference.coupled.weighed import weighed
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from truth_structures import instances

pytestmark = pytest.mark.skipif(compiled() is None, reason="needs compiled kernels")

MEMORY = float(Limits().memory)


def patient(disease: str, count: int, **known: object) -> Problem:
    """A patient of the clinic with the first findings of a disease and no known risk factor."""
    network = hickam.load("clinic")
    links = network.effects.of_cause(network.index[disease])
    present = [network.findings[s] for s in network.effects.effect[links][:count]]
    return reduce(network, locate(hickam.Case(present, **known), network))


def thin(problem: Problem) -> Mixture:
    """A mixture that keeps few couplings."""
    mixture = mix(problem, 1e6, Limits(), NEVER)
    assert mixture is not None
    assert not mixture.exact
    return mixture


@pytest.mark.parametrize("disease", ["pyelonephritis", "pneumonia", "gastroenteritis", "measles"])
def test_the_error_is_in_proportion_to_what_is_carried(disease):
    problem = patient(disease, 6)
    truth = by_elimination(problem, Limits(), NEVER).tables
    mixture = thin(problem)
    for level, most in ((1e-2, 20.0), (1e-3, 6.0), (1e-4, 6.0), (1e-5, 6.0)):
        found = mixture.expand(1e9, level, level, MEMORY)
        assert found is not None
        assert true_error(found.tables, truth) < most * level
        assert found.tables.log_evidence == pytest.approx(truth.log_evidence, abs=level)


def test_stated_errors_hold_and_are_not_all_exact():
    kinds = []
    for problem in islice(random_problems(21, 14), 50):
        truth = by_frontier(problem, Limits(), NEVER).tables
        for tolerance in (1e-2, 1e-4):
            solution = mixed(problem, Limits(tolerance), NEVER, 100.0 * price(problem, 1.0))
            if solution is None:
                continue
            kinds.append(solution.accuracy.kind)
            assert true_error(solution.tables, truth) <= solution.accuracy.error
            log_error = abs(solution.tables.log_evidence - truth.log_evidence)
            assert log_error <= (solution.accuracy.log_evidence or solution.accuracy.error) + 1e-9
    assert kinds.count("estimated") >= 10
    assert kinds.count("exact") >= 10


@pytest.mark.parametrize(
    ("structure", "seed", "number"),
    [
        # All sets were there at every row, but some were left out before the next asked for them.
        ("dense", 949494, 138),
        # Draws that met one explanation again and again said nothing of the others.
        ("many_findings", 4712, 556),
        ("bipartite", 4712, 489),
        # Expansions that hardly carried more than the one before could not be compared.
        ("clinic_many", 4711, 1688),
    ],
)
def test_what_little_effort_leaves_out_is_stated(structure, seed, number):
    _, (network, case) = next(instances(structure, seed, number))
    problem = reduce(network, locate(case, network))
    solution = mixed(problem, Limits(), NEVER, 20.0 * price(problem, 1.0))
    assert solution is not None
    truth = by_frontier(problem, Limits(), NEVER).tables
    assert true_error(solution.tables, truth) <= solution.accuracy.error


def test_one_expansion_alone_says_nothing_of_its_error():
    mixture = thin(patient("pneumonia", 8))
    only = mixture.expand(1e9, 0.02, 0.02, MEMORY)
    assert only is not None
    assert Climbed(only, None, only.operations).leading_bound() == np.inf
    same = Climbed(only, only, only.operations)
    assert same.leading_bound() == np.inf  # no more sets: their difference is nothing


def test_it_climbs_until_the_leading_scores_are_known_to_the_tolerance():
    mixture = thin(patient("pneumonia", 8))
    coarse = climb(mixture, 1e9, Limits(tolerance=1e-2))
    fine = climb(mixture, 1e9, Limits(tolerance=1e-4))
    assert coarse is not None
    assert fine is not None
    assert fine.leading_bound() <= 1e-4 < coarse.leading_bound() <= 1e-2
    assert fine.expansion.least < coarse.expansion.least
    hurried = climb(mixture, 1.5 * coarse.operations, Limits(tolerance=1e-4))
    assert hurried is not None
    assert hurried.operations <= 1.5 * coarse.operations


def raised(expansion: Expansion) -> Expansion:
    """An expansion that believes more in every disease."""
    tables = expansion.tables
    more = replace(tables, posterior=1.2 * tables.posterior, disabled=1.2 * tables.disabled)
    return replace(expansion, tables=more)


def test_draws_confirm_an_expansion_or_contradict_it():
    problem = patient("pneumonia", 8)
    mixture = thin(problem)
    climbed = climb(mixture, 1e9, Limits())
    assert climbed is not None
    near = climbed.expansion.tables
    drawn = weighed(problem, mixture.mean, near, mixture.drawing(3).draw(500), mixture.kept)
    solution = climbed.confirmed(drawn)
    assert solution is not None
    assert solution.tables is near
    assert leading_error(solution) > climbed.leading_bound()  # with what the draws add
    assert climbed.before is not None
    fine, coarse = (raised(one) for one in (climbed.expansion, climbed.before))
    assert Climbed(fine, coarse, climbed.operations).confirmed(drawn) is None
