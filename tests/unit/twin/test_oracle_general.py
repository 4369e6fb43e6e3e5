"""Exact answers for general models, computed elsewhere from the definitions in rational arithmetic.

The set comes from the folder named by HICKAM_ORACLE, or from the copy in tests/golden.
"""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import hickam
from models import model_of

HERE = Path(__file__).parent.parent.parent / "golden"
ROLES = {"risk": "risk factor", "disease": "disease", "symptom": "finding"}


def oracle_cases():
    folder = os.environ.get("HICKAM_ORACLE")
    path = Path(folder) / "small_networks.json" if folder else HERE / "oracle.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["kind"] == "general"]


def read(case):
    nodes = []
    for node in case["nodes"]:
        item = {"id": node["id"], "role": ROLES[node["label"]]}
        if node["gate"] == "or":
            item["leak"] = {"fails": node["leak"]}
            item["causes"] = {parent: {"fails": lam} for parent, lam in node["parents"].items()}
        else:
            item["keep"] = node["keep"]
            item["needs"] = {parent: {"waived": lam} for parent, lam in node["parents"].items()}
        nodes.append(item)
    model = model_of(nodes)
    seen = case["evidence"]
    return model, hickam.Case(
        present=[n for n, on in seen.items() if on and n in model.findings],
        absent=[n for n, on in seen.items() if not on and n in model.findings],
        risks={n: on for n, on in seen.items() if n in model.risk_factors},
    )


@pytest.mark.parametrize("engine", ["auto", "twin", "abduction"])
@pytest.mark.parametrize("case", oracle_cases(), ids=lambda case: case["id"])
def test_the_engine_gives_the_exact_answer(case, engine):
    model, evidence = read(case)
    expected = case["expected"]
    if expected["prob_evidence"]["value"] == 0.0:
        with pytest.raises(hickam.ImpossibleEvidence):
            hickam.infer(model, evidence, engine)
        return
    beliefs = hickam.infer(model, evidence, engine)
    for name, found in (
        ("posterior", beliefs.posterior),
        ("disablement", beliefs.disabled.sum(axis=1)),
    ):
        wanted = [expected[name][disease]["value"] for disease in model.diseases]
        np.testing.assert_allclose(found, wanted, atol=1e-9, err_msg=name)
    if not evidence.risks:
        chance = math.exp(beliefs.log_evidence)
        assert chance == pytest.approx(expected["prob_evidence"]["value"], rel=1e-9)


@pytest.mark.parametrize("case", oracle_cases(), ids=lambda case: case["id"])
def test_sampling_is_within_its_error_of_the_exact_answer(case):
    model, evidence = read(case)
    expected = case["expected"]
    if expected["prob_evidence"]["value"] == 0.0:
        return
    beliefs = hickam.infer(model, evidence, "sampling", seed=3)
    for name, found in (
        ("posterior", beliefs.posterior),
        ("disablement", beliefs.disabled.sum(axis=1)),
    ):
        wanted = np.array([expected[name][disease]["value"] for disease in model.diseases])
        assert np.all(np.abs(found - wanted) <= beliefs.accuracy.error * np.maximum(wanted, 1e-3))
