"""Laws of the probabilities of causation."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from causation_truth import compare
from hickam.cli.main import hickam as command
from models import model_of, models_with_cases
from strategies import networks_with_cases

slowly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_values_and_bounds_are_those_of_enumeration(first):
    found = [result for seed in range(first, first + 50) if (result := compare(seed)) is not None]
    assert max(worst for worst, _ in found) < 1e-9
    statuses = {status for _, told in found for status in told}
    assert {"identified", "bounded", "bounds compared"} <= statuses


@given(models_with_cases(), st.data())
@slowly
def test_both_is_necessity_and_sufficiency_weighted_by_their_conditions(drawn, data):
    model, case = drawn
    finding = data.draw(st.sampled_from(model.findings))
    cause = data.draw(st.sampled_from([name for name in model.nodes if name != finding]))
    found = hickam.causation(model, case, cause, finding)
    rest = {name: state == model.nodes[name].states[1] for name, state in found.given.items()}
    ratios = hickam.Case(likelihoods=case.likelihoods)
    total = 0.0
    for on, part in ((True, found.necessity), (False, found.sufficiency)):
        if part is None:
            continue
        categories = {**rest, cause: on, finding: on}
        log_evidence = [
            hickam.query(
                model,
                hickam.Case(
                    likelihoods=ratios.likelihoods,
                    categories={n: model.nodes[n].states[int(s)] for n, s in said.items()},
                ),
                {},
                finding,
            ).log_evidence
            for said in (categories, rest)
        ]
        total += np.exp(log_evidence[0] - log_evidence[1]) * part.probability
    assert found.both.probability == pytest.approx(total, abs=1e-9)


@given(models_with_cases(), st.data())
@slowly
def test_disablement_is_necessity_times_the_posterior(drawn, data):
    model, case = drawn
    finding = data.draw(st.sampled_from(case.present))
    disease = data.draw(st.sampled_from(model.diseases))
    dial = data.draw(st.sampled_from([1.0, 0.25]))
    beliefs = hickam.infer(model, case, dial=dial)
    row, column = model.diseases.index(disease), beliefs.present.index(finding)
    found = hickam.causation(model, case, disease, finding, dial=dial).necessity
    if found is None:
        assert beliefs.posterior[row] == pytest.approx(0.0, abs=1e-12)
        return
    product = beliefs.posterior[row] * found.probability
    assert beliefs.disabled[row, column] == pytest.approx(product, abs=1e-9)


@given(networks_with_cases(), st.data())
@slowly
def test_in_three_layers_sufficiency_is_the_strength_of_the_link(drawn, data):
    network, case = drawn
    links = network.effects
    assume(len(links.cause))
    link = data.draw(st.integers(0, len(links.cause) - 1))
    disease = network.diseases[int(links.cause[link])]
    finding = network.findings[int(links.effect[link])]
    found = hickam.causation(network, case, disease, finding).sufficiency
    assume(found is not None)
    assert found.probability == pytest.approx(float(links.acts[link]), abs=1e-9)
    assert found.status == "identified"


@given(networks_with_cases(), st.data())
@settings(slowly, max_examples=100)
def test_the_engines_for_three_layers_give_what_the_twin_gives(drawn, data):
    network, case = drawn
    finding = data.draw(st.sampled_from(network.findings))
    causes = data.draw(st.lists(st.sampled_from(network.diseases), min_size=1, unique=True))
    options = data.draw(st.sampled_from([{}, {"dial": 0.25}, {"case_mix": 0.5}]))
    try:
        exact = hickam.causation(network, case, causes, finding, "twin", **options)
    except hickam.ImpossibleEvidence:
        assume(False)
    found = hickam.causation(network, case, causes, finding, **options)
    for word in ("necessity", "sufficiency", "both"):
        one, other = getattr(exact, word), getattr(found, word)
        assert (one is None) == (other is None)
        if one is not None:
            assert other.status == one.status == "identified"
            assert other.probability == pytest.approx(one.probability, abs=1e-9)
    assert (found.given, found.notes) == (exact.given, exact.notes)


def test_a_case_with_many_findings_is_exact_on_a_large_network():
    network = hickam.load("clinic")
    case = hickam.Case(["cough", "fever", "headache"])
    found = hickam.causation(network, case, "pneumonia", "cough")
    assert found.accuracy.exact
    beliefs = hickam.infer(network, case)
    row, column = network.diseases.index("pneumonia"), beliefs.present.index("cough")
    product = beliefs.posterior[row] * found.necessity.probability
    assert product == pytest.approx(beliefs.disabled[row, column], abs=1e-9)


@given(models_with_cases(), st.data())
@settings(slowly, max_examples=15)
def test_every_engine_gives_the_same(drawn, data):
    model, case = drawn
    finding = data.draw(st.sampled_from(model.findings))
    others = [name for name in model.nodes if name != finding]
    causes = data.draw(st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True))
    exact = hickam.causation(model, case, causes, finding)
    for engine, within in (("abduction", 1e-9), ("sampling", 0.1)):
        found = hickam.causation(model, case, causes, finding, engine)
        for word in ("necessity", "sufficiency", "both"):
            one, other = getattr(exact, word), getattr(found, word)
            assert (one is None) == (other is None)
            if one is not None:
                assert other.probability == pytest.approx(one.probability, abs=within)


STATES = [
    {"id": "d", "role": "disease", "states": ["none", "mild", "severe"], "parents": [],
     "table": [0.5, 0.25, 0.25]},
    {"id": "s", "role": "finding", "states": ["no", "some", "much"], "parents": ["d"],
     "coupling": "independent", "table": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]},
]  # fmt: skip


def test_there_is_any_state_but_the_normal_one_unless_a_state_is_named():
    model, case = model_of(STATES), hickam.Case()
    found = hickam.causation(model, case, {"d": "severe"}, "s")
    assert found.necessity.probability == pytest.approx(0.5)
    assert found.sufficiency.probability == pytest.approx(1.0)
    assert found.contrast == {"d": "none"}
    much = hickam.causation(model, case, "d=severe", "s=much")
    assert much.necessity.probability == pytest.approx(0.75)
    assert much.sufficiency.probability == pytest.approx(0.5)
    assert much.both.probability == pytest.approx(0.5 * 0.75)


def test_a_preventive_cause_makes_both_more_than_a_difference():
    nodes = [
        {"id": "d", "role": "disease", "prior": 0.5},
        {"id": "u", "prior": 0.5},
        {"id": "s", "role": "finding", "function": "d xor u"},
    ]
    found = hickam.causation(model_of(nodes), hickam.Case(), "d", "s")
    assert found.both.probability == pytest.approx(0.5)  # the difference of two queries is 0
    assert found.both.status == "identified"


def test_a_condition_that_cannot_happen_has_no_probability_and_says_why():
    nodes = [
        {"id": "d", "role": "disease", "prior": 0.5},
        {"id": "s", "role": "finding", "leak": 0.0, "causes": {"d": 1.0}},
        {"id": "t", "role": "finding", "leak": 0.0, "causes": {"d": 1.0}},
    ]
    found = hickam.causation(model_of(nodes), hickam.Case(["t"]), "d", "s")
    assert found.sufficiency is None
    assert any("no probability of sufficiency" in note for note in found.notes)
    assert found.necessity.probability == 1.0
    nodes.append({"id": "u", "role": "disease", "prior": 0.5})
    with pytest.raises(hickam.ImpossibleEvidence):
        hickam.causation(model_of(nodes), hickam.Case(["t"], categories={"d": "false"}), "u", "s")


def test_what_the_case_says_of_causes_and_finding_is_set_aside_and_named():
    network = hickam.load("smoker")
    case = hickam.Case(["chest pain"], risks={"smoker": True})
    found = hickam.causation(network, case, "angina", "chest pain")
    other = hickam.causation(network, hickam.Case(risks={"smoker": True}), "angina", "chest pain")
    assert (found.both, found.given) == (other.both, other.given)
    assert any("'chest_pain' is set aside" in note for note in found.notes)


@pytest.mark.parametrize(
    ("causes", "finding", "said"),
    [
        ("anginna", "chest pain", "did you mean 'Angina'"),
        ("angina", "angina", "a cause and the finding"),
        ([], "chest pain", "is empty"),
        (None, "chest pain", "None is not the name of a node"),
        ([["angina"]], "chest pain", "is not the name of a node"),
        ("angina", 3, "3 is not the name of a node"),
        ({"angina": "maybe"}, "chest pain", "unknown state"),
        ("angina", "chest pain=much", "unknown state"),
    ],
)
def test_a_mistake_is_named(causes, finding, said):
    with pytest.raises(hickam.InvalidInput, match=said):
        hickam.causation(hickam.load("smoker"), hickam.Case(), causes, finding)


def test_a_cause_of_three_states_needs_one():
    with pytest.raises(hickam.InvalidInput, match=r"none.*mild.*severe"):
        hickam.causation(model_of(STATES), hickam.Case(), "d", "s")
    with pytest.raises(hickam.InvalidInput, match="is normal"):
        hickam.causation(model_of(STATES), hickam.Case(), "d=none", "s")


def test_the_command_prints_the_three_and_json():
    args = ["causation", "-n", "smoker", "-c", "angina", "-f", "chest pain", "-r", "smoker"]
    said = CliRunner().invoke(command, args, catch_exceptions=False).output
    assert "necessity, PN = 0.93633" in said
    assert "identified:" in said
    answer = json.loads(CliRunner().invoke(command, [*args, "--json"]).output)
    assert answer["both"]["probability"] == pytest.approx(0.713606, abs=1e-6)
    assert answer["given"] == {"smoker": "true"}
