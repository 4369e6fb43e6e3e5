"""General models from documents: mechanisms, states, refusals, recognition."""

import numpy as np
import pytest

import hickam
from hickam.infer import prior_of
from hickam.model.expression import BadExpression, parse
from hickam.model.kinds import as_network
from hickam.model.mechanism import Gate, Table
from hickam.model.recognise import nearest_noisy_or, recognise
from hickam.model.scm_build import build_scm
from models import model_of

DISEASE = {"id": "d", "role": "disease", "prior": 0.25}


def issues_of(*nodes):
    model, issues = build_scm({"hickam": 1, "name": "test", "nodes": list(nodes)})
    assert model is None
    return " | ".join(str(issue) for issue in issues)


def test_every_problem_is_reported_at_once():
    text = issues_of(
        {"id": "a", "role": "disease", "leak": 0.1, "causes": {"b": 0.5}},
        {"id": "b", "role": "disease", "leak": 0.1, "causes": {"a": 0.5}},
        {"id": "c", "role": "finding", "leak": 0.1, "causes": {"zz": 0.5}},
        {"id": "t", "role": "finding", "parents": ["a"], "table": [[0.5, 0.6], [0.5, 0.5]]},
        {"id": "f", "role": "findin", "function": "a and"},
    )
    assert "has a cycle: a → b → a" in text or "has a cycle: b → a → b" in text
    assert "'zz' is not in the model" in text
    assert "row 1 (a = false) sums to 1.1" in text
    assert "did you mean 'finding'" in text
    assert "ends too early" in text


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ({"id": "s", "leak": 1.5}, "outside [0, 1]"),
        ({"id": "s"}, "has no mechanism"),
        ({"id": "s", "leak": 0.1, "function": "d"}, "mixes noisy-OR and function"),
        ({"id": "s", "parents": ["d"], "table": [0.5]}, "has 1 rows instead of 2"),
        ({"id": "s", "parents": ["d"], "table": {"maybe": 0.5, "true": 1}}, "no state 'maybe'"),
        ({"id": "s", "parents": ["d"], "table": [0.1, 0.2], "coupling": "free"}, "coupling 'free'"),
        ({"id": "s", "states": ["a", "b", "c"], "leak": 0.1}, "give it a 'table'"),
        ({"id": "s", "function": "d = maybe"}, "'maybe' is no state of 'd'"),
        ({"id": "d", "prior": 0.1}, "already taken"),
        ({"id": "s", "leek": 0.1, "prior": 0.1}, "unknown key 'leek'"),
    ],
)
def test_the_mistake_is_named(node, said):
    assert said in issues_of(DISEASE, {"role": "finding", **node})


def test_a_general_model_loads_from_a_file_with_line_numbers(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text("hickam: 1\nname: x\nnodes:\n  - {id: a, prior: 2}\n", encoding="utf-8")
    with pytest.raises(hickam.InvalidInput, match=r"model\.yaml:4: node 'a': prior is 2"):
        hickam.load(path)
    path.write_text("hickam: 1\nname: x\nnodes:\n  - {id: a, prior: 0.5}\n", encoding="utf-8")
    assert isinstance(hickam.load(path), hickam.SCM)


def test_states_listed_with_on_first_are_turned_around():
    model = model_of(
        [
            {"id": "d", "role": "disease", "states": ["yes", "no"], "table": [[0.25, 0.75]]},
            {
                "id": "s",
                "role": "finding",
                "states": ["well", "ill"],
                "on": "ill",
                "parents": ["d"],
                "table": {"yes": [0.2, 0.8], "no": [0.9, 0.1]},
                "coupling": "monotone",
            },
        ]
    )
    assert model.nodes["d"].states == ("no", "yes")
    np.testing.assert_allclose(model.nodes["s"].mechanism.rows, [[0.9, 0.1], [0.2, 0.8]])
    assert hickam.infer(model, hickam.Case(present=["s"])).posterior[0] == pytest.approx(
        0.2 / 0.275
    )


def test_a_table_that_is_a_noisy_or_is_read_as_one():
    gate = recognise(Table(("a", "b"), _gate("or").rows))
    assert gate is not None
    assert gate.kind == "or"
    np.testing.assert_allclose([link.acts for link in gate.links], [0.5, 0.75])


def test_a_table_that_is_a_noisy_and_is_read_as_one():
    gate = recognise(Table(("a", "b"), _gate("and").rows))
    assert gate is not None
    assert gate.kind == "and"


def _gate(kind):
    from hickam.model.numbers import Chance

    return Gate(kind, ("a", "b"), Chance(0.125, 0.875), (Chance(0.5, 0.5), Chance(0.75, 0.25)))


def test_a_table_off_by_more_than_its_rounding_is_not_recognised():
    rows = np.round(_gate("or").rows, 3)
    rounded = recognise(Table(("a", "b"), rows))
    np.testing.assert_allclose([link.acts for link in rounded.gate.links], [0.5, 0.75], atol=2e-3)
    np.testing.assert_array_equal(rounded.rows, rows)
    rows[1, 1] += [0.01, -0.01]
    assert recognise(Table(("a", "b"), rows)) is None


def test_the_nearest_noisy_or_of_a_noisy_or_is_itself_and_of_an_xor_is_far():
    exact = nearest_noisy_or(Table(("a", "b"), _gate("or").rows))
    assert exact.largest < 1e-6
    xor = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
    assert nearest_noisy_or(Table(("a", "b"), xor)).largest > 0.4


def test_a_recognised_table_says_so_in_the_answer():
    rows = _gate("or").rows[..., 1].ravel().tolist()
    model = model_of(
        [
            {"id": "a", "role": "disease", "prior": 0.25},
            {"id": "b", "role": "disease", "leak": 0.1, "causes": {"a": 0.5}},
            {"id": "s", "role": "finding", "parents": ["a", "b"], "table": rows},
        ]
    )
    assert model.recognised == {"s": "noisy-OR"}
    notes = hickam.infer(model, hickam.Case(present=["s"])).accuracy.notes
    assert notes == ("the table of 's' is a noisy-OR and is read as one",)


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("a and b", [0, 0, 0, 1]),
        ("a or b", [0, 1, 1, 1]),
        ("a xor b", [0, 1, 1, 0]),
        ("not a and b", [0, 1, 0, 0]),
        ("not (a and b)", [1, 1, 1, 0]),
        ("a = off or b = on", [1, 1, 0, 1]),
        ("true", [1, 1, 1, 1]),
        ("a or b and false", [0, 0, 1, 1]),
    ],
)
def test_an_expression_means_its_truth_table(text, on):
    states = {"a": ("off", "on"), "b": ("off", "on")}
    expression = parse(text).resolve(states)
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = np.broadcast_to(expression.value({"a": a, "b": b}), 4)
    np.testing.assert_array_equal(found.astype(int), on)


