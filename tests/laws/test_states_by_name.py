"""What a model of another program answers does not rest on how its states are named or listed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hickam
from hickam.io.foreign.bif import read_bif
from hickam.model.kinds import as_scm

slowly = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
PARENTS = {"sex": (), "d1": ("sex",), "d2": ("sex", "d1"), "f1": ("d1", "d2"), "f2": ("d2", "sex")}
TWO = [("absent", "present"), ("no", "yes"), ("normal", "high"), ("None", "Severe"),
       ("healthy", "sick"), ("negative", "positive"), ("OK", "faulty"), ("FALSE", "TRUE"),
       ("unaffected", "affected")]  # fmt: skip
MORE = [("none", "mild", "severe"), ("absent", "moderate", "marked"), ("no", "few", "many")]
SEX = ("female", "male")


@st.composite
def named_twice(draw) -> tuple[str, str]:
    """Two BIF texts of one model: each with its own names and its own order of the states."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    many = {name: draw(st.booleans()) for name in PARENTS}
    kinds = {name: [SEX] if name == "sex" else (MORE if many[name] else TWO) for name in PARENTS}
    rows = {}
    for name, above in PARENTS.items():
        sizes = [len(kinds[parent][0]) for parent in above]
        rows[name] = rng.dirichlet(np.ones(len(kinds[name][0])), size=sizes)
        rows[name][..., 0] += 2.0  # the first state is likely enough to be the normal one
        rows[name] /= rows[name].sum(axis=-1, keepdims=True)
    texts = []
    for _ in range(2):
        states = {name: draw(st.sampled_from(kinds[name])) for name in PARENTS}
        orders = {name: draw(st.permutations(range(len(states[name])))) for name in PARENTS}
        texts.append(bif(rows, states, orders))
    return texts[0], texts[1]


def bif(rows, states, orders) -> str:
    """A BIF text of these tables, with the states of each variable listed in an order."""
    parts = ["network n {}"]
    for name, listed in states.items():
        order = [listed[place] for place in orders[name]]
        parts.append(
            f"variable {name} {{ type discrete [{len(order)}] {{ {', '.join(order)} }}; }}"
        )
    for name, above in PARENTS.items():
        given_ = f" | {', '.join(above)}" if above else ""
        parts.append(f"probability ( {name}{given_} ) {{")
        for place in itertools.product(*(range(len(states[parent])) for parent in above)):
            row = rows[name][place][orders[name]]
            key = ", ".join(states[p][i] for p, i in zip(above, place, strict=True))
            parts.append(
                f"  {f'({key})' if above else 'table'} {', '.join(map(repr, row.tolist()))};"
            )
        parts.append("}")
    return "\n".join(parts)


def model_of(text: str):
    model, issues = read_bif(text, "n.bif")
    assert model is not None, issues
    assert not model.guessed.normal
    return as_scm(model)


@given(named_twice())
@slowly
def test_naming_and_listing_states_otherwise_changes_no_answer(drawn):
    first, second = map(model_of, drawn)
    case = hickam.Case(present=["f1"], absent=["f2"])
    one, other = hickam.infer(first, case), hickam.infer(second, case)
    for table in ("posterior", "disabled", "sustained", "unexplained"):
        assert getattr(other, table) == pytest.approx(getattr(one, table), abs=1e-9), table
    assert other.log_evidence == pytest.approx(one.log_evidence, abs=1e-9)


@given(named_twice())
@slowly
def test_naming_and_listing_states_otherwise_changes_no_status(drawn):
    found = []
    for model in map(model_of, drawn):
        case = hickam.Case(present=["f1"], absent=["f2"])
        found.append(hickam.identify(model, case))
    for one, other in zip(*found, strict=True):
        assert (other.disease, other.measure, other.status) == (
            one.disease,
            one.measure,
            one.status,
        )
        assert other.value == pytest.approx(one.value, abs=1e-9)
