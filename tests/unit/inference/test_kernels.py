"""Which kernels run, and that it makes no difference to the answer."""

import importlib
import sys

import numpy as np
import pytest

import hickam
from hickam import kernels

ASKED = {
    "open risk factors": hickam.Case(present=["chest pain", "breathlessness"], absent=["fever"]),
    "settled risk factors": hickam.Case(
        present=["chest pain", "cough", "tired"],
        risks=dict.fromkeys(hickam.load("clinic").risk_factors, False),
    ),
}


def scores(case):
    """[candidate, measure] on the clinic network, in its own order."""
    differential = hickam.diagnose(hickam.load("clinic"), case, top=None)
    found = sorted(differential, key=lambda candidate: candidate.disease)
    return np.array([[one.posterior, one.disablement, one.sufficiency] for one in found])


@pytest.mark.skipif(kernels.compiled() is None, reason="installed without compiled kernels")
@pytest.mark.parametrize("case", ASKED.values(), ids=ASKED.keys())
@pytest.mark.parametrize("other", ["portable", "numpy"])
def test_all_kernels_give_the_same_answer(other, case, monkeypatch):
    fastest = scores(case)
    monkeypatch.setenv("HICKAM_KERNELS", other)
    np.testing.assert_allclose(scores(case), fastest, rtol=1e-9, atol=1e-12)


@pytest.fixture
def again(monkeypatch):
    """Imports the choice of kernels afresh, as on a machine that lacks some modules."""
    monkeypatch.delenv("HICKAM_KERNELS", raising=False)

    def load(**missing_or_there):
        for name, module in missing_or_there.items():
            monkeypatch.setitem(sys.modules, f"hickam.inference.{name}", module)
        spec = importlib.util.find_spec("hickam.kernels")
        fresh = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(fresh)
        return fresh

    return load


class Module:
    """A stand-in for a compiled module."""

    def __init__(self, has_avx2=False, reason=""):
        self.has_avx2 = has_avx2
        self.REASON = reason


def test_a_processor_with_avx2_gets_its_kernels(again):
    portable, avx2 = Module(has_avx2=True), Module(has_avx2=True)
    fresh = again(_kernels=portable, _kernels_avx2=avx2)
    assert fresh.compiled() is avx2
    assert "AVX2" in fresh.describe()


def test_a_processor_without_avx2_never_imports_its_kernels(again):
    portable, avx2 = Module(has_avx2=False), Module()
    fresh = again(_kernels=portable, _kernels_avx2=avx2)
    assert fresh.compiled() is portable
    assert "AVX2" not in fresh.describe()


def test_portable_kernels_can_be_asked_for(again, monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", "portable")
    portable = Module(has_avx2=True)
    assert again(_kernels=portable, _kernels_avx2=Module()).compiled() is portable


def test_an_install_without_kernels_says_why(again):
    why = Module(reason="there were no Python headers")
    fresh = again(_kernels=None, _kernels_avx2=None, _no_kernels=why)
    assert fresh.compiled() is None
    assert fresh.describe().endswith("when Hickam was installed there were no Python headers")
