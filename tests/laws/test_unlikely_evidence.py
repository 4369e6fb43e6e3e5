"""Evidence of any probability, down to 1e-2000: no engine loses it or is wrong about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

import hickam
from exact import by_definition
from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.infer import take
from hickam.inference.engines import ENGINES
from hickam.kernels import compiled
from hickam.model.kinds import as_scm
from hickam.model.network import Floats
from hickam.twin.infer import ENGINES as GENERAL
from hickam.twin.infer import infer_scm

SOON = {"deadline": 0.3}
UNIT = 1e-9  # of rounding, where an exact engine states less
SEEDS = range(10)


def log_of(chance: Fraction) -> float:
    """The natural logarithm of a positive number of any size."""
    top, bottom = chance.numerator, chance.denominator
    bits = top.bit_length() - bottom.bit_length()
    return math.log(chance / Fraction(2) ** bits) + bits * math.log(2.0)


@lru_cache
def unlikely(seed: int) -> tuple[hickam.Network, hickam.Case, Floats, float]:
    """A network and case, [disease, 3] the true scores and the true log evidence.

    Findings, diseases or couplings are the unlikely ones; with even seeds nothing is coupled.
    """
    rng = np.random.default_rng(seed)
    depth, which = (20.0, 60.0, 100.0, 150.0)[seed % 4], seed % 3
    findings, risks, diseases = 4 + 2 * seed, seed % 2, 2
    if seed >= 8:  # the deepest
        depth, which = 200.0, 0

    def chance(deepest: float) -> float:
        return float(10.0 ** -rng.uniform(0.3 * deepest, deepest))

    network = hickam.from_dict(
        {
            "hickam": 1,
            "name": "unlikely",
            "risk_factors": [{"id": f"r{j}", "prior": chance(2.0)} for j in range(risks)],
            "diseases": [
                {
                    "id": f"d{k}",
                    "leak": chance(depth if which == 1 else 4.0),
                    "causes": {f"r{j}": chance(depth if which == 2 else 2.0) for j in range(risks)},
                }
                for k in range(diseases)
            ],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": chance(depth),
                    "causes": {
                        f"d{k}": chance(depth if which != 1 else 2.0)
                        for k in range(diseases)
                        if rng.random() < 0.8
                    },
                }
                for s in range(findings)
            ],
        }
    )
    case = hickam.Case([f"f{s}" for s in range(1, findings)], ["f0"])
    truth = by_definition(network, case)
    scores = (truth.posterior, truth.disablement, truth.sufficiency)
    return network, case, np.array(scores, dtype=np.float64).T, log_of(truth.evidence)


def held(found: Beliefs, truth: Floats, log_evidence: float) -> bool:
    """Whether an answer is within what it states."""
    accuracy: Accuracy = found.accuracy
    scores = (found.posterior, found.disabled.sum(axis=1), found.sustained.sum(axis=1))
    gap = np.abs(np.stack(scores, axis=1) - truth) / np.maximum(truth, 1e-3)
    stated = accuracy.error if accuracy.log_evidence is None else accuracy.log_evidence
    off = abs(found.log_evidence - log_evidence) - 1e-12 * abs(log_evidence)
    return bool(gap.max() <= max(accuracy.error, UNIT) and off <= max(stated, UNIT))


def answers(engine: str) -> Iterator[tuple[int, bool]]:
    """Each case that an engine for networks answers, and whether it holds."""
    options = SOON if engine in ("sampling", "thinned") else {}
    for seed in SEEDS:
        network, case, truth, log_evidence = unlikely(seed)
        try:
            found = hickam.infer(network, case, engine, **options)
        except hickam.TooHard:
            continue
        yield seed, held(found, truth, log_evidence)


def test_the_evidence_is_as_unlikely_as_is_said():
    assert min(unlikely(seed)[-1] for seed in SEEDS) < -2000.0 * math.log(10.0)


@pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")
@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_no_engine_is_wrong_about_unlikely_evidence(engine):
    found = dict(answers(engine))
    assert found
    assert all(found.values()), found


@pytest.mark.parametrize("engine", sorted(GENERAL))
def test_no_engine_of_general_models_is_wrong_about_unlikely_evidence(engine):
    found = {}
    if engine == "junction_tree":
        pytest.importorskip("pyagrum")
    for seed in SEEDS[:6]:
        network, case, truth, log_evidence = unlikely(seed)
        model = as_scm(network)
        try:
            answer = infer_scm(model, *_asked(model, case, engine))
        except hickam.TooHard:
            continue
        found[seed] = held(answer, truth, log_evidence)
    assert found
    assert all(found.values()), found


def _asked(model: hickam.SCM, case: hickam.Case, engine: str) -> tuple[object, str, object]:
    evidence, limits = take(model, case, SOON if engine == "sampling" else {})
    return evidence, engine, limits
