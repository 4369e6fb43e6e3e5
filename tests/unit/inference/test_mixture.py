"""Mixtures of settled networks, corrected by weighed explanations."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import hickam
from conditioned import condition_on_risks, only_caused_by
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.cures import WeighedExplanations
from hickam.inference.coupled.mixed import by_mixture, mixed
from hickam.inference.coupled.mixture import Mixture, mix
from hickam.inference.coupled.strongest import averaged
from hickam.inference.coupled.weighed import weighed
from hickam.inference.frontier.visit import SECONDS, exactly, price
from hickam.inference.problem import Problem
from hickam.kernels import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="needs compiled kernels")


ROUNDING = 1e-11  # where every coupling happens to be kept


def problems(seed: int, count: int, most_risks: int = 8) -> list[Problem]:
    return list(islice(random_problems(seed, most_risks), count))


def thinned(problem: Problem, share: float) -> Mixture:
    """A mixture for about such a share of what the whole takes beyond the settled network."""
    least, most = (min(price(p)[0], 0.01) for p in (settle(problem), problem))
    mixture = mix(problem, (1.5 * least + share * (most - least)) / SECONDS, Limits(), NEVER)
    assert mixture is not None
    return mixture


def settle(problem: Problem) -> Problem:
    """The problem without its couplings."""
    return averaged(problem, np.zeros(len(problem.edge_risk), dtype=np.bool_))


def corrected(problem: Problem, share: float, draws: int, seed: int = 0):
    mixture = thinned(problem, share)
    mean, draw = mixture.mean, mixture.drawing(seed).draw(draws)
    tables, accuracy, *_ = weighed(problem, mean, mean, draw, mixture.kept)
    return tables, replace(accuracy, error=accuracy.error + ROUNDING)


def test_a_mixture_that_keeps_every_coupling_is_exact():
    for problem in problems(1, 30, most_risks=5):
        mixture = mix(problem, 1e9, Limits(), NEVER)
        assert mixture is not None
        assert mixture.exact
        truth = condition_on_risks(problem)
        assert true_error(mixture.mean, truth) < 1e-9
        assert mixture.mean.log_evidence == pytest.approx(truth.log_evidence, abs=1e-10)
        assert mixture.mean.unexplained == pytest.approx(truth.unexplained, abs=1e-10)


def test_with_less_effort_fewer_couplings_are_kept():
    for problem in problems(11, 20, most_risks=20):
        little, much = thinned(problem, 0.0), thinned(problem, 0.9)
        assert little.kept <= much.kept <= len(problem.edge_risk)
        assert little.operations <= much.operations


def test_weighed_explanations_correct_averages_within_their_errors():
    for seed, problem in enumerate(problems(2, 25)):
        truth = condition_on_risks(problem)
        tables, accuracy = corrected(problem, 0.0, 4000, seed)
        assert true_error(tables, truth) <= accuracy.error
        gap = abs(tables.log_evidence - truth.log_evidence)
        assert gap < 0.2


def test_draws_take_the_bias_of_averages_away():
    better = []
    for problem in problems(3, 20):
        truth = condition_on_risks(problem)
        mixture = thinned(problem, 0.0)
        bias = abs(mixture.mean.log_evidence - truth.log_evidence)
        if bias > 0.02:
            tables, _ = corrected(problem, 0.0, 20_000)
            better.append(abs(tables.log_evidence - truth.log_evidence) < bias)
    assert len(better) > 3
    assert np.mean(better) > 0.8


def test_more_couplings_make_the_weights_vary_less():
    for problem in problems(4, 10, most_risks=20):
        spread = []
        for share in (0.0, 0.5):
            mixture = thinned(problem, share)
            draws = mixture.drawing(0).draw(4000)
            one, dx = draws["counts"], draws["all"][0][1]
            spread.append(draws["all"][0][4] / one - (dx / one) ** 2)
        assert spread[1] <= spread[0] + 1e-9


def test_certain_links_and_certain_leaks_are_no_obstacle():
    for seed, problem in enumerate(problems(5, 12, most_risks=6)):
        acts, fails = problem.edge_acts.copy(), problem.edge_fails.copy()
        acts[::2], fails[::2] = 1.0, 0.0
        leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
        leak[:1], leak_fails[:1] = 1.0, 0.0
        harder = replace(
            problem, edge_acts=acts, edge_fails=fails, leak=leak, leak_fails=leak_fails
        )
        truth = condition_on_risks(harder)
        tables, accuracy = corrected(harder, 0.1, 4000, seed)
        assert np.isfinite(tables.posterior).all()
        assert true_error(tables, truth) <= accuracy.error


def test_the_same_seed_gives_the_same_answer_and_another_seed_another():
    problem = problems(6, 1, most_risks=12)[0]
    first, again, other = (corrected(problem, 0.1, 500, seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first.disabled, again.disabled)
    assert not np.array_equal(first.disabled, other.disabled)


def test_two_seeds_agree_on_sixteen_findings_within_their_stated_errors():
    network = hickam.load("clinic")
    present: list[str] = []
    for name in ("pneumonia", "migraine"):
        links = network.effects.of_cause(network.index[name])
        present += [network.findings[s] for s in network.effects.effect[links][:8]]
    case = hickam.Case(list(dict.fromkeys(present)))
    one, two = (hickam.infer(network, case, engine="mixture", seed=seed) for seed in (1, 2))
    first, second = one.accuracy.stated_errors, two.accuracy.stated_errors
    assert first is not None
    assert second is not None
    leading = np.argsort(-one.disabled.sum(axis=1))[:10]
    gap = np.abs(one.disabled.sum(axis=1) - two.disabled.sum(axis=1))[leading]
    assert (gap <= np.hypot(first, second)[leading, 1]).all()
    assert gap[0] < 0.01 * one.disabled.sum(axis=1)[leading[0]]


def test_a_set_is_cured_as_the_evidence_ratio_says_within_six_standard_errors():
    asked = 0
    for seed, problem in enumerate(problems(10, 12, most_risks=6)):
        truth = condition_on_risks(problem)
        mixture = thinned(problem, 0.1)
        known = WeighedExplanations(problem, mixture, truth, seed)
        rows = np.argsort(-truth.sustained.sum(axis=1))[:3]
        removed, errors, _, _ = known.cure(rows.tolist())
        for column in range(len(problem.leak)):
            if (problem.acts[rows, column] > 0.0).sum() < 2:
                continue
            only = only_caused_by(problem, rows, column)
            assert only is not None
            gap = condition_on_risks(only).log_evidence + only.log_scale
            exact = np.exp(gap - truth.log_evidence - problem.log_scale)
            assert abs(removed[column] - exact) <= 6.0 * errors[column] + 1e-3
            asked += 1
    assert asked > 5


def test_draws_of_something_else_are_refused():
    kernels = compiled()
    assert kernels is not None
    with pytest.raises((TypeError, ValueError)):
        kernels.drawing(np.zeros(3), 0, False, 0.0)
    mixture = thinned(problems(7, 1)[0], 0.0)
    with pytest.raises(ValueError, match="not a drawing"):
        kernels.draw(mixture.handle, 10, 0.0, 0, 0.0, np.inf)
    drawing = mixture.drawing(0)
    with pytest.raises(ValueError, match="not a mixture"):
        kernels.drawing(drawing.handle, 0, False, 0.0)
    with pytest.raises(ValueError, match="at least one draw"):
        kernels.draw(drawing.handle, 0, 0.0, 0, 0.0, np.inf)


@pytest.mark.parametrize("expand", [False, True])
def test_draws_that_go_on_are_those_of_one_go(expand):
    for problem in problems(11, 4, most_risks=6):
        mixture = thinned(problem, 0.1)
        if expand:
            assert mixture.expand(1e8, 1e-2, 1e-2, 1e9) is not None
        at_once, in_parts = mixture.drawing(5), mixture.drawing(5)
        for count in (300, 301, 900):
            parts = in_parts.draw(count)
        whole = at_once.draw(900)
        assert parts["count"] == whole["count"] == 900
        for name in ("counts", "all", "rows", "disabled", "sustained_excess", "mixed"):
            assert parts[name] == pytest.approx(whole[name], rel=1e-12, abs=1e-300)


def test_a_deadline_that_is_over_gives_no_answer_rather_than_a_late_one():
    problem = problems(8, 1, most_risks=20)[0]
    assert mixed(problem, Limits(), Deadline.after(0.0)) is None
    with pytest.raises(hickam.TooHard, match="mixture"):
        by_mixture(problem, Limits(), Deadline.after(0.0))


def test_the_mixture_agrees_with_the_frontier_on_wide_problems():
    for problem in problems(9, 6, most_risks=30):
        truth = exactly(problem, 0.05, Limits(), NEVER)
        solution = mixed(problem, Limits(), NEVER, 0.05)
        if truth is None or solution is None:
            continue
        assert true_error(solution.tables, truth.tables) <= solution.accuracy.error