@pytest.mark.parametrize(
    "text", ["", "a and", "a b", "(a", "a &", "and", "__import__('os')", "a ="]
)
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(BadExpression):
        parse(text).resolve({"a": ("off", "on"), "b": ("off", "on")})


def test_what_needs_three_layers_refuses_a_general_model():
    from hickam.model.kinds import need_network

    model = model_of([DISEASE, {"id": "s", "role": "finding", "function": "d"}])
    with pytest.raises(hickam.InvalidInput, match="is general, and a study needs three layers"):
        need_network(model, "a study")


def test_the_layers_of_a_general_model_describe_its_direct_links():
    model = model_of(
        [
            DISEASE,
            {"id": "e", "role": "disease", "leak": 0.1, "causes": {"d": 0.5}},
            {"id": "s", "role": "finding", "leak": 0.2, "causes": {"e": 0.75}},
            {"id": "t", "role": "finding", "function": "d and e"},
        ]
    )
    links = model.effects
    described = {
        (model.diseases[c], model.findings[f]): a
        for c, f, a in zip(links.cause, links.effect, links.acts, strict=True)
    }
    assert described == {("e", "s"): 0.75, ("d", "t"): 1.0, ("e", "t"): 1.0}
    np.testing.assert_allclose(prior_of(model), [0.25, 1 - 0.9 * (1 - 0.25 * 0.5)])
    np.testing.assert_allclose(model.finding_leak, [0.2, 0.0])


def test_curing_two_diseases_together_is_answered_on_a_general_model():
    from hickam.advise.what_if import cure

    model = model_of(
        [
            DISEASE,
            {"id": "e", "role": "disease", "leak": 0.1, "causes": {"d": 0.5}},
            {"id": "s", "role": "finding", "leak": 0.0, "causes": {"d": 0.5, "e": 0.75}},
        ]
    )
    case = hickam.Case(present=["s"])
    assert cure(model, case, ["d", "e"]).expected == pytest.approx(1.0)
    alone = hickam.infer(model, case).disabled.sum(axis=1)
    assert cure(model, case, ["d"]).expected == pytest.approx(alone[0])


def test_a_table_of_one_parent_is_a_layer_only_where_its_gate_is_stated():
    table = {"id": "s", "role": "finding", "parents": ["d"], "table": [0.1, 0.7]}
    assert as_network(model_of([DISEASE, table])) is None
    stated = as_network(model_of([DISEASE, {**table, "coupling": "gate"}]))
    np.testing.assert_allclose(stated.effects.acts, [0.6 / 0.9])
    assert "no noisy-OR" in issues_of(
        DISEASE, {"id": "e", "prior": 0.5},
        {**table, "parents": ["d", "e"], "table": [0.1, 0.7, 0.2, 0.3], "coupling": "gate"},
    )  # fmt: skip
