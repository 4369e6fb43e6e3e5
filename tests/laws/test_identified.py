"""Laws of what is identified: by what is stated or by shape, whatever the names and the order."""

import importlib

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from models import gate_rows, inner, model_of

slowly = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def shaped(rows, **more):
    """A finding with this table, its diseases and a disease above the first of them."""
    causes = "abc"[: int(np.log2(len(rows)))]
    nodes = [{"id": "u", "role": "disease", "prior": 0.3}]
    nodes += [{"id": c, "role": "disease", "leak": 0.3, "causes": {"u": 0.5}} for c in causes]
    nodes.append({"id": "s", "role": "finding", "parents": list(causes), "table": rows, **more})
    return model_of(nodes)


@given(st.integers(2, 3), st.integers(2, 4), st.data())
@slowly
def test_a_noisy_gate_is_known_by_its_rounded_table_whatever_state_comes_first(n, decimals, data):
    rows = data.draw(gate_rows(n, decimals))
    cube = np.reshape(rows, (2,) * n)
    assume(sum(np.ptp(cube, axis=axis).max() > 0.0 for axis in range(n)) > 1)
    model = shaped(rows)
    assert "s" in model.recognised
    table = model.nodes["s"].mechanism.rows
    np.testing.assert_allclose(table[..., 1], cube, atol=1e-9)  # no probability is changed
    answer = hickam.query(model, {"s": True}, {"u": False}, {"s": False})[0]
    assert answer.status == "identified"


@given(st.lists(inner, min_size=4, max_size=4))
@slowly
def test_a_table_that_is_no_gate_is_left_open(rows):
    for quiet in (np.array(rows), 1.0 - np.array(rows)):
        assume(abs(quiet[0] * quiet[3] - quiet[1] * quiet[2]) > 1e-3)
    model = shaped(rows)
    assert not model.recognised
    assert model.nodes["s"].mechanism.bare


@given(inner, inner, inner)
@slowly
def test_a_table_of_one_parent_is_never_settled_by_its_shape(prior, off, on):
    assume(off != on)
    nodes = [
        {"id": "d", "role": "disease", "prior": prior},
        {"id": "e", "role": "disease", "prior": prior},
        {"id": "s", "role": "finding", "parents": ["d"], "table": [off, on]},
    ]
    seen, cured, gone = {"d": True, "s": True}, {"d": False}, {"s": False}
    answer = hickam.query(model_of(nodes), seen, cured, gone)[0]
    low, high = max(0.0, on - off) / on, min(on, 1.0 - off) / on
    assert (answer.lower, answer.upper) == pytest.approx((low, high))
    assert answer.status == "monotone"
    nodes[-1] |= {"parents": ["d", "e"], "table": [off, off, on, on]}  # e changes nothing
    assert hickam.query(model_of(nodes), seen, cured, gone)[0].status == "monotone"
    stated = {"coupling": "gate", "parents": ["d"], "table": [off, on]}
    answer = hickam.query(model_of([*nodes[:2], {**nodes[-1], **stated}]), seen, cured, gone)[0]
    assert (answer.status, answer.probability) == ("identified", pytest.approx(low))


@st.composite
def documents(draw):
    """Nodes of two or three states by tables without a coupling, some of them noisy gates."""
    nodes = []
    for number, role in enumerate(["disease", "disease", "other", "finding", "finding"]):
        size = draw(st.sampled_from([2, 2, 2, 3]))
        earlier = [node for node in nodes if node["role"] != "finding"]
        parents = list(draw(st.permutations(earlier)))[: draw(st.integers(0, 2))]
        shape = tuple(len(parent["states"]) for parent in parents)
        if size == 2 and shape == (2, 2) and draw(st.booleans()):
            on = np.reshape(draw(gate_rows(2)), shape)
            rows = np.stack([1.0 - on, on], axis=-1)
        else:
            counts = [draw(st.integers(1, 5)) for _ in range(int(np.prod(shape)) * size)]
            rows = np.reshape(counts, (*shape, size)).astype(float)
            rows = rows / rows.sum(axis=-1, keepdims=True)
        states = [f"n{number}{letter}" for letter in "xyz"[:size]]
        nodes.append(
            {"id": f"n{number}", "role": role, "states": states, "normal": states[0],
             "parents": [parent["id"] for parent in parents], "table": rows}
        )  # fmt: skip
    return nodes


