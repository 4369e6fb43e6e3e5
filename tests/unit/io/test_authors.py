import json

import pytest

from hickam.io.authors import NetworkPolicy, read_authors_network
from hickam.io.cards import CardPolicy, read_authors_cards
from hickam.issues import InvalidInput

NETWORK = {
    "A": {
        "r": {"label": "Risk", "parents": [], "cpt": [0.8, 0.2]},
        "d": {"label": "Disease", "parents": ["r"], "cpt": [-1.5, 0.99]},
        "e": {"label": "Disease", "parents": [], "cpt": [0.98]},
        "s": {"label": "Symptom", "parents": ["d", "e", "d"], "cpt": [0.5, 0.6, 0.4, 0.999]},
        "t": {"label": "Symptom", "parents": ["d"], "cpt": [[0.2, 0.2, 0.2, 0.2, 0.2]]},
    }
}


def card(*, disease="d", severity="PRESENT", outcomes=()):
    return {
        "card": {
            "id": 1,
            "diseases": [{"id": disease, "rareness": "very_rare"}],
            "duration": "C0436362",
            "symptoms": [{"concept": {"id": "s"}, "label": "Symptom", "severity": severity}],
            "risk_factors": [{"concept": {"id": "r"}, "label": "Risk", "presence": "PRESENT"}],
            "network_name": "A",
        },
        "outcomes": [
            {
                "doctor_diseases": [{"concept": {"id": name}} for name in listed],
                "triage": "GP",
                "user": {"id": doctor},
            }
            for doctor, listed in outcomes
        ],
    }


@pytest.fixture
def network_file(tmp_path):
    path = tmp_path / "networks.json"
    path.write_text(json.dumps(NETWORK))
    return path


def cards(tmp_path, **entries):
    path = tmp_path / "cards.json"
    path.write_text(json.dumps(entries))
    return path


def test_blemishes_are_refused_unless_a_policy_is_chosen(network_file):
    network, issues = read_authors_network(network_file)
    assert network is None
    text = " ".join(map(str, issues))
    assert "impossible λ -1.5" in text
    assert "lists the parent 'd'" in text


@pytest.mark.parametrize(("policy", "fails"), [("first", 0.5), ("product", 0.2)])
def test_duplicate_parents_follow_the_policy_and_are_reported(network_file, policy, fails):
    network, issues = read_authors_network(network_file, "A", NetworkPolicy("clip", policy))
    link = network.effects.of_cause(network.diseases.index("d"))
    assert network.effects.fails[link].tolist() == pytest.approx([fails])
    assert any(f"the {policy} is used" in str(issue) for issue in issues)


def test_a_clipped_lambda_makes_the_link_certain(network_file):
    network, issues = read_authors_network(network_file, "A", NetworkPolicy("clip", "first"))
    assert network.causes.fails.tolist() == [0.0]
    assert any("clipped to 0" in str(issue) for issue in issues)


def test_a_dropped_lambda_removes_the_link(network_file):
    network, _ = read_authors_network(network_file, "A", NetworkPolicy("drop", "first"))
    assert len(network.causes) == 0


def test_the_duration_node_becomes_a_category(network_file):
    network, _ = read_authors_network(network_file, "A", NetworkPolicy("clip", "first"))
    assert [category.id for category in network.categories] == ["duration"]
    assert network.findings == ("s",)


def test_an_unknown_policy_and_an_unknown_network_are_named(network_file):
    _, issues = read_authors_network(network_file, "B", NetworkPolicy("guess", "first"))
    text = " ".join(map(str, issues))
    assert "'guess'" in text
    assert "network 'B'" in text


def test_a_missing_file_is_the_users_to_fix(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_authors_network(tmp_path / "none.json")


def test_the_last_opinion_of_a_doctor_counts_and_nulls_are_dropped(tmp_path):
    path = cards(tmp_path, a=card(outcomes=[("x", ["e"]), ("x", ["d", None]), ("y", [None])]))
    (vignette,), issues = read_authors_cards(path)
    (opinion,) = vignette.opinions
    assert opinion.diseases == ("d",)
    assert opinion.outside == 1
    text = " ".join(map(str, issues))
    assert "answered twice" in text
    assert "names no disease of the model" in text


@pytest.mark.parametrize(("unsure", "present"), [("present", ("s",)), ("unknown", ())])
def test_unsure_findings_follow_the_policy(tmp_path, unsure, present):
    path = cards(tmp_path, a=card(severity="UNSURE"))
    (vignette,), issues = read_authors_cards(path, "A", CardPolicy(unsure=unsure))
    assert vignette.case.present == present
    assert any(f"read as {unsure}" in str(issue) for issue in issues)


def test_a_card_becomes_a_case_with_duration_and_risks(tmp_path):
    (vignette,), _ = read_authors_cards(cards(tmp_path, a=card()), "A")
    assert vignette.case.risks == {"r": True}
    assert vignette.case.categories == {"duration": "C0436362"}
    assert vignette.rareness == "very rare"


def test_no_vignettes_of_the_network_is_an_error(tmp_path):
    found, issues = read_authors_cards(cards(tmp_path, a=card()), "Z")
    assert found == []
    assert "holds no vignettes of network 'Z'" in str(issues[-1])
