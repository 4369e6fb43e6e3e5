"""Diseases that cause or exclude each other: the fast way, the general one, and every world."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.model.build import build_model
from hickam.model.scm import SCM
from hickam.model.tied import as_tied
from strategies import documents_with_kinds, network_of, priors

LAW = settings(deadline=None, max_examples=120, derandomize=True)
TABLES = ("posterior", "disabled", "sustained", "unexplained", "single_fault")


def model_of(document):
    model, issues = build_model({"hickam": 1, "name": "test", **document})
    assert isinstance(model, SCM), issues
    return model


@st.composite
def tied_documents(draw):
    """Documents in which some diseases cause others, or exclude each other, or both."""
    document = draw(documents_with_kinds(risks=2, diseases=4, findings=3))
    diseases = document["diseases"]
    assume(len(diseases) >= 2)
    sources = draw(st.integers(0, min(2, len(diseases) - 1)))
    for disease in diseases[sources:]:
        for cause in diseases[:sources]:
            if draw(st.booleans()):
                disease["causes"][cause["id"]] = draw(priors)
    names = [disease["id"] for disease in diseases]
    group = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
    if len(group) >= 2:
        document["exclusive"] = [group]
    tied = any(c in names for d in diseases for c in d["causes"]) or "exclusive" in document
    assume(tied)
    return document


@st.composite
def told(draw, model):
    """A case on a model."""
    states = {f: draw(st.sampled_from([True, False, None])) for f in model.findings}
    ratios = st.sampled_from([0.25, 2.0])
    return Case(
        present=[f for f, on in states.items() if on],
        absent=[f for f, on in states.items() if on is False],
        risks={r: draw(st.sampled_from([True, False, None])) for r in model.risk_factors},
        likelihoods={d: draw(ratios) for d in model.diseases if draw(st.booleans())},
    )


@given(tied_documents(), st.sampled_from([0.9, 0.25, 0.01]), st.data())
@LAW
def test_the_dial_means_the_same_for_both(document, dial, data):
    model = model_of(document)
    case = data.draw(told(model))
    try:
        general = hickam.infer(model, case, "twin", dial=dial)
    except hickam.InvalidInput:
        assume(False)
    assume(general.log_evidence > -20.0)
    fast = hickam.infer(model, case, dial=dial)
    assert fast.engine == "worlds"
    assert fast.posterior == pytest.approx(general.posterior, abs=1e-8)
    assert fast.disabled == pytest.approx(general.disabled, abs=1e-8)
    assert fast.log_evidence == pytest.approx(general.log_evidence, abs=1e-8)


@given(tied_documents(), st.data())
@LAW
def test_the_engines_for_three_layers_agree_with_the_general_ones(document, data):
    model = model_of(document)
    case = data.draw(told(model))
    try:
        general = hickam.infer(model, case, "twin")
    except hickam.InvalidInput:
        assume(False)
    assume(general.log_evidence > -20.0)
    fast = hickam.infer(model, case)
    assert fast.engine == "worlds"
    assert fast.log_evidence == pytest.approx(general.log_evidence, abs=1e-8)
    for name in TABLES:
        assert getattr(fast, name) == pytest.approx(getattr(general, name), abs=1e-8), name


def by_every_world(document, present):
    """([disease] posterior, [disease, present] goes away when cured), from the definitions.

    Every state of the diseases' and findings' mechanisms is visited, the equations are solved, and
    solved again with one disease set to off; worlds in which two of a group are on do not count.
    """
    diseases = document["diseases"]
    names = [d["id"] for d in diseases]
    links = [(c, d["id"], p) for d in diseases for c, p in d["causes"].items()]
    effects = [(c, f["id"], p) for f in document["findings"] for c, p in f["causes"].items()]
    mechanisms = [(None, d["id"], d["leak"]) for d in diseases] + links
    mechanisms += [(None, f["id"], f["leak"]) for f in document["findings"]] + effects
    groups = document.get("exclusive", [])
    total, posterior = 0.0, np.zeros(len(names))
    gone = np.zeros((len(names), len(present)))
    for fires in itertools.product((0, 1), repeat=len(mechanisms)):
        weight = math.prod(
            p if on else 1.0 - p for on, (_, _, p) in zip(fires, mechanisms, strict=True)
        )
        if weight == 0.0:
            continue

        def solve(cured=None, fires=fires):
            state = {}
            for name in (*names, *(f["id"] for f in document["findings"])):
                state[name] = name != cured and any(
                    on and effect == name and (cause is None or state[cause])
                    for on, (cause, effect, _) in zip(fires, mechanisms, strict=True)
                )
            return state

        now = solve()
        if any(sum(now[d] for d in group) > 1 for group in groups):
            continue
        if not all(now[f] for f in present):
            continue
        total += weight
        for k, name in enumerate(names):
            if now[name]:
                posterior[k] += weight
                after = solve(name)
                gone[k] += [weight * (not after[f]) for f in present]
    return posterior / total, gone / total


KIDNEY = {
    "diseases": [
        {"id": "diabetes", "leak": 0.25, "causes": {}},
        {"id": "kidney", "leak": 0.125, "causes": {"diabetes": 0.5}},
        {"id": "flu", "leak": 0.25, "causes": {}},
    ],
    "findings": [
        {"id": "thirst", "leak": 0.125, "causes": {"diabetes": 0.75}},
        {"id": "oedema", "leak": 0.0625, "causes": {"kidney": 0.75, "flu": 0.125}},
    ],
}


@pytest.mark.parametrize("group", [None, ["diabetes", "flu"], ["kidney", "flu"]])
def test_curing_a_cause_takes_away_what_came_of_it_and_nothing_appears(group):
    document = {**KIDNEY, **({} if group is None else {"exclusive": [group]})}
    model = model_of(document)
    beliefs = hickam.infer(model, Case(present=["thirst", "oedema"]))
    posterior, gone = by_every_world(document, ["thirst", "oedema"])
    assert beliefs.engine == "worlds"
    assert beliefs.posterior == pytest.approx(posterior, abs=1e-10)
    assert beliefs.disabled == pytest.approx(gone, abs=1e-10)
    assert gone[0, 1] > 0.1  # diabetes has no link to oedema: it goes by way of the kidney
    assert beliefs.sustained[0, 1] == 0.0  # with every other disease off it could not stay


def test_a_model_without_ties_is_the_network_itself():
    plain = {key: value for key, value in KIDNEY.items() if key != "diseases"}
    plain["diseases"] = [{**d, "causes": {}} for d in KIDNEY["diseases"]]
    model, _ = build_model({"hickam": 1, "name": "test", **plain})
    assert model.hash == network_of(plain).hash


def test_longer_chains_of_diseases_are_left_to_the_general_engines():
    chain = {
        "diseases": [
            {"id": "a", "leak": 0.25},
            {"id": "b", "leak": 0.125, "causes": {"a": 0.5}},
            {"id": "c", "leak": 0.125, "causes": {"b": 0.5}},
        ],
        "findings": [{"id": "s", "leak": 0.125, "causes": {"c": 0.5}}],
    }
    model = model_of(chain)
    assert as_tied(model) is None
    assert hickam.infer(model, Case(present=["s"])).engine == "twin"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exclusive": [["flu", "kidny"]]}, "did you mean 'kidney'"),
        ({"exclusive": [["flu"]]}, "is not a list of 2 to 50 diseases"),
        ({"exclusive": "flu"}, "is not a list of groups"),
        ({"exclusive": [["flu", "flu"]]}, "join groups that share members"),
        ({"exclusive": [["flu", "kidney"], ["kidney", "diabetes"]]}, "join groups"),
        ({"exclusive": [[["flu"], 3]]}, "which is no disease"),
        (
            {
                "diseases": [
                    {"id": "a", "leak": 0.1, "causes": {"b": 0.1}},
                    {"id": "b", "leak": 0.1, "causes": {"a": 0.1}},
                ],
                "findings": [{"id": "s", "leak": 0.1}],
            },
            "has a cycle: a → b → a",
        ),
    ],
)
def test_what_is_wrong_between_diseases_is_named(change, said):
    model, issues = build_model({"hickam": 1, **KIDNEY, **change})
    assert model is None
    assert any(said in str(issue) for issue in issues), [str(issue) for issue in issues]
