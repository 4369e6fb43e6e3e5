"""What a mixture's draws may have missed is looked for, and enters what it states."""

from itertools import islice

import numpy as np
import pytest

from coupled_instances import true_error
from hickam.beliefs.beliefs import FLOOR, LEADING
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.difference import by_score
from hickam.inference.coupled.mixed import drawn
from hickam.inference.coupled.mixture import OFTEN, SPARE, mix, price
from hickam.inference.coupled.weighed import _lost
from hickam.inference.frontier.visit import SECONDS, frontier
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from truth_structures import instances

pytestmark = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")


def problems(structure: str, seed: int, count: int):
    """Reduced problems of a structure made to hurt, those that are coupled."""
    found = (reduce(net, locate(case, net)) for _, (net, case) in instances(structure, seed))
    return list(islice((p for p in found if not p.settled), count))


def test_explanations_near_the_likely_ones_are_never_more_than_all():
    shares = []
    for problem in problems("rare", 3, 15):
        mixture = mix(problem, SPARE * price(problem, 1.0) / (OFTEN * SECONDS), Limits(), NEVER)
        if mixture is not None and not mixture.exact:
            shares.append(mixture.drawing(1).draw(500)["looked"])
    assert max(shares) <= 1.0 + 1e-9
    assert np.median(shares) > 0.99


def test_what_no_draw_met_does_not_escape_the_statement():
    # In many of these an explanation that five hundred draws miss decides the error.
    held, leading = [], []
    for problem in problems("rare", 4, 60):
        solution = drawn(problem, Limits(), NEVER, 2.0 * price(problem, 1.0))
        if solution is not None and not solution.accuracy.exact:
            truth = frontier(problem).tables
            held.append(true_error(solution.tables, truth) <= solution.accuracy.error)
            scores, right = by_score(solution.tables), by_score(truth)
            first = np.argsort(-scores[:, 1], kind="stable")[:LEADING]
            off = np.abs(scores - right)[first] / np.maximum(right[first], FLOOR)
            leading.append(off.max() <= leading_error(solution))
    assert len(held) > 30
    assert np.mean(held) >= 0.96
    assert np.mean(leading) >= 0.96


def test_draws_that_count_next_to_nothing_say_so():
    # Draws count one on average; here all but a few sit where the mixture has hardly anything.
    assert _lost(500.0, 5.0, 0.06) > 0.95
    assert _lost(500.0, 470.0, 3000.0) == 0.0


@pytest.mark.parametrize(
    ("structure", "number"), [("rare", 185), ("near_certain", 156), ("near_certain", 739)]
)
def test_a_score_that_the_mixture_has_and_the_network_has_not(structure, number):
    # Its explanations weigh next to nothing: what is left is chance, many times the true score.
    seed = 71 if number == 739 else 70717
    _, (network, case) = next(instances(structure, seed, number))
    problem = reduce(network, locate(case, network))
    solution = drawn(problem, Limits(), NEVER, 10.0 / 3.0 * price(problem, 1.0))
    assert solution is not None
    assert true_error(solution.tables, frontier(problem).tables) <= solution.accuracy.error


@pytest.mark.parametrize("structure", ["certain", "near_certain"])
def test_diseases_that_only_listen_and_are_certain_stay_so(structure):
    for problem in problems(structure, 5, 25):
        solution = drawn(problem, Limits(), NEVER, 2.0 * price(problem, 1.0))
        if solution is not None:
            assert np.isfinite(solution.tables.posterior).all()
            assert np.isfinite(solution.accuracy.error)
