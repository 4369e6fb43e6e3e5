"""Every size that a document implies is computed before it is allocated, and refused by number."""

import itertools

import numpy as np
import pytest

from hickam.model.build import build_network
from hickam.model.expression import DEEPEST, BadExpression, parse
from hickam.model.mechanism import Gate
from hickam.model.numbers import Chance
from hickam.model.scm_build import build_scm


def nodes(*more, parents=0, states=2):
    listed = [f"s{i}" for i in range(states)]
    flat = [1.0 / states] * states
    roots = [{"id": f"r{i}", "states": listed, "table": flat} for i in range(parents)]
    return {"hickam": 1, "name": "x", "nodes": [*roots, *more]}


def said(document):
    model, issues = build_scm(document)
    assert model is None
    return "\n".join(map(str, issues))


@pytest.mark.parametrize("table", [{"s0": 0.5}, [0.5], [[0.5]]])
def test_a_table_over_many_parents_is_refused_with_its_size(table):
    names = [f"r{i}" for i in range(34)]
    wide = {"id": "wide", "role": "finding", "parents": names, "table": table}
    assert "34 parents and so 34,359,738,368 cells (at most 1,048,576)" in said(
        nodes(wide, parents=34)
    )


def test_a_table_over_parents_of_many_states_is_refused_with_its_size():
    wide = {"id": "wide", "parents": ["r0", "r1", "r2"], "table": {"s0, s0, s0": 0.5}}
    assert "3 parents and so 16,000,000 cells" in said(nodes(wide, parents=3, states=200))


def test_a_function_of_parents_with_many_states_is_refused_with_its_size():
    text = " and ".join(f"r{i} = s1" for i in range(16))
    wide = {"id": "wide", "role": "finding", "function": text}
    assert "281,474,976,710,656 joint states of its parents (at most 65,536)" in said(
        nodes(wide, parents=16, states=8)
    )


def test_a_node_of_too_many_states_is_refused():
    many = {"id": "many", "states": [f"s{i}" for i in range(1001)], "table": [1]}
    assert "has 1,001 states (at most 1,000)" in said(nodes(many))


def test_a_category_that_would_expand_is_refused_with_its_size():
    diseases = [{"id": f"d{i}", "leak": 0.1} for i in range(6000)]
    category = {
        "id": "c",
        "values": [f"v{i}" for i in range(1000)],
        "given": {d["id"]: {} for d in diseases},
    }
    findings = [{"id": "f", "leak": 0.1, "causes": {d["id"]: 0.1 for d in diseases}}]
    document = {"hickam": 1, "diseases": diseases, "findings": findings, "categories": [category]}
    network, issues = build_network(document)
    assert network is None
    assert "has 1,000 values and 6,001,000 probabilities" in str(issues[0])


@pytest.mark.parametrize(
    "text", ["(" * 5000 + "a" + ")" * 5000, "not " * 2000 + "a", "not (" * 60 + "a" + ")" * 60]
)
def test_a_function_nested_too_deeply_is_refused(text):
    with pytest.raises(BadExpression, match=f"{DEEPEST} levels deep|10,000"):
        parse(text)


def test_a_long_chain_is_one_operation():
    names = [f"n{i}" for i in range(1000)]
    chain = parse(" or ".join(names))
    assert chain.names() == names
    states = dict.fromkeys(names, np.array([0, 0]))
    assert not chain.value(states).any()
    assert chain.value({**states, "n999": np.array([0, 1])}).tolist() == [False, True]


def test_chains_of_exclusive_or_count_the_true_ones():
    chain = parse("a xor b xor c and d")
    for a, b, c, d in itertools.product((0, 1), repeat=4):
        expected = (a + b + (c and d)) % 2 == 1
        assert bool(chain.value({"a": a, "b": b, "c": c, "d": d})) == expected


@pytest.mark.parametrize("kind", ["or", "and"])
def test_a_gate_is_tabulated_by_its_definition(kind):
    links = (Chance(0.3, 0.7), Chance(0.9, 0.1), Chance(0.25, 0.75))
    table = Gate(kind, ("a", "b", "c"), Chance(0.2, 0.8), links).rows
    for states in itertools.product((0, 1), repeat=3):
        open_links = [s == (kind == "or") for s in states]
        quiet = 0.8
        for link, is_open in zip(links, open_links, strict=True):
            quiet *= link.fails if is_open else 1.0
        on = 1.0 - quiet if kind == "or" else quiet
        np.testing.assert_allclose(table[states], [1.0 - on, on])


def test_a_chain_of_a_hundred_thousand_nodes_is_ordered():
    chain = [{"id": "n0", "prior": 0.5}]
    chain += [{"id": f"n{i}", "leak": 0.1, "causes": {f"n{i - 1}": 0.5}} for i in range(1, 100_000)]
    model, _ = build_scm({"hickam": 1, "name": "x", "nodes": chain[::-1]})
    assert list(model.nodes)[:3] == ["n0", "n1", "n2"]
