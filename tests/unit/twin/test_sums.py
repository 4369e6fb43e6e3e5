"""The compiled sums of products say what their NumPy twin says, and refuse what does not fit."""

import math

import numpy as np
import pytest

from hickam.kernels import compiled
from hickam.twin.factors import Factor, calibrate, plan
from hickam.twin.sums import Sums

kernels = compiled()
needs_kernels = pytest.mark.skipif(kernels is None, reason="installed without compiled kernels")


def random_product(seed, *, variables=9, factors=12, largest=4):
    """Factors over up to three variables of one to four states each, some cells impossible."""
    draw = np.random.default_rng(seed)
    sizes = {f"v{i}": int(draw.integers(1, largest + 1)) for i in range(variables)}
    found = []
    for _ in range(factors):
        count = int(draw.integers(0, 4))
        scope = tuple(str(v) for v in draw.choice(list(sizes), count, replace=False))
        table = np.asarray(draw.random([sizes[v] for v in scope]))
        if draw.random() < 0.3:
            table = table * (draw.random(table.shape) < 0.7)
        if draw.random() < 0.3:  # as a part of a larger array may be: its axes not in order
            table = np.array(table, order="F")
        found.append(Factor(scope, table))
    return found, sizes


@needs_kernels
@pytest.mark.parametrize("seed", range(60))
def test_the_kernel_sums_as_its_twin_does(seed):
    factors, sizes = random_product(seed)
    wanted = list(sizes)[::2]
    found, expected = Sums(factors, sizes).calibrate(wanted), calibrate(factors, sizes, wanted)
    assert found.log_total == pytest.approx(expected.log_total, abs=1e-12)
    assert found.beliefs.keys() == expected.beliefs.keys()
    for variable, belief in expected.beliefs.items():
        np.testing.assert_allclose(found.beliefs[variable], belief, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("which", ["numpy", ""])
def test_the_total_and_the_marginals_are_those_of_the_whole_table(which, monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", which)
    factors, sizes = random_product(2, variables=5, factors=7)
    letters = {variable: chr(97 + number) for number, variable in enumerate(sizes)}
    scopes = ["".join(letters[v] for v in factor.scope) for factor in factors]
    ones = [np.ones(size) for size in sizes.values()]
    text = ",".join([*scopes, *letters.values()]) + "->" + "".join(letters.values())
    whole = np.einsum(text, *(factor.table for factor in factors), *ones)
    found = Sums(factors, sizes).calibrate(list(sizes))
    assert whole.sum() > 0.0
    assert math.exp(found.log_total) == pytest.approx(whole.sum(), rel=1e-12)
    for axis, variable in enumerate(sizes):
        rest = tuple(other for other in range(whole.ndim) if other != axis)
        expected = whole.sum(axis=rest) / whole.sum()
        np.testing.assert_allclose(found.beliefs[variable], expected, rtol=1e-12, atol=1e-15)


@needs_kernels
@pytest.mark.parametrize("shape", [(40, 60, 3), (26, 160, 4)], ids=["one rule", "both rules"])
def test_the_kernel_predicts_the_size_that_its_twin_predicts(shape):
    variables, factors, largest = shape
    for seed in range(5):
        product, sizes = random_product(seed, variables=variables, factors=factors, largest=largest)
        expected = plan([factor.scope for factor in product], sizes)
        found = Sums(product, sizes)
        assert (found.cells, found.widest) == (expected.cells, expected.widest)


@pytest.mark.parametrize("which", ["numpy", ""])
def test_a_chain_of_very_unlikely_steps_does_not_vanish(which, monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", which)
    sizes = dict.fromkeys(range(50), 2)
    factors = [Factor((n, n + 1), np.array([[1e-30, 0.0], [3e-30, 1e-30]])) for n in range(49)]
    found = Sums(factors, sizes).calibrate([0])
    # the state falls once, at one of 49 places, or never: 49 * 3 + 2 ways
    assert found.log_total == pytest.approx(49 * math.log(1e-30) + math.log(49 * 3 + 2))
    np.testing.assert_allclose(found.beliefs[0], np.array([1, 148]) / 149)


@pytest.mark.parametrize("which", ["numpy", ""])
def test_an_impossible_product_has_no_marginals(which, monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", which)
    apart = [Factor(("a",), np.array([1.0, 0.0])), Factor(("a",), np.array([0.0, 1.0]))]
    none = [Factor((), np.zeros(()))]
    for factors in (apart, none):
        found = Sums(factors, {"a": 2}).calibrate(["a"])
        assert found.log_total == -math.inf
        assert found.beliefs == {}


@needs_kernels
@pytest.mark.parametrize(
    ("tables", "scopes", "sizes"),
    [
        ([np.ones(2)], [], [2]),
        ([np.ones(2)], [[1]], [2]),
        ([np.ones(2)], [[-1]], [2]),
        ([np.ones(2)], [[0]], [3]),
        ([np.ones(2)], [[0, 1]], [2, 2]),
        ([np.ones((2, 2))], [[0, 0]], [2]),
        ([np.ones(0)], [[0]], [0]),
    ],
)
def test_tables_that_do_not_fit_their_variables_are_refused(tables, scopes, sizes):
    with pytest.raises(ValueError, match=r"table|variable|scope"):
        kernels.sums(tables, scopes, sizes)


@needs_kernels
def test_a_marginal_of_nothing_and_a_table_that_nobody_can_hold_are_refused():
    small, _, _ = kernels.sums([np.ones(2)], [[0]], [2])
    with pytest.raises(ValueError, match="no variable 7"):
        kernels.solve_sums(small, [7])
    pairs = [[a, b] for a in range(60) for b in range(a)]
    dense, _, widest = kernels.sums([np.ones((2, 2))] * len(pairs), pairs, [2] * 60)
    assert widest == 2.0**60
    with pytest.raises(ValueError, match="could not be held"):
        kernels.solve_sums(dense, [0])
