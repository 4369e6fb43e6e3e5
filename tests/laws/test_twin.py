"""Laws of counterfactuals on general models: every way to compute them agrees."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

import hickam
from hickam.beliefs.beliefs import FLOOR
from hickam.evidence.locate import locate
from hickam.io.save_scm import scm_document
from hickam.issues import TooHard
from hickam.model.kinds import as_network, as_scm
from hickam.model.scm_build import build_scm
from hickam.twin.actions import cure, only
from hickam.twin.exact import Setting, solve
from hickam.twin.observe import observe
from models import model_of, models_of_many_states, models_with_cases
from strategies import networks_with_cases

slowly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
tables = ("posterior", "disabled", "sustained", "unexplained", "single_fault")


def assert_same(left, right, tolerance=1e-9):
    assert left.log_evidence == pytest.approx(right.log_evidence, abs=tolerance)
    for name in tables:
        np.testing.assert_allclose(
            getattr(left, name), getattr(right, name), atol=tolerance, err_msg=name
        )


@given(models_with_cases())
@slowly
def test_the_twin_gives_what_abduction_gives(drawn):
    model, case = drawn
    try:
        reference = hickam.infer(model, case, engine="abduction")
    except TooHard:
        assume(False)
    assert_same(hickam.infer(model, case, engine="twin"), reference)


@given(models_of_many_states())
@slowly
def test_the_twin_gives_what_abduction_gives_on_diseases_and_findings_of_many_states(drawn):
    model, case = drawn
    try:
        reference = hickam.infer(model, case, engine="abduction")
    except TooHard:
        assume(False)
    found = hickam.infer(model, case, engine="twin")
    assert_same(found, reference)
    assert np.all(found.disabled <= found.posterior[:, None] + 1e-12)


@given(models_of_many_states())
@slowly
def test_a_model_of_many_states_survives_being_saved(drawn):
    model, case = drawn
    back, issues = build_scm(scm_document(model))
    assert back is not None, issues
    assert_same(hickam.infer(back, case), hickam.infer(model, case))


@given(models_with_cases())
@settings(slowly, max_examples=15)
def test_the_junction_tree_gives_what_the_twin_gives(drawn):
    pytest.importorskip("pyagrum")
    model, case = drawn
    assert_same(
        hickam.infer(model, case, engine="junction_tree"),
        hickam.infer(model, case, engine="twin"),
    )


@given(networks_with_cases(soft=True))
@slowly
def test_a_three_layer_network_has_the_same_beliefs_as_a_general_model(drawn):
    network, case = drawn
    expected = hickam.infer(network, case, engine="enumeration")
    assert_same(hickam.infer(as_scm(network), case, engine="twin"), expected)


@given(networks_with_cases())
@slowly
def test_a_network_survives_the_way_to_a_general_model_and_back(drawn):
    network, _ = drawn
    back = as_network(as_scm(network))
    assert back is not None
    assert back.hash == network.hash


@given(models_with_cases())
@slowly
def test_the_merged_twin_gives_what_the_unmerged_twin_gives(drawn):
    model, case = drawn
    seen = observe(model, locate(case, model))
    for disease in model.diseases:
        actions = [cure(model, disease), only(model, disease)]
        targets = [(world, s) for world in (1, 2) for s in seen.present]
        both = []
        for merge in (True, False):
            setting = Setting(model, seen.states, seen.weights, merge=merge)
            solved = solve(setting, actions, targets)
            chances = {}
            for finding in seen.present:
                values, chance = solved.table(finding)
                for value, p in zip(map(tuple, values[:, 1:].tolist()), chance, strict=True):
                    key = (finding, value)
                    chances[key] = chances.get(key, 0.0) + p
            both.append((solved.log_total, chances))
        assert both[0][0] == pytest.approx(both[1][0], abs=1e-9)
        for key in {*both[0][1], *both[1][1]}:
            assert both[0][1].get(key, 0.0) == pytest.approx(both[1][1].get(key, 0.0), abs=1e-9)


@given(models_with_cases())
@settings(slowly, max_examples=15)
def test_sampling_is_within_its_error_of_the_exact_answer(drawn):
    model, case = drawn
    exact = hickam.infer(model, case, engine="twin")
    sampled = hickam.infer(model, case, engine="sampling", tolerance=0.05, seed=1)
    assert sampled.accuracy.kind in ("sampled", "exact")  # exact where nothing is left to draw
    for name in ("posterior", "disabled", "sustained"):
        left, right = (
            getattr(beliefs, name).reshape(len(model.diseases), -1).sum(axis=1)
            for beliefs in (exact, sampled)
        )
        allowed = np.maximum(sampled.accuracy.error * np.maximum(left, FLOOR), 1e-9)
        assert np.all(np.abs(left - right) <= allowed), name


@given(models_with_cases())
@slowly
def test_no_finding_is_disabled_or_sustained_more_often_than_the_disease_is_there(drawn):
    model, case = drawn
    beliefs = hickam.infer(model, case, engine="twin")
    assert np.all(beliefs.disabled <= beliefs.posterior[:, None] + 1e-9)
    assert np.all(beliefs.sustained <= beliefs.posterior[:, None] + 1e-9)


@given(models_with_cases())
@slowly
def test_a_disease_that_affects_no_present_finding_scores_zero(drawn):
    model, case = drawn
    beliefs = hickam.infer(model, case, engine="twin")
    for row, disease in enumerate(model.diseases):
        if not model.descendants(disease) & set(case.present):
            assert beliefs.disabled[row].sum() == beliefs.sustained[row].sum() == 0.0


@pytest.mark.parametrize("needed", [1.0, 0.75])
def test_under_a_noisy_and_no_single_disease_suffices_but_each_disables(needed):
    model = model_of(
        [
            {"id": "a", "role": "disease", "prior": 0.25},
            {"id": "b", "role": "disease", "prior": 0.5},
            {"id": "s", "role": "finding", "keep": 0.75, "needs": {"a": needed, "b": needed}},
        ]
    )
    beliefs = hickam.infer(model, hickam.Case(present=["s"]))
    assert np.all(beliefs.sustained == 0.0)
    assert np.all(beliefs.disabled > 0.1)
    if needed == 1.0:
        np.testing.assert_allclose(beliefs.disabled, 1.0)
    assert math.isfinite(beliefs.log_evidence)


@given(models_with_cases())
@slowly
def test_a_saved_model_loads_as_the_same_model(drawn):
    model, _ = drawn
    again, issues = build_scm(scm_document(model))
    assert again is not None, issues
    assert again.hash == model.hash


@given(networks_with_cases())
@settings(slowly, max_examples=15)
def test_a_network_saved_as_a_general_model_is_still_the_same_network(drawn):
    network, _ = drawn
    again, _ = build_scm(scm_document(as_scm(network)))
    assert again is not None
    back = as_network(again)
    assert back is not None
    assert back.hash == network.hash
