"""Every engine, compiled and as its NumPy twin, is held to enumeration on random networks."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.enumeration import enumerate_worlds
from hickam.inference.infer import ENGINES
from hickam.inference.kernels import compiled
from hickam.inference.preview import preview
from hickam.inference.reduce import reduce
from hickam.issues import TooHard
from strategies import networks_with_cases

KERNELS = ["compiled", "numpy"]
EXACT = ["cover", "lattice", "conditioning", "auto"]


@pytest.fixture(params=KERNELS)
def kernels(request, monkeypatch):
    """Run with the compiled kernels and with their NumPy twins."""
    if request.param == "numpy":
        monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    elif compiled() is None:
        pytest.skip("installed without compiled kernels")
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
    return ENGINES[engine](network, evidence, Limits(**limits))


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


def test_a_preview_is_what_asking_would_give(kernels):
    @settings(max_examples=25, deadline=None)
    @given(networks_with_cases())
    def asking(drawn):
        network, case = drawn
        evidence = locate(case, network)
        seen = preview(network, evidence)
        now = enumerate_worlds(network, evidence)
        for at, finding in enumerate(seen.findings):
            chances = {}
            for name, after in (("present", seen.if_present), ("absent", seen.if_absent)):
                known = np.append(getattr(evidence, name), finding)
                asked = type(evidence)(
                    **{
                        field: known if field == name else getattr(evidence, field)
                        for field in evidence.__slots__
                    }
                )
                try:
                    truth = enumerate_worlds(network, asked)
                except ValueError:  # this answer is impossible
                    chances[name] = 0.0
                    continue
                chances[name] = np.exp(truth.log_evidence - now.log_evidence)
                found = np.stack(
                    [after.posterior[at], after.disablement[at], after.sufficiency[at]], axis=1
                )
                gap = np.abs(found - scores(truth)) / np.maximum(scores(truth), FLOOR)
                assert gap.max(initial=0.0) <= max(1e-7, seen.accuracy.error / chances[name])
            assert seen.chance[at] == pytest.approx(chances["present"], abs=1e-7)

    asking()


def test_a_law_of_total_probability_links_preview_and_now(kernels):
    @settings(max_examples=25, deadline=None)
    @given(networks_with_cases())
    def total(drawn):
        network, case = drawn
        seen = preview(network, locate(case, network))
        chance = seen.chance[:, None]
        mean = chance * seen.if_present.posterior + (1 - chance) * seen.if_absent.posterior
        np.testing.assert_allclose(mean, np.broadcast_to(seen.now.posterior, mean.shape), atol=1e-6)

    total()
