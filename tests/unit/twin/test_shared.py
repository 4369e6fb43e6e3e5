"""Twins that share their pieces say what twins on their own would say."""

from dataclasses import replace

import numpy as np
import pytest

from hickam.model.scm_build import build_scm
from hickam.twin import shared as room
from hickam.twin.actions import cure, only
from hickam.twin.exact import Setting, log_chance, solve
from hickam.twin.shared import Shared


def model(strength=0.4):
    """Two coupled diseases, one of which causes the other, and findings of three kinds."""
    nodes = [
        {"id": "r", "role": "risk factor", "prior": 0.3},
        {"id": "a", "role": "disease", "leak": 0.1, "causes": {"r": 0.5}},
        {"id": "b", "role": "disease", "leak": 0.05, "causes": {"r": 0.2, "a": strength}},
        {"id": "s", "role": "finding", "leak": 0.02, "causes": {"a": 0.7, "b": 0.6}},
        {"id": "t", "role": "finding", "leak": 0.01, "causes": {"b": 0.8}},
        {"id": "u", "role": "finding", "leak": 0.2, "causes": {"a": 0.3}},
    ]
    found, issues = build_scm({"hickam": 1, "name": "m", "nodes": nodes})
    assert found is not None, issues
    return found


def questions(scm):
    """Every action that a differential needs, with what is asked of it."""
    for disease in scm.diseases:
        yield [cure(scm, disease)], [(1, "s"), (1, "t")]
        yield [only(scm, disease), only(scm, disease, on=False)], [(1, "s"), (2, "s")]


def test_shared_pieces_change_no_answer():
    scm = model()
    setting = Setting(scm, {"s": 1, "u": 0}, {"a": np.array([1.0, 3.0])})
    for actions, targets in questions(scm):
        together = solve(setting, actions, targets)
        alone = solve(replace(setting, shared=Shared()), actions, targets)
        assert together.log_total == alone.log_total
        assert together.beliefs.keys() == alone.beliefs.keys()
        for node, belief in together.beliefs.items():
            np.testing.assert_array_equal(belief, alone.beliefs[node])


def test_other_evidence_and_another_model_share_nothing_that_differs():
    setting = Setting(model(), {"s": 1}, {})
    first = log_chance(setting)
    for changed in (
        replace(setting, observed={"s": 0}),
        replace(setting, observed={"s": 1, "a": 0, "r": 1}),
        replace(setting, model=model(0.9)),
    ):
        alone = log_chance(replace(changed, shared=Shared()))
        assert log_chance(changed) == alone != first
    assert log_chance(setting) == first


def test_no_more_pieces_are_kept_than_allowed(monkeypatch):
    monkeypatch.setattr(room, "MOST", 3)
    shared = Shared()
    made = [shared.get(number, lambda n=number: [n]) for number in (*range(9), 8)]
    assert made == [[number] for number in (*range(9), 8)]
    assert len(shared._pieces) <= 3
    setting = Setting(model(), {"s": 1}, {})
    assert log_chance(setting) == pytest.approx(log_chance(Setting(model(), {"s": 1}, {})))
