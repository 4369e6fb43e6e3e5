"""Random small general models with cases, for laws that must hold on all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from hickam.evidence.case import Case
from hickam.model.scm import SCM
from hickam.model.scm_build import build_scm
from hickam.twin.exact import Setting, log_chance

chances = st.one_of(
    st.integers(1, 15).map(lambda n: n / 16),
    st.sampled_from([0.0, 1.0, 2.0**-12]),
)
inner = st.integers(1, 15).map(lambda n: n / 16)


def model_of(nodes: list[dict[str, Any]]) -> SCM:
    """The general model of nodes that must be valid."""
    model, issues = build_scm({"hickam": 1, "name": "test", "nodes": nodes})
    assert model is not None, issues
    return model


@st.composite
def gate_rows(draw: st.DrawFn, count: int, decimals: int = 3) -> list[float]:
    """P(on) by rows of a noisy gate with any states exchanged, rounded."""
    quiet = np.array(draw(inner))
    for _ in range(count):
        factors = [1.0, draw(inner)]
        quiet = np.multiply.outer(quiet, factors[::-1] if draw(st.booleans()) else factors)
    on = np.round(1.0 - quiet if draw(st.booleans()) else quiet, decimals)
    return [float(chance) for chance in on.ravel()]


@st.composite
def nodes_for(draw: st.DrawFn, *, tables: bool = True) -> list[dict[str, Any]]:
    """Nodes of any role and mechanism, each with at most three of the earlier ones as parents."""
    count = draw(st.integers(3, 6))
    roles = ["risk factor", "disease", "finding", "other"]
    forms = ["or", "and", "function"] + (["table", "independent", "gate"] if tables else [])
    nodes: list[dict[str, Any]] = []
    for number in range(count):
        role = "disease" if number == 0 else draw(st.sampled_from(roles))
        role = "finding" if number == count - 1 else role
        node: dict[str, Any] = {"id": f"n{number}", "role": role}
        earlier = [other["id"] for other in nodes]
        most = 3 if count < 6 else 2
        parents = (
            draw(st.lists(st.sampled_from(earlier), unique=True, max_size=most)) if earlier else []
        )
        form = draw(st.sampled_from(forms)) if parents else "or"
        if form == "or":
            node |= {"leak": draw(chances if parents else inner)}
            node["causes"] = {parent: draw(chances) for parent in parents}
        elif form == "and":
            node |= {"keep": draw(inner), "needs": {parent: draw(chances) for parent in parents}}
        elif form == "function":
            words = [f"{draw(st.sampled_from(['', 'not ']))}{parent}" for parent in parents]
            joined = words[0]
            for word in words[1:]:
                joined += f" {draw(st.sampled_from(['and', 'or', 'xor']))} {word}"
            node["function"] = joined
        elif form == "gate":
            node |= {"parents": parents[:2], "table": draw(gate_rows(len(parents[:2])))}
            node["coupling"] = "gate"
        else:
            small = parents[:2]
            rows = [draw(inner) for _ in range(2 ** len(small))]
            node |= {"parents": small, "table": rows}
            node["coupling"] = "independent" if form == "independent" else "monotone"
        nodes.append(node)
    return nodes


@st.composite
def models_with_cases(draw: st.DrawFn, *, tables: bool = True) -> tuple[SCM, Case]:
    """A random general model and a possible case with at least one present finding."""
    model = model_of(draw(nodes_for(tables=tables)))
    states = {f: draw(st.sampled_from(["present", "absent", "unknown"])) for f in model.findings}
    risks = {r: draw(st.sampled_from([True, False, None])) for r in model.risk_factors}
    ratios = st.sampled_from([0.5, 1.0, 4.0])
    case = Case(
        present=[f for f, state in states.items() if state == "present"],
        absent=[f for f, state in states.items() if state == "absent"],
        risks=risks,
        likelihoods={d: draw(ratios) for d in model.diseases},
    )
    assume(case.present)
    observed = dict.fromkeys(case.present, 1) | dict.fromkeys(case.absent, 0)
    observed |= {r: int(on) for r, on in risks.items() if on is not None}
    assume(log_chance(Setting(model, observed, {})) > -20.0)
    return model, case


@st.composite
def models_of_many_states(draw: st.DrawFn) -> tuple[SCM, Case]:
    """Two diseases and two findings of two or three states, by tables, and a possible case."""

    def row(count: int) -> list[float]:
        parts = [draw(st.integers(1, 5)) for _ in range(count)]
        return [part / sum(parts) for part in parts]

    nodes: list[dict[str, Any]] = []
    above: list[dict[str, Any]] = []
    for name, role in (("a", "disease"), ("b", "disease"), ("s", "finding"), ("t", "finding")):
        states = ["none", "some", "much"][: draw(st.integers(2, 3))]
        normal = draw(st.sampled_from(states))
        parents = above if role == "finding" else []
        rows = 1
        for parent in parents:
            rows *= len(parent["states"])
        node = {"id": name, "role": role, "states": states, "normal": normal}
        node["parents"] = [parent["id"] for parent in parents]
        node["table"] = [row(len(states)) for _ in range(rows)]
        node["coupling"] = draw(st.sampled_from(["monotone", "independent"]))
        if role == "disease":
            above.append(node)
        nodes.append(node)
    present = draw(st.sampled_from([["s"], ["s", "t"]]))
    absent = [] if "t" in present else draw(st.sampled_from([[], ["t"]]))
    return model_of(nodes), Case(
        present, absent, likelihoods={"a": draw(st.sampled_from([1.0, 3.0]))}
    )
