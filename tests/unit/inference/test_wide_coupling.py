"""One unobserved risk factor that reaches thousands of diseases."""

from __future__ import annotations

import numpy as np
import pytest

import hickam
from hickam.evidence.locate import locate
from hickam.inference.coupled.bethe import bethe, bethe_numpy
from hickam.inference.reduce import reduce
from hickam.model.build import build_network


def wide_network(diseases: int) -> hickam.Network:
    document = {
        "hickam": 1,
        "name": "wide",
        "risk_factors": [{"id": "r", "prior": 0.3}, {"id": "q", "prior": 0.2}],
        "diseases": [
            {"id": f"d{i}", "leak": 0.001, "causes": {"r": 0.01, "q": 0.02}}
            for i in range(diseases)
        ],
        "findings": [
            {"id": "s", "leak": 0.01, "causes": {"d0": 0.8, "d1": 0.5}},
            {"id": "t", "leak": 0.01, "causes": {"d1": 0.4, "d2": 0.9}},
            {"id": "u", "leak": 0.01, "causes": {f"d{i}": 0.1 for i in range(3, diseases)}},
        ],
    }
    network, issues = build_network(document)
    assert network is not None, issues
    return network


def test_thousands_of_coupled_diseases_do_not_underflow() -> None:
    network = wide_network(2500)
    case = hickam.Case(present=["s", "t"])
    outcome = bethe(reduce(network, locate(case, network)))
    assert outcome is not None
    assert np.isfinite(outcome.tables.log_evidence)
    reference = bethe_numpy(reduce(wide_network(20), locate(case, wide_network(20))))
    assert outcome.tables.log_evidence == pytest.approx(reference.tables.log_evidence, rel=1e-9)
