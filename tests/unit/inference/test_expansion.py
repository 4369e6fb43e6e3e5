"""Risk factors as deviations from their means, and draws that correct what is left out."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import hickam
from conditioned import condition_on_risks
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled import mixed as mixing
from hickam.inference.coupled.mixed import mixed
from hickam.inference.coupled.mixture import OFTEN, SPARE, Expansion, Mixture, mix, price
from hickam.inference.coupled.weighed import weighed
from hickam.inference.frontier.visit import SECONDS
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.kernels import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="needs compiled kernels")

MUCH = 1e9  # operations
ROUGH = 0.1  # least product of deviations
FINEST = 1e-10


def expand(mixture: Mixture, finest: float = FINEST, operations: float = MUCH) -> Expansion | None:
    """An expansion without limits but these."""
    return mixture.expand(operations, finest, max(ROUGH, finest), Limits().memory)


def thin(problem: Problem) -> Mixture | None:
    """A mixture of few couplings; None if it happens to keep all of them."""
    mixture = mix(problem, SPARE * price(problem, 1.0) / (OFTEN * SECONDS), Limits(), NEVER)
    assert mixture is not None
    return None if mixture.exact else mixture


def expanded(
    seed: int, finest: float = FINEST, most_risks: int = 8
) -> list[tuple[Problem, Mixture, Expansion]]:
    """Expansions of random problems, where there are any."""
    found = []
    for problem in islice(random_problems(seed, most_risks), 60):
        mixture = thin(problem)
        expansion = expand(mixture, finest) if mixture else None
        if mixture is not None and expansion is not None:
            found.append((problem, mixture, expansion))
    assert len(found) > 10
    return found


def test_with_all_sets_of_risk_factors_an_expansion_is_exact():
    for problem, _, expansion in expanded(1, most_risks=6):
        truth = condition_on_risks(problem)
        assert true_error(expansion.tables, truth) < 1e-5
        assert expansion.tables.log_evidence == pytest.approx(truth.log_evidence, abs=1e-6)
        assert expansion.tables.unexplained == pytest.approx(truth.unexplained, abs=1e-6)


def test_an_expansion_that_says_to_be_exact_errs_within_its_rounding():
    exact = 0
    for problem, _, expansion in expanded(6, most_risks=6):
        if expansion.exact:
            exact += 1
            truth = condition_on_risks(problem)
            assert true_error(expansion.tables, truth) <= max(expansion.rounding, 1e-11)
    assert exact


def test_draws_meet_in_an_expansion_with_all_sets_nothing_to_correct():
    for problem, mixture, _ in expanded(1, most_risks=6):
        draws = mixture.drawing(0).draw(300)
        surplus, square = draws["all"][0][[1, 4]]
        assert abs(surplus) / draws["counts"] < 1e-5
        assert np.sqrt(square) / draws["counts"] < 1e-5
        assert draws["heaviest"] >= 0.0
        assert len(draws["rows"]) == 3 * len(problem.rows)


def test_draws_correct_an_expansion_with_few_sets_within_their_errors():
    for seed, (problem, mixture, expansion) in enumerate(expanded(2, ROUGH, most_risks=10)):
        draws = mixture.drawing(seed).draw(4000)
        tables, accuracy, *_ = weighed(problem, mixture.mean, expansion.tables, draws, mixture.kept)
        truth = condition_on_risks(problem)
        assert true_error(tables, truth) <= accuracy.error + 1e-9


def test_fewer_operations_carry_fewer_sets():
    for _, mixture, expansion in expanded(3, most_risks=20)[:10]:
        less = expand(mixture, operations=0.5 * expansion.operations)
        assert less is None or less.operations <= 0.5 * expansion.operations


def test_a_certain_leak_has_no_expansion_and_an_answer(monkeypatch):
    monkeypatch.setattr(mixing, "distant", lambda _: False)
    for problem in islice(random_problems(4, 6), 10):
        leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
        leak[:1], leak_fails[:1] = 1.0, 0.0
        certain = replace(problem, leak=leak, leak_fails=leak_fails)
        mixture = thin(certain)
        if mixture is None:
            continue
        assert expand(mixture) is None
        solution = mixed(certain, Limits(), NEVER, 4.0 * price(certain, 1.0))
        assert solution is not None
        assert true_error(solution.tables, condition_on_risks(certain)) <= solution.accuracy.error


def sixteen() -> Problem:
    """A patient of the clinic with sixteen findings and no known risk factor."""
    network = hickam.load("clinic")
    present: list[str] = []
    for name in ("pneumonia", "migraine"):
        links = network.effects.of_cause(network.index[name])
        present += [network.findings[s] for s in network.effects.effect[links][:8]]
    return reduce(network, locate(hickam.Case(list(dict.fromkeys(present))), network))


def test_an_expansion_makes_the_draws_of_many_findings_vary_far_less():
    mixture = thin(sixteen())
    assert mixture is not None
    spread = []
    for finest in (None, 2e-4):
        if finest:
            assert expand(mixture, finest) is not None
        draws = mixture.drawing(5).draw(600)
        spread.append(draws["all"][0][4] / draws["counts"])
    assert spread[1] < 0.05 * spread[0]


def test_an_expansion_whose_time_is_up_is_none():
    mixture = thin(sixteen())
    assert mixture is not None
    assert mixture.expand(MUCH, FINEST, ROUGH, 1e9, Deadline.after(0.0).seconds) is None
    assert expand(mixture, operations=10.0) is None


def test_an_expansion_is_as_fine_as_the_memory_allows():
    least = []
    for memory in (1e9, 2e7, 5e6):
        mixture = thin(sixteen())
        assert mixture is not None
        found = mixture.expand(MUCH, 1e-4, 0.3, memory)
        assert found is not None
        least.append(found.least)
    assert least[0] == 1e-4
    assert 1e-4 < least[1] < least[2] <= 0.3
    mixture = thin(sixteen())
    assert mixture is not None
    assert mixture.expand(MUCH, 1e-4, 0.3, 1e4) is None
