"""Exact answers for small networks, computed elsewhere from the definitions in rational arithmetic.

The set comes from the folder named by HICKAM_ORACLE, or from the copy in tests/golden.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import hickam
from strategies import network_of

HERE = Path(__file__).parent.parent / "golden"


def oracle_cases():
    folder = os.environ.get("HICKAM_ORACLE")
    path = Path(folder) / "small_networks.json" if folder else HERE / "oracle.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["kind"] == "three-layer"]


def read(case):
    def nodes(key):
        return [
            {
                "id": node["id"],
                "leak": {"fails": node["leak"]},
                "causes": {cause: {"fails": lam} for cause, lam in node["parents"].items()},
            }
            for node in case[key]
        ]

    network = network_of(
        {
            "risk_factors": [{"id": r["id"], "prior": r["p"]} for r in case["risks"]],
            "diseases": nodes("diseases"),
            "findings": nodes("symptoms"),
        }
    )
    seen = case["evidence"]
    return network, hickam.Case(
        present=[n for n, on in seen.items() if on and n in network.findings],
        absent=[n for n, on in seen.items() if not on and n in network.findings],
        risks={n: on for n, on in seen.items() if n in network.risk_factors},
    )


@pytest.mark.parametrize("engine", ["auto", "enumeration", "frontier"])
@pytest.mark.parametrize("case", oracle_cases(), ids=lambda case: f"{case['id']}-{case['tags'][0]}")
def test_the_engine_gives_the_exact_answer(case, engine):
    network, evidence = read(case)
    expected = case["expected"]
    if expected["prob_evidence"]["value"] == 0.0:
        with pytest.raises(hickam.ImpossibleEvidence):
            hickam.infer(network, evidence, engine)
        return
    beliefs = hickam.infer(network, evidence, engine)
    chance = expected["prob_symptoms_given_risks"]["value"]
    np.testing.assert_allclose(np.exp(beliefs.log_evidence), chance, rtol=1e-9)
    ours = {
        "posterior": beliefs.posterior,
        "disablement": beliefs.disabled.sum(axis=1),
        "sufficiency": beliefs.sustained.sum(axis=1),
    }
    for name, values in ours.items():
        exact = [expected[name][disease]["value"] for disease in network.diseases]
        np.testing.assert_allclose(values, exact, rtol=1e-9, atol=1e-14, err_msg=name)
