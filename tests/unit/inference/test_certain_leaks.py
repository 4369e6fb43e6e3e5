"""Findings whose leak is certain: they are always there, yet a disease may cause them as well."""

import numpy as np
import pytest

import hickam
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.engines import ENGINES
from hickam.inference.enumeration import enumerate_worlds
from hickam.kernels import compiled
from strategies import network_of

ONLY_THE_LEAK_IS_IMPOSSIBLE = {
    "because the disease is certain": {"prior": 1.0, "leak": 0.25},
    "because another finding needs the disease": {"prior": 0.25, "leak": 0.0},
}


@pytest.mark.parametrize("engine", ["cover", "lattice"])
@pytest.mark.parametrize("kernels", ["compiled", "numpy"])
@pytest.mark.parametrize("why", ONLY_THE_LEAK_IS_IMPOSSIBLE)
def test_a_finding_that_a_disease_never_fails_to_cause_is_never_unexplained(
    why, kernels, engine, monkeypatch
):
    if kernels == "numpy":
        monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    elif compiled() is None:
        pytest.skip("installed without compiled kernels")
    given = ONLY_THE_LEAK_IS_IMPOSSIBLE[why]
    network = network_of(
        {
            "diseases": [{"id": "flu", "leak": given["prior"]}, {"id": "cold", "leak": 0.25}],
            "findings": [
                {"id": "tired", "leak": 1.0, "causes": {"flu": 1.0}},
                {"id": "fever", "leak": given["leak"], "causes": {"flu": 0.5}},
                {"id": "cough", "leak": 0.25, "causes": {"flu": 0.5, "cold": 0.5}},
            ],
        }
    )
    evidence = locate(hickam.Case(present=["tired", "fever", "cough"]), network)
    truth = enumerate_worlds(network, evidence)
    beliefs = ENGINES[engine].run(network, evidence, Limits())
    assert beliefs.unexplained[0] == truth.unexplained[0] == 0.0
    np.testing.assert_allclose(beliefs.unexplained, truth.unexplained, atol=1e-12)
    np.testing.assert_allclose(beliefs.disabled, truth.disabled, atol=1e-12)
    np.testing.assert_allclose(beliefs.sustained, truth.sustained, atol=1e-12)
