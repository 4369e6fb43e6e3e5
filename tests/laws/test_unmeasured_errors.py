"""Small networks on which message passing once stated too little, found by someone who tried."""

import numpy as np
import pytest

import hickam
from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled import checked
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.difference import difference
from hickam.inference.coupled.subsets import rounding_goal
from hickam.inference.frontier.visit import frontier
from hickam.inference.reduce import reduce
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

CLOSED_BY_A_LISTENER = (
    [0.16, 0.1, 0.3],
    [(1e-08, {0: 0.65, 1: 0.9}), (2e-08, {1: 0.98, 2: 0.85}), (1e-08, {0: 0.98, 2: 0.98})],
    [(1e-08, {0: 0.53}), (1e-08, {1: 0.19})],
    [0, 1],
    [],
    {0: 1.2202446970153569, 1: 1.0781143302403848},
)
A_RING_OF_FOUR = (
    [0.054, 0.096, 0.32, 0.16],
    [
        (1e-06, {0: 0.877, 1: 0.75}),
        (1e-05, {1: 0.45, 2: 0.726}),
        (3e-07, {2: 0.572, 3: 0.5}),
        (0.0002, {0: 0.177, 3: 0.9}),
    ],
    [
        (0.09, {0: 0.623, 1: 0.235}),
        (0.00023, {1: 0.465}),
        (0.0005, {2: 0.425}),
        (0.0005, {3: 0.559}),
        (0.0003, {3: 0.368}),
        (0.002, {1: 0.175}),
        (0.0001, {2: 0.25}),
        (0.0001, {3: 0.14}),
    ],
    [0, 1, 2, 3, 4, 5, 6, 7],
    [],
    {0: 1.142021441598077, 2: 1.0002993708109815},
)
RARE_AND_SHARED = (
    [1.0606487019424898e-05, 0.0029376530748590787],
    [
        (2.2425403159818255e-07, {0: 0.98}),
        (1e-08, {0: 0.265509191121779, 1: 0.3494269620632988}),
        (8.990798478363603e-08, {0: 0.4911157682445536, 1: 0.5489153451066003}),
        (4.214351073095976e-08, {0: 0.34792510816830724, 1: 0.3489929261223008}),
    ],
    [
        (4.484628860238127e-06, {0: 0.9755261881377578}),
        (0.00023103558991622333, {1: 0.2881822100753351}),
        (0.000800853773296477, {2: 0.388885527242506}),
        (0.0007703457076354555, {3: 0.9997626042944263}),
        (1.417960435479606e-05, {0: 0.8889711786164117}),
        (0.017248089882945315, {0: 0.043214638230752875, 1: 0.19100640078309386}),
        (0.008580847655771748, {1: 0.08902217423109851, 2: 0.039368528058384845}),
        (0.00010927731190702956, {1: 0.3072668855741037, 3: 0.9975911169168185}),
        (0.001524391225303362, {0: 0.6570204745558605, 2: 0.733692107332954}),
    ],
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [],
    {0: 0.03301634361824858, 2: 0.975856159221044, 3: 0.12441833281038596},
)

RARE_IN_A_LOOP_OF_A_LISTENER = (
    [0.2, 0.2, 1e-4],
    [
        (2e-6, {2: 0.9}),
        (2e-5, {0: 0.98, 2: 0.2}),
        (2e-7, {0: 0.8, 1: 0.96}),
        (0.006, {1: 0.99, 2: 0.8}),
    ],
    [(0.006, {3: 0.2}), (1e-6, {2: 0.1}), (2e-6, {0: 0.99}), (0.002, {2: 0.4})],
    [0, 1, 2, 3],
    [],
    {},
)
THREE_SHARE_TWO_RARE = (
    [9e-4, 3e-4, 5e-4, 1.8e-3, 3e-5, 0.1],
    [
        (5e-6, {0: 0.8, 2: 0.8, 3: 0.95}),
        (2e-6, {4: 0.7, 5: 0.9}),
        (2e-5, {1: 0.7, 2: 0.7, 3: 0.9, 4: 0.98}),
        (7e-4, {2: 0.6, 3: 0.99, 5: 0.2}),
        (4e-4, {0: 0.96, 1: 0.996}),
    ],
    [
        (6e-5, {0: 0.3}),
        (6e-4, {2: 0.2, 4: 0.5}),
        (0.01, {2: 0.4, 4: 0.3}),
        (0.003, {2: 0.3}),
        (0.04, {1: 0.3, 4: 0.7}),
        (1e-6, {3: 0.2}),
    ],
    [0, 1, 2, 3, 4, 5],
    [],
    {},
)


def made(numbers):
    """A network and a case of these numbers."""
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
    return network, hickam.Case(
        present=[f"f{s}" for s in present],
        absent=[f"f{s}" for s in absent],
        likelihoods={f"d{k}": ratio for k, ratio in ratios.items()},
    )


@pytest.mark.parametrize(
    "numbers",
    [
        RARE_AND_STRONG,
        NOTHING_SPECIAL,
        A_TREE,
        MILD_BUT_FREQUENT,
        THREE_SHARED,
        CLOSED_BY_A_LISTENER,
        A_RING_OF_FOUR,
        RARE_AND_SHARED,
        RARE_IN_A_LOOP_OF_A_LISTENER,
        THREE_SHARE_TWO_RARE,
    ],
)
def test_message_passing_states_its_error_where_it_once_did_not(numbers):
    network, case = made(numbers)
    truth = hickam.infer(network, case, "enumeration")
    found = hickam.infer(network, case, "bethe")
    for name in ("posterior", "disabled", "sustained"):
        right, score = (getattr(one, name) for one in (truth, found))
        if right.ndim > 1:
            right, score = right.sum(axis=1), score.sum(axis=1)
        gap = np.abs(score - right) / np.maximum(np.abs(right), FLOOR)
        assert gap.max() <= found.accuracy.error, name


@pytest.mark.parametrize("numbers", [RARE_IN_A_LOOP_OF_A_LISTENER, THREE_SHARE_TWO_RARE])
def test_a_check_keeps_a_rare_risk_factor_that_the_findings_speak_for(numbers, monkeypatch):
    """However few couplings it can afford: what it leaves out counts by what it has become."""
    network, case = made(numbers)
    problem = reduce(network, locate(case, network))
    exact = frontier(problem).tables
    outcome = bethe(problem, rounding_goal(Limits()))
    judged = 0
    for kept in range(2, len(problem.edge_row)):

        def afforded(problem, weights, *_, count=kept):
            chosen = np.argsort(-weights, kind="stable")[:count]
            return np.isin(np.arange(len(weights)), chosen)

        monkeypatch.setattr(checked, "strongest", afforded)
        found = checked.check(problem, outcome, Limits(), NEVER)
        if found is not None and found.covers(Limits()):
            judged += 1
            assert difference(outcome.tables, exact) <= found.solution.accuracy.error
    assert judged
