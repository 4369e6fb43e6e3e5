import copy

import pytest

from hickam.issues import Level
from hickam.model.build import build_network
from hickam.model.numbers import FREQUENCY_WORDS, RARENESS_WORDS, BadNumber, read_chance
from strategies import network_of

GOOD = {
    "hickam": 1,
    "name": "chest",
    "risk_factors": [{"id": "smoker", "prior": 0.2}],
    "diseases": [{"id": "copd", "leak": 0.005, "causes": {"smoker": 0.12}}],
    "findings": [{"id": "cough", "leak": 0.02, "causes": {"copd": 0.7}}],
}


def changed(change):
    document = copy.deepcopy(GOOD)
    change(document)
    return build_network(document)


def test_a_good_document_has_no_issues():
    network, issues = build_network(GOOD)
    assert network is not None
    assert issues == []
    assert network.effects.acts.tolist() == [0.7]


MISTAKES = {
    "an unknown cause": (
        lambda d: d["findings"][0]["causes"].update(cpd=0.5),
        "finding 'cough': cause 'cpd' is not in the network; did you mean 'copd'?",
    ),
    "a duplicate id": (
        lambda d: d["diseases"].append({"id": "copd", "leak": 0.1}),
        "disease 'copd' has an id that is already taken",
    ),
    "an id used in two layers": (
        lambda d: d["findings"].append({"id": "copd", "leak": 0.1}),
        "finding 'copd' has an id that is already taken",
    ),
    "a duplicate cause": (
        lambda d: d["findings"][0].update(
            causes=[{"id": "copd", "probability": 0.5}, {"id": "copd", "probability": 0.6}]
        ),
        "lists the cause 'copd' twice",
    ),
    "a probability above one": (
        lambda d: d["findings"][0]["causes"].update(copd=1.5),
        "finding 'cough': cause 'copd' is 1.5, outside [0, 1]",
    ),
    "a negative leak": (
        lambda d: d["diseases"][0].update(leak=-0.1),
        "leak is -0.1, outside [0, 1]",
    ),
    "a λ outside": (
        lambda d: d["findings"][0]["causes"].update(copd={"fails": -1.864}),
        "cause 'copd' is -1.864, outside [0, 1]",
    ),
    "the wrong layer": (
        lambda d: d["findings"][0]["causes"].update(smoker=0.5),
        "is in the wrong layer: it is a risk factor",
    ),
    "a cycle": (
        lambda d: d["diseases"][0]["causes"].update(cough=0.5),
        "has a cycle: ",
    ),
    "a finding nothing can cause": (
        lambda d: d["findings"].append({"id": "rash"}),
        "finding 'rash' is one that nothing can cause",
    ),
    "a misspelled key": (
        lambda d: d["findings"][0].update(leek=0.1),
        "has the unknown key 'leek'; did you mean 'leak'?",
    ),
    "a misspelled section": (
        lambda d: d.update(finding=[]),
        "key 'finding' is not known; did you mean 'findings'",
    ),
    "no format mark": (lambda d: d.pop("hickam"), "the format mark 'hickam' is missing"),
    "no prior": (lambda d: d["risk_factors"][0].pop("prior"), "risk factor 'smoker' has no prior"),
    "a bad rareness": (
        lambda d: d["diseases"][0].update(rareness="commn"),
        "has the rareness 'commn'; did you mean 'common'",
    ),
    "a bad category": (
        lambda d: d.update(
            categories=[
                {"id": "duration", "values": ["days", "weeks"], "given": {"copd": [0.5, 0.6]}}
            ]
        ),
        "category 'duration': 'copd' sums to 1.1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_the_mistake_is_named_with_its_item(mistake):
    change, message = MISTAKES[mistake]
    network, issues = changed(change)
    assert network is None
    assert any(message in str(issue) and issue.level is Level.ERROR for issue in issues), [
        str(issue) for issue in issues
    ]


def test_all_mistakes_are_reported_at_once():
    def spoil(document):
        for name in ("a duplicate id", "a probability above one", "a negative leak"):
            MISTAKES[name][0](document)

    _, issues = changed(spoil)
    assert len(issues) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["diseases"].append({"id": "idle", "leak": 0.1}),
            "disease 'idle' has no findings",
        ),
        (lambda d: d["findings"][0]["causes"].update(copd=0.0), "cause 'copd' has strength 0"),
        (lambda d: d["findings"][0]["causes"].update(copd="never"), "cause 'copd' has strength 0"),
    ],
)
def test_what_is_odd_but_usable_is_a_warning(change, message):
    network, issues = changed(change)
    assert network is not None
    assert any(message in str(issue) and issue.level is Level.WARNING for issue in issues)


