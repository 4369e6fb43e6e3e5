"""Laws of identification: bounds over couplings contain the truth and are attained."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam.advise.queries import query
from models import inner, model_of

slowly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def bare_and_true(prior, functions, chances, parents=1):
    """(model with a bare table, model whose noise is the given mix of response functions).

    The disease d (and a second one, e, with two parents) causes s; function i answers
    functions[i][row] and has chance chances[i].
    """
    causes = ["d", "e"][:parents]
    diseases = [{"id": c, "role": "disease", "prior": prior} for c in causes]
    rows = 2**parents
    on = [sum(p for f, p in zip(functions, chances, strict=True) if f[r]) for r in range(rows)]
    table = [min(max(p, 0.0), 1.0) for p in on]
    bare = {"id": "s", "role": "finding", "parents": causes, "table": table, "coupling": "monotone"}
    noise = {
        "id": "u",
        "states": [f"f{i}" for i in range(len(functions))],
        "table": [list(chances)],
    }
    answered = {
        "id": "s",
        "role": "finding",
        "parents": ["u", *causes],
        "table": [float(f[r]) for f in functions for r in range(rows)],
    }
    return model_of([*diseases, bare]), model_of([noise, *diseases, answered])


@st.composite
def mixes(draw, rows):
    functions = list(itertools.product((0, 1), repeat=rows))
    counts = [draw(st.integers(0, 8)) for _ in functions]
    assume(sum(counts) > 0)
    total = sum(counts)
    return functions, [count / total for count in counts]


def ask(model):
    return query(model, {"s": True}, {"d": False}, {"s": False})[0]


@given(inner, mixes(2))
@slowly
def test_the_bounds_contain_the_truth_under_any_coupling(prior, mix):
    bare, true = bare_and_true(prior, *mix)
    assume(0.0 < mix[1][-1] < 1.0)
    answer, truth = ask(bare), ask(true)
    assert truth.status == "identified"
    assert answer.lower - 1e-9 <= truth.probability <= answer.upper + 1e-9


@given(inner, mixes(4))
@slowly
def test_the_bounds_contain_the_truth_with_two_causes(prior, mix):
    bare, true = bare_and_true(prior, *mix, parents=2)
    assume(mix[1][-1] > 0.0)
    answer, truth = ask(bare), ask(true)
    assert answer.lower - 1e-9 <= truth.probability <= answer.upper + 1e-9


@given(inner, inner, inner)
@slowly
def test_both_bounds_are_attained(prior, when_off, when_on):
    functions = [(0, 0), (0, 1), (1, 0), (1, 1)]
    ends = []
    for both in (max(0.0, when_off + when_on - 1.0), min(when_off, when_on)):
        chances = [1.0 - when_off - when_on + both, when_on - both, when_off - both, both]
        bare, true = bare_and_true(prior, functions, chances)
        ends.append(ask(true).probability)
    answer = ask(bare)
    assert answer.lower == pytest.approx(min(ends), abs=1e-9)
    assert answer.upper == pytest.approx(max(ends), abs=1e-9)


@given(inner, inner, inner)
@slowly
def test_a_table_that_only_rises_is_monotone_and_its_value_the_lower_bound(prior, low, high):
    assume(low < high)
    functions = [(0, 0), (0, 1), (1, 1)]
    bare, true = bare_and_true(prior, functions, [1.0 - high, high - low, low])
    answer = ask(bare)
    assert answer.status == "monotone"
    assert answer.probability == pytest.approx(ask(true).probability, abs=1e-9)
    assert answer.probability == pytest.approx(answer.lower, abs=1e-9)


@given(st.lists(inner, min_size=5, max_size=5))
@settings(slowly, max_examples=15)
def test_the_bounds_of_two_tables_in_a_row_contain_and_attain_the_truth(chances):
    prior, m0, m1, s0, s1 = chances
    table = {"coupling": "independent"}
    bare = model_of(
        [
            {"id": "d", "role": "disease", "prior": prior},
            {"id": "m", "parents": ["d"], "table": [m0, m1], **table},
            {"id": "s", "role": "finding", "parents": ["m"], "table": [s0, s1], **table},
        ]
    )
    functions = [(0, 0), (0, 1), (1, 0), (1, 1)]
    values = []
    for side in itertools.product((0.0, 0.5, 1.0), repeat=2):
        nodes = [{"id": "d", "role": "disease", "prior": prior}]
        for name, parent, off, on, share in (
            ("m", "d", m0, m1, side[0]),
            ("s", "m", s0, s1, side[1]),
        ):
            low, high = max(0.0, off + on - 1.0), min(off, on)
            both = low + share * (high - low)
            mix = [1.0 - off - on + both, on - both, off - both, both]
            nodes.append({"id": f"u{name}", "states": list("abcd"), "table": [mix]})
            rows = [float(f[r]) for f in functions for r in range(2)]
            role = "finding" if name == "s" else "other"
            nodes.append({"id": name, "role": role, "parents": [f"u{name}", parent], "table": rows})
        values.append(ask(model_of(nodes)).probability)
    answer = ask(bare)
    assert answer.status in ("bounded", "identified")
    assert answer.lower == pytest.approx(min(values), abs=1e-9)
    assert answer.upper == pytest.approx(max(values), abs=1e-9)


@given(st.lists(inner, min_size=6, max_size=6))
@settings(slowly, max_examples=15)
def test_the_bounds_of_a_sum_over_findings_are_attained_by_one_coupling(chances):
    prior, off, on, s_link, t_link, leak = chances
    findings = [
        {"id": "n", "function": "not m"},
        {"id": "s", "role": "finding", "leak": leak, "causes": {"m": s_link}},
        {"id": "t", "role": "finding", "leak": leak, "causes": {"n": t_link}},
    ]
    case = hickam.Case(present=["s", "t"])
    disease = {"id": "d", "role": "disease", "prior": prior}
    bare = {"id": "m", "parents": ["d"], "table": [off, on], "coupling": "independent"}
    found = {i.measure: i for i in hickam.identify(model_of([disease, bare, *findings]), case)}
    values = []
    functions = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for share in (0.0, 0.5, 1.0):
        low, high = max(0.0, off + on - 1.0), min(off, on)
        both = low + share * (high - low)
        mix = [1.0 - off - on + both, on - both, off - both, both]
        rows = [float(f[r]) for f in functions for r in range(2)]
        noise = {"id": "u", "states": list("abcd"), "table": [mix]}
        answered = {"id": "m", "parents": ["u", "d"], "table": rows}
        settled = model_of([disease, noise, answered, *findings])
        values.append(hickam.infer(settled, case, engine="abduction").disabled.sum())
    one = found["disablement"]
    assert one.lower == pytest.approx(min(values), abs=1e-9)
    assert one.upper == pytest.approx(max(values), abs=1e-9)


def test_the_measures_say_what_they_rest_on():
    nodes = [
        {"id": "d", "role": "disease", "prior": 0.25},
        {"id": "e", "role": "disease", "prior": 0.25},
        {"id": "s", "role": "finding", "parents": ["d", "e"], "table": [0.1, 0.5, 0.6, 0.3]},
    ]
    model = model_of(nodes)
    case = hickam.Case(present=["s"])
    found = {(i.disease, i.measure): i for i in hickam.identify(model, case)}
    one = found["d", "disablement"]
    beliefs = hickam.infer(model, case)
    assert one.status == "bounded"
    assert one.tables == ("s",)
    assert one.value == pytest.approx(beliefs.disabled[0].sum())
    assert one.lower < one.upper
    assert any("'d'" in note and "over all couplings" in note for note in beliefs.accuracy.notes)


def test_a_model_without_bare_tables_is_identified_and_says_nothing():
    nodes = [
        {"id": "d", "role": "disease", "prior": 0.25},
        {"id": "c", "role": "disease", "leak": 0.1, "causes": {"d": 0.5}},
        {"id": "s", "role": "finding", "leak": 0.1, "causes": {"c": 0.5}},
    ]
    model = model_of(nodes)
    case = hickam.Case(present=["s"])
    assert {i.status for i in hickam.identify(model, case)} == {"identified"}
    assert hickam.infer(model, case).accuracy.notes == ()


@given(st.lists(inner, min_size=8, max_size=8))
@slowly
def test_an_independent_coupling_lies_within_the_bounds(rows):
    nodes = [{"id": d, "role": "disease", "prior": 0.3} for d in "def"]
    table = {"parents": list("def"), "table": rows, "coupling": "independent"}
    model = model_of([*nodes, {"id": "s", "role": "finding", **table}])
    answer = ask(model)
    assert answer.lower - 1e-9 <= answer.probability <= answer.upper + 1e-9
    assert np.isfinite(answer.probability)