def relisted(nodes, data):
    """The same model with nodes, parents and states renamed and in another order."""
    order = {n["id"]: data.draw(st.permutations(range(len(n["states"])))) for n in nodes}
    found = []
    for node in nodes:
        rows = node["table"]
        for axis, name in enumerate([*node["parents"], node["id"]]):
            rows = np.take(rows, order[name], axis=axis)
        axes = data.draw(st.permutations(range(len(node["parents"]))))
        found.append(
            {**node,
             "id": f"other {node['id']}",
             "states": [f"state {node['states'][place]}" for place in order[node["id"]]],
             "normal": f"state {node['normal']}",
             "parents": [f"other {node['parents'][axis]}" for axis in axes],
             "table": rows.transpose([*axes, len(axes)])}
        )  # fmt: skip
    return data.draw(st.permutations(found))


def built(nodes):
    return model_of([{**node, "table": node["table"].tolist()} for node in nodes])


@given(documents(), st.data())
@slowly
def test_no_status_changes_with_names_or_order(nodes, data):
    seen = {n["id"]: data.draw(st.sampled_from(n["states"])) for n in nodes[-2:]}
    done, asked = (data.draw(st.sampled_from(nodes)) for _ in range(2))
    do = {done["id"]: data.draw(st.sampled_from(done["states"]))}
    target = {asked["id"]: data.draw(st.sampled_from(asked["states"]))}

    def named(states):
        return {f"other {node}": f"state {state}" for node, state in states.items()}

    first = hickam.query(built(nodes), seen, do, target)
    other = built(relisted(nodes, data))
    second = hickam.query(other, named(seen), named(do), named(target))
    assert second[0].status == first[0].status
    assert second.log_evidence == pytest.approx(first.log_evidence)
    if first[0].lower is not None:
        assert second[0].lower == pytest.approx(first[0].lower, abs=1e-7)
        assert second[0].upper == pytest.approx(first[0].upper, abs=1e-7)
    if first[0].status == "identified":
        assert second[0].probability == pytest.approx(first[0].probability, abs=1e-7)


@given(documents(), st.data())
@settings(slowly, max_examples=30)
def test_no_status_of_a_measure_changes_with_names_or_order(nodes, data):
    other = built(relisted(nodes, data))
    found = {
        (one.disease, one.measure): one.status
        for one in hickam.identify(built(nodes), hickam.Case(present=["n3"], absent=["n4"]))
    }
    again = hickam.identify(other, hickam.Case(present=["other n3"], absent=["other n4"]))
    assert {(one.disease.removeprefix("other "), one.measure): one.status for one in again} == found


def test_scipy_is_called_missing_only_where_it_is(monkeypatch):
    parents = ["d0", "d1"]
    diseases = [{"id": d, "role": "disease", "prior": 0.5} for d in parents]
    three = {"states": ["none", "some", "much"], "table": [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]}
    chain = {"id": "t", "role": "finding", "parents": ["s"], "table": [[0.3], [0.6], [0.7]]}
    one = model_of([diseases[0], {"id": "s", "role": "finding", "parents": ["d0"], **three}])
    two = model_of(
        [diseases[0], {"id": "s", "parents": ["d0"], **three}, {**chain, "table": [0.3, 0.6, 0.7]}]
    )

    def why(model, finding):
        return hickam.query(model, {finding: True}, {"d0": False}, {finding: False})[0].why

    assert "scipy" not in why(two, "t")
    assert "several tables" in why(two, "t")
    ask = {"s": "much"}, {"d0": False}, {"s": "none"}
    pytest.importorskip("scipy")
    assert "scipy" not in hickam.query(one, *ask)[0].why
    true = importlib.import_module

    def without(name, *more):
        if name.startswith("scipy"):
            raise ImportError(name)
        return true(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    assert "scipy is missing" in hickam.query(one, *ask)[0].why
    assert "scipy" not in why(two, "t")
