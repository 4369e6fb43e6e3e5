"""The preview of all answers in one compiled run agrees with one inference per answer."""

import numpy as np
import pytest

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.kernels import compiled
from hickam.inference.preview import _all_at_once, _one_by_one
from hickam.model.random import Recipe, random_network

pytestmark = pytest.mark.skipif(compiled() is None, reason="no compiled kernels")


def worst(one, other):
    gaps = []
    for name in ("posterior", "disablement", "sufficiency"):
        x, y = getattr(one, name), getattr(other, name)
        gaps.append(np.max(np.abs(x - y) / np.maximum(np.abs(y), FLOOR), initial=0.0))
    return max(gaps)


def both_previews(seed, recipe, present, risks):
    network = random_network(np.random.default_rng(seed), recipe)
    known = {f"r{j}": j % 2 == 0 for j in range(recipe.risk_factors)} if risks else {}
    case = Case(
        present=network.findings[:present],
        absent=network.findings[present : present + 2],
        risks=known,
        likelihoods={"d0": 3.0, "d1": 0.1},
    )
    evidence = locate(case, network)
    findings = np.arange(present + 2, recipe.findings)
    run = (network, evidence, findings, Limits())
    return _all_at_once(*run), _one_by_one(*run)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("present", [0, 1, 4])
def test_with_settled_risk_factors_it_is_exact(seed, present):
    recipe = Recipe(diseases=14, findings=12)
    quick, slow = both_previews(seed, recipe, present, risks=True)
    assert quick.accuracy.exact
    np.testing.assert_allclose(quick.chance, slow.chance, rtol=1e-5)
    for name in ("now", "if_present", "if_absent"):
        assert worst(getattr(quick, name), getattr(slow, name)) < 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("present", [0, 1, 4])
@pytest.mark.parametrize("coupling", [(0.001, 0.1), (0.1, 0.9)])
def test_with_unobserved_risk_factors_it_errs_within_its_stated_error(seed, present, coupling):
    recipe = Recipe(diseases=20, findings=16, causes=(1, 3), coupling=coupling)
    quick, slow = both_previews(seed, recipe, present, risks=False)
    assert quick.accuracy.kind == "estimated"
    for name in ("now", "if_present", "if_absent"):
        assert worst(getattr(quick, name), getattr(slow, name)) <= quick.accuracy.error


def test_a_finding_that_cannot_be_absent_leaves_the_posterior_as_it_is():
    recipe = Recipe(diseases=6, findings=6, finding_leak=(0.999999999999999, 1.0 - 1e-16))
    quick, _ = both_previews(0, recipe, 1, risks=False)
    np.testing.assert_allclose(quick.chance, 1.0, atol=1e-9)
    np.testing.assert_allclose(
        quick.if_present.posterior, np.repeat(quick.now.posterior, 3, axis=0), rtol=1e-3
    )
