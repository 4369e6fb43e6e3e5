"""Counterfactual queries in the library."""

import pytest

import hickam
from hickam.issues import TooHard
from hickam.model.scm_build import build_scm
from models import model_of

# Three causes of an OR, each on with probability 1/2; all that is known is that the OR is on.
THREE = [
    *({"id": c, "role": "disease", "prior": 0.5} for c in "abc"),
    {"id": "s", "role": "finding", "function": "a or b or c"},
]


def test_a_marginal_is_not_multiplied_where_the_joint_is_meant():
    # Had a been off, s would have stayed on iff b or c is on: 6 of the 7 worlds that agree.
    answer = hickam.query(model_of(THREE), {"s": True}, {"a": False}, {"s": True})
    assert answer.probability == pytest.approx(6 / 7, abs=1e-12)


@pytest.mark.parametrize("engine", ["twin", "abduction", "junction_tree"])
def test_every_exact_engine_gives_the_same_joint_distribution(engine):
    if engine == "junction_tree":
        pytest.importorskip("pyagrum")
    answers = hickam.query(model_of(THREE), {"s": True}, {"a": False}, ["s", "b"], engine)
    found = {tuple(a.target.values()): a.probability for a in answers}
    assert found == pytest.approx(
        {
            ("absent", "false"): 1 / 7,
            ("absent", "true"): 0.0,
            ("present", "false"): 2 / 7,
            ("present", "true"): 4 / 7,
        },
        abs=1e-12,
    )


def test_without_an_intervention_a_query_is_the_posterior():
    model = model_of(THREE)
    answer = hickam.query(model, {"s": True}, {}, {"a": True})
    assert answer.probability == pytest.approx(4 / 7)
    assert answer.probability == pytest.approx(hickam.infer(model, hickam.Case("s")).posterior[0])


def test_a_network_answers_queries_too():
    network = hickam.load("smoker")
    case = hickam.Case(present=["chest pain"], risks={"smoker": True})
    cured = hickam.query(network, case, {"angina": False}, {"chest pain": False})
    beliefs = hickam.infer(network, case)
    row = network.diseases.index("angina")
    assert cured.probability == pytest.approx(beliefs.disabled[row].sum())


def test_named_states_of_many_valued_nodes_are_observed_and_set():
    model = model_of(
        [
            {"id": "age", "states": ["young", "middle", "old"], "table": [[0.5, 0.25, 0.25]]},
            {"id": "d", "role": "disease", "parents": ["age"], "table": [0.1, 0.2, 0.6]},
            {"id": "s", "role": "finding", "leak": 0.0, "causes": {"d": 1.0}},
        ]
    )
    answer = hickam.query(model, {"s": True, "age": "old"}, {"age": "young"}, {"s": True})
    assert answer.probability == pytest.approx(1 / 6)  # one quantile for all rows: 0.1 / 0.6


def test_every_mistake_of_a_query_is_reported_at_once():
    with pytest.raises(hickam.InvalidInput) as bad:
        hickam.query(model_of(THREE), {"s": "maybe"}, {"x": True}, {"y": True})
    assert len(bad.value.issues) == 3


def test_impossible_evidence_names_what_conflicts():
    with pytest.raises(hickam.ImpossibleEvidence, match="'a' true, 's' absent") as bad:
        hickam.query(model_of(THREE), {"a": True, "b": False, "s": False}, {}, {"c": True})
    assert "'b'" not in str(bad.value)


def test_what_is_too_large_is_refused_with_its_size_and_a_way_out():
    nodes = [{"id": f"d{i}", "role": "disease", "prior": 0.3} for i in range(14)]
    causes = {node["id"]: 0.5 for node in nodes}
    nodes += [{"id": f"s{i}", "role": "finding", "keep": 0.9, "needs": causes} for i in range(14)]
    model = model_of(nodes)
    case = hickam.Case(present=[f"s{i}" for i in range(14)])
    with pytest.raises(TooHard, match=r"GB of tables.*sampling"):
        hickam.infer(model, case, engine="twin", memory=100_000)


def test_a_finding_of_three_states_goes_away_when_it_returns_to_its_normal_state():
    model = model_of(
        [
            {"id": "d", "role": "disease", "prior": 0.3},
            {
                "id": "s",
                "role": "finding",
                "states": ["some", "no", "much"],
                "parents": ["d"],
                "table": [[0.1, 0.8, 0.1], [0.3, 0.2, 0.5]],
            },
        ]
    )
    assert model.nodes["s"].normal == 1
    beliefs = hickam.infer(model, hickam.Case(present=["s"]))
    # By hand: present is "some" or "much"; one quantile u is used for both rows, "much" below,
    # then "no", then "some": healthy much < 0.1, no < 0.9; ill much < 0.5, no < 0.7.
    ill, well = 0.3 * 0.8, 0.7 * 0.2
    assert beliefs.posterior[0] == pytest.approx(ill / (ill + well))
    # Ill and present: u < 0.5 or u > 0.7; without the disease "no" for 0.1 < u < 0.9.
    assert beliefs.disabled[0, 0] == pytest.approx(0.3 * (0.4 + 0.2) / (ill + well))


def test_curing_a_disease_of_three_states_returns_it_to_its_normal_state():
    model = model_of(
        [
            {
                "id": "d",
                "role": "disease",
                "states": ["mild", "severe", "healthy"],
                "normal": "healthy",
                "parents": [],
                "table": [0.2, 0.1, 0.7],
            },
            {"id": "s", "role": "finding", "parents": ["d"], "table": [0.5, 0.9, 0.1]},
        ]
    )
    beliefs = hickam.infer(model, hickam.Case(present=["s"]))
    evidence = 0.2 * 0.5 + 0.1 * 0.9 + 0.7 * 0.1
    assert beliefs.posterior[0] == pytest.approx((0.1 + 0.09) / evidence)
    # One quantile for all rows: it went away if it lies above 0.1.
    assert beliefs.disabled[0, 0] == pytest.approx((0.2 * 0.4 + 0.1 * 0.8) / evidence)
    removed = hickam.cure(model, hickam.Case(present=["s"]), ["d"])
    assert removed.expected == pytest.approx(beliefs.disabled[0, 0])


def test_a_disease_whose_normal_state_nobody_names_gets_a_warning():
    _, issues = build_scm(
        {
            "hickam": 1,
            "name": "x",
            "nodes": [
                {"id": "d", "role": "disease", "states": ["a", "b", "c"], "parents": [],
                 "table": [0.2, 0.3, 0.5]},
                {"id": "s", "role": "finding", "parents": ["d"], "table": [0.5, 0.9, 0.1]},
            ],
        }
    )  # fmt: skip
    assert [issue.what for issue in issues] == [
        "does not say which of its states is normal; 'c' is taken"
    ]
