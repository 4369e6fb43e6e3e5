"""What an answer says about its own accuracy is true."""

import numpy as np
import pytest

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.engines import ENGINES, finish
from hickam.inference.enumeration import enumerate_worlds
from hickam.inference.problem import Solution
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import sampled
from hickam.inference.settled.cover import cover
from hickam.inference.settled.lattice import lattice
from hickam.kernels import compiled
from planted import planted_problem, small_instance

needs_kernels = pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")


def scores(tables):
    """[row, 3] posterior, expected disablement, expected sufficiency."""
    return np.stack(
        [tables.posterior, tables.disabled.sum(axis=1), tables.sustained.sum(axis=1)], axis=1
    )


def worst(tables, truth):
    """The largest error as accuracies state it."""
    gap = np.abs(scores(tables) - scores(truth)) / np.maximum(scores(truth), FLOOR)
    return gap.max(initial=0.0)


@pytest.mark.slow
@needs_kernels
def test_the_stated_error_holds_on_99_of_100_random_instances():
    held, count = 0, 1000
    for seed in range(count):
        network, case = small_instance(seed)
        evidence = locate(case, network)
        truth = enumerate_worlds(network, evidence)
        beliefs = ENGINES["auto"].run(network, evidence, Limits())
        held += worst(beliefs, truth) <= beliefs.accuracy.error + 1e-12
    assert held >= 0.99 * count


@pytest.mark.slow
@needs_kernels
def test_the_stated_sampling_error_holds_on_planted_instances():
    held, count = 0, 40
    for seed in range(count):
        problem = planted_problem(
            seed,
            rows=int(np.random.default_rng(seed).choice([100, 600, 2000])),
            present=13,
            priors=((1e-5, 1e-2), (1e-6, 1e-3))[seed % 2],
        )
        truth, _, digits = lattice(problem, 4)
        assert digits.error < 1e-9
        tables, accuracy = sampled(problem, Limits(seed=seed), steps=4_000)
        held += worst(tables, truth) <= accuracy.error
    assert held >= 0.97 * count


@pytest.mark.parametrize("kernels", ["compiled", "numpy"])
def test_unobserved_risk_factors_are_sampled_along(kernels, monkeypatch):
    if kernels == "numpy":
        monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    elif compiled() is None:
        pytest.skip("installed without compiled kernels")
    for seed in (3, 4, 7) if kernels == "numpy" else range(40):
        network, case = small_instance(seed)
        evidence = locate(case, network)
        problem = reduce(network, evidence)
        if problem.settled or len(problem.leak) == 0:
            continue
        steps = 200 if kernels == "numpy" else 10_000
        tables, accuracy = sampled(problem, Limits(seed=seed), steps=steps)
        beliefs = finish(network, evidence, problem, Solution(tables, "sampling", accuracy))
        error = worst(beliefs, enumerate_worlds(network, evidence))
        assert error <= accuracy.error
        assert error < 0.5


@pytest.mark.slow
@needs_kernels
def test_the_stated_errors_cover_the_likeliest_diseases():
    for seed in range(20):
        problem = planted_problem(seed, rows=2000, present=14)
        truth, _, _ = lattice(problem, 4)
        tables, accuracy = sampled(problem, Limits(seed=seed), steps=8_000)
        top = np.argsort(-truth.posterior)[:10]
        gap = np.abs(scores(tables) - scores(truth))[top]
        assert (gap <= accuracy.stated_errors[top]).all()


@needs_kernels
@pytest.mark.parametrize("parts", [1, 2, 4])
def test_the_lattice_states_its_rounding_error(parts):
    for seed in range(12):
        problem = planted_problem(
            seed, rows=60, findings=16, present=9, links=(2, 6), leaks=(1e-2, 0.1)
        )
        truth = cover(problem).tables
        tables, _, accuracy = lattice(problem, parts)
        assert worst(tables, truth) <= max(accuracy.error, 1e-11)
        assert accuracy.condition >= 1.0


@needs_kernels
def test_thousands_of_diseases_get_the_same_answer_from_32_and_64_digits():
    problem = planted_problem(5, rows=3000, present=15)
    double, _, accuracy = lattice(problem, 2)
    quadruple, _, _ = lattice(problem, 4)
    assert worst(double, quadruple) <= accuracy.error < 1e-9
