"""Small networks on which message passing once stated too little, found by someone who tried."""

import numpy as np
import pytest

import hickam
from hickam.beliefs.beliefs import FLOOR
from hickam.model.build import build_network

# Chances of risk factors; leaks and causes of diseases; leaks and causes of findings; present and
# absent findings; likelihood ratios.
RARE_AND_STRONG = (
    [0.003, 0.002],
    [(0.003, {1: 0.96, 0: 0.97}), (0.04, {0: 0.7, 1: 0.9}), (1e-4, {0: 0.4, 1: 0.9})],
    [(1e-9, {2: 0.9}), (0.0003, {2: 0.9, 1: 0.3, 0: 0.9}), (0.6, {0: 0.9, 1: 0.3})],
    [0],
    [2, 1],
    {2: 30.0, 0: 0.02},
)
NOTHING_SPECIAL = (
    [0.001, 0.006],
    [(0.0006, {0: 0.8, 1: 0.8}), (0.004, {1: 0.95, 0: 0.9}), (0.006, {1: 0.7, 0: 0.9})],
    [(0.0006, {0: 0.7}), (0.0003, {0: 0.9, 2: 0.1, 1: 0.6})],
    [0, 1],
    [],
    {},
)
A_TREE = (
    [0.02],
    [(1e-7, {0: 2e-5}), (1e-7, {0: 3e-6})],
    [(2e-7, {0: 0.7})],
    [0],
    [],
    {1: 1000.0},
)
MILD_BUT_FREQUENT = (
    [0.97, 0.05, 0.05],
    [
        (0.18, {0: 0.023, 1: 0.028, 2: 0.1}),
        (0.03, {1: 0.12, 0: 0.03, 2: 0.04}),
        (1e-7, {1: 0.1, 2: 0.3}),
    ],
    [(0.9, {2: 0.5, 0: 0.9}), (0.003, {1: 0.9}), (0.0002, {1: 0.99})],
    [0, 2],
    [1],
    {0: 900.0},
)
THREE_SHARED = (
    [0.0123, 0.0967, 0.0925],
    [
        (0.00342, {2: 0.0402, 0: 0.0282, 1: 0.0623}),
        (0.229, {2: 0.0391, 0: 0.0514, 1: 0.0662}),
        (0.0168, {1: 0.0599, 2: 0.0726, 0: 0.1078}),
    ],
    [(0.000974, {2: 0.1765}), (0.00173, {2: 0.667, 1: 0.771})],
    [0],
    [1],
    {0: 0.0211, 1: 123.0},
)


@pytest.mark.parametrize(
    "numbers", [RARE_AND_STRONG, NOTHING_SPECIAL, A_TREE, MILD_BUT_FREQUENT, THREE_SHARED]
)
def test_message_passing_states_its_error_where_it_once_did_not(numbers):
    risks, diseases, findings, present, absent, ratios = numbers
    document = {
        "hickam": 1,
        "name": "found by trying",
        "risk_factors": [{"id": f"r{j}", "prior": prior} for j, prior in enumerate(risks)],
        "diseases": [
            {"id": f"d{k}", "leak": leak, "causes": {f"r{j}": x for j, x in causes.items()}}
            for k, (leak, causes) in enumerate(diseases)
        ],
        "findings": [
            {"id": f"f{s}", "leak": leak, "causes": {f"d{k}": x for k, x in causes.items()}}
            for s, (leak, causes) in enumerate(findings)
        ],
    }
    network, _ = build_network(document)
    case = hickam.Case(
        present=[f"f{s}" for s in present],
        absent=[f"f{s}" for s in absent],
        likelihoods={f"d{k}": ratio for k, ratio in ratios.items()},
    )
    truth = hickam.infer(network, case, "enumeration")
    found = hickam.infer(network, case, "bethe")
    for name in ("posterior", "disabled", "sustained"):
        right, score = (getattr(one, name) for one in (truth, found))
        if right.ndim > 1:
            right, score = right.sum(axis=1), score.sum(axis=1)
        gap = np.abs(score - right) / np.maximum(np.abs(right), FLOOR)
        assert gap.max() <= found.accuracy.error, name
