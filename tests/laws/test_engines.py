"""Every engine, compiled and as its NumPy twin, is held to enumeration on random networks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.evidence.conflict import is_possible
from hickam.evidence.locate import locate
from hickam.inference.engines import ENGINES
from hickam.inference.enumeration import enumerate_worlds
from hickam.inference.reduce import reduce
from hickam.issues import TooHard
from hickam.kernels import compiled
from strategies import networks_with_cases

KERNELS = ["compiled", "portable", "numpy"]
EXACT = ["cover", "lattice", "frontier", "elimination", "explanations", "auto"]


@pytest.fixture(params=KERNELS)
def kernels(request, monkeypatch):
    """Run with both builds of the compiled kernels and with their NumPy twins."""
    if request.param != "numpy" and compiled() is None:
        pytest.skip("installed without compiled kernels")
    monkeypatch.setenv("HICKAM_KERNELS", request.param)
    return request.param


def scores(beliefs):
    """[disease, 3] posterior, expected disablement, expected sufficiency."""
    return np.stack(
        [beliefs.posterior, beliefs.disabled.sum(axis=1), beliefs.sustained.sum(axis=1)], axis=1
    )


def error(beliefs, truth):
    """The largest error as accuracies state it."""
    gap = np.abs(scores(beliefs) - scores(truth)) / np.maximum(scores(truth), FLOOR)
    return gap.max(initial=0.0)


def answer(engine, network, evidence, **limits):
    return ENGINES[engine].run(network, evidence, Limits(**limits))


@pytest.mark.parametrize("engine", EXACT)
def test_an_exact_engine_agrees_with_enumeration(engine, kernels):
    @settings(max_examples=60, deadline=None)
    @given(networks_with_cases(soft=True))
    def agrees(drawn):
        network, case = drawn
        evidence = locate(case, network)
        assume(engine not in ("cover", "lattice") or reduce(network, evidence).settled)
        truth = enumerate_worlds(network, evidence)
        try:
            beliefs = answer(engine, network, evidence)
        except TooHard:
            assert engine == "lattice"  # sums that cancel are refused, not returned
            return
        assert error(beliefs, truth) < 1e-9 or not beliefs.accuracy.exact
        assert error(beliefs, truth) <= max(beliefs.accuracy.error, 1e-9)
        if beliefs.accuracy.exact:
            assert beliefs.log_evidence == pytest.approx(truth.log_evidence, abs=1e-9)
            np.testing.assert_allclose(beliefs.disabled, truth.disabled, atol=1e-9)
            np.testing.assert_allclose(beliefs.sustained, truth.sustained, atol=1e-9)
            np.testing.assert_allclose(beliefs.unexplained, truth.unexplained, atol=1e-9)
            np.testing.assert_allclose(beliefs.single_fault, truth.single_fault, atol=1e-9)

    agrees()


def test_beliefs_are_ordered(kernels):
    @settings(max_examples=40, deadline=None)
    @given(networks_with_cases(soft=True))
    def ordered(drawn):
        network, case = drawn
        beliefs = answer("auto", network, locate(case, network))
        assert np.all(beliefs.disabled <= beliefs.sustained)
        assert np.all(beliefs.sustained <= beliefs.posterior[:, None])
        assert np.all((beliefs.posterior >= 0.0) & (beliefs.posterior <= 1.0))

    ordered()


def test_the_beliefs_of_now_are_the_mean_over_both_answers_to_any_question(kernels):
    @settings(max_examples=25, deadline=None)
    @given(networks_with_cases())
    def total(drawn):
        network, case = drawn
        evidence = locate(case, network)
        now = answer("auto", network, evidence)
        known = {*evidence.present.tolist(), *evidence.absent.tolist()}
        for finding in set(range(len(network.findings))) - known:
            mean, chance = np.zeros(len(network.diseases)), 0.0
            for name in ("present", "absent"):
                asked = replace(evidence, **{name: np.append(getattr(evidence, name), finding)})
                if not is_possible(network, asked):
                    continue
                after = answer("auto", network, asked)
                share = np.exp(after.log_evidence - now.log_evidence)
                mean += share * after.posterior
                chance += share
            assert chance == pytest.approx(1.0, abs=1e-6)
            np.testing.assert_allclose(mean, now.posterior, atol=1e-6)

    total()