@pytest.mark.parametrize(
    ("written", "acts"),
    [
        (0.25, 0.25),
        (1, 1.0),
        ("1 in 200", 0.005),
        ("1/8", 0.125),
        ("1 in 10,000", 0.0001),
        ("12.5 %", 0.125),
        ("1e-9", 1e-9),
        ("very rare", 0.00003),
        ({"probability": 0.5, "source": "x"}, 0.5),
        ({"fails": 0.75}, 0.25),
    ],
)
def test_a_prior_can_be_written_in_many_ways(written, acts):
    assert read_chance(written, RARENESS_WORDS).acts == pytest.approx(acts, rel=1e-15)


@pytest.mark.parametrize("written", ["often", "", None, True, "nan", "inf", [0.5], {}, "1 in 0"])
def test_what_is_not_a_probability_is_refused(written):
    with pytest.raises(BadNumber):
        read_chance(written, FREQUENCY_WORDS)


def test_a_small_failure_probability_keeps_its_digits():
    network = network_of({**GOOD, "findings": [{"id": "x", "causes": {"copd": {"fails": 1e-20}}}]})
    assert network.effects.fails.tolist() == [1e-20]


def test_the_hash_changes_with_any_number_or_name():
    first, _ = build_network(GOOD)
    same, _ = build_network(copy.deepcopy(GOOD))
    number, _ = changed(lambda d: d["findings"][0].update(leak=0.021))
    name, _ = changed(lambda d: d["findings"][0].update(name="Coughing"))
    assert first.hash == same.hash
    assert len({first.hash, number.hash, name.hash}) == 3


def test_the_prior_of_a_disease_averages_its_risk_factors():
    network, _ = build_network(GOOD)
    assert network.prior[0] == pytest.approx(1 - (1 - 0.005) * (1 - 0.2 * 0.12), rel=1e-14)


def network_with(**changes):
    document = {
        "hickam": 1,
        "diseases": [{"id": "flu", "leak": 0.01}, {"id": "cold", "leak": 0.1}],
        "findings": [{"id": "fever", "leak": 0.001, "causes": {"flu": 0.8, "cold": 0.1}}],
    }
    return build_network({**document, **changes})


def test_a_leak_that_is_left_out_is_warned_about_once():
    findings = [{"id": f"f{i}", "causes": {"flu": 0.8, "cold": 0.5}} for i in range(3)]
    network, issues = network_with(findings=findings)
    assert network is not None
    assert [str(issue).split(";")[0] for issue in issues] == [
        "finding 'f0' and 2 others do not say their leak"
    ]
    assert network_with(findings=[{**f, "leak": 0} for f in findings])[1] == []


def test_a_name_that_two_nodes_share_is_warned_about():
    diseases = [
        {"id": "flu", "name": "Grippe", "leak": 0.01},
        {"id": "cold", "name": "grippe ", "leak": 0.1},
    ]
    network, issues = network_with(diseases=diseases)
    assert network is not None
    assert "disease 'cold' shares the name 'grippe ' with 'flu'" in str(issues[0])
    assert len(issues) == 1


@pytest.mark.parametrize("text", ["0,12", "12,5 %", ",5", "1,2e-3"])
def test_a_decimal_comma_is_named_as_the_cause(text):
    network, issues = network_with(diseases=[{"id": "flu", "leak": text}, {"id": "cold"}])
    assert network is None
    assert len([issue for issue in issues if issue.level == "error"]) == 1
    assert "with a decimal comma; write " + text.replace(",", ".") in str(issues[0])


def test_a_decimal_comma_in_a_flow_mapping_is_named_as_the_cause():
    causes = {"flu": 0, "12": None, "cold": 0.5}  # what YAML makes of {flu: 0,12, cold: 0.5}
    findings = [{"id": "fever", "leak": 0.1, "causes": causes}]
    network, issues = network_with(findings=findings)
    assert network is None
    wrong = [str(issue) for issue in issues if issue.level == "error"]
    assert wrong == ["finding 'fever' has a decimal comma before 12; write 0.12, not 0,12"]


def test_the_hash_counts_what_is_said_of_an_entry_and_not_what_is_left_at_its_default():
    plain, _ = changed(lambda document: None)
    same, _ = changed(lambda document: document["findings"][0].update(cost=1.0))
    other, _ = changed(lambda document: document["findings"][0].update(cost=2.0))
    assert plain.hash == same.hash
    assert plain.hash != other.hash
