"""Random small networks with cases, for laws that must hold on all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from hickam.evidence.case import Case
from hickam.evidence.conflict import is_possible
from hickam.evidence.locate import locate
from hickam.model.build import build_network
from hickam.model.network import Network

# Dyadic, so that binary floating point and exact fractions hold the same number; with both ends.
chances = st.one_of(
    st.integers(1, 63).map(lambda n: n / 64),
    st.sampled_from([0.0, 1.0, 2.0**-20, 1.0 - 2.0**-20]),
)
priors = st.integers(1, 63).map(lambda n: n / 64)


def network_of(document: dict[str, Any]) -> Network:
    """The network of a document that must be valid."""
    network, issues = build_network({"hickam": 1, "name": "test", **document})
    assert network is not None, issues
    return network


@st.composite
def documents(
    draw: st.DrawFn, risks: int = 3, diseases: int = 4, findings: int = 4
) -> dict[str, Any]:
    """A network document of at most these sizes."""
    risk_ids = [f"r{i}" for i in range(draw(st.integers(0, risks)))]
    disease_ids = [f"d{i}" for i in range(draw(st.integers(1, diseases)))]
    finding_ids = [f"f{i}" for i in range(draw(st.integers(1, findings)))]

    def node(name: str, causes: list[str], leaks: st.SearchStrategy[float]) -> dict[str, Any]:
        chosen = draw(st.lists(st.sampled_from(causes), unique=True)) if causes else []
        return {"id": name, "leak": draw(leaks), "causes": {c: draw(chances) for c in chosen}}

    return {
        "risk_factors": [{"id": r, "prior": draw(priors)} for r in risk_ids],
        "diseases": [node(d, risk_ids, chances) for d in disease_ids],
        "findings": [
            node(f, disease_ids, st.sampled_from([0.25, 2.0**-10, 1.0 / 64, 0.5, 1.0]))
            for f in finding_ids
        ],
    }


@st.composite
def documents_with_kinds(draw: st.DrawFn, **sizes: int) -> dict[str, Any]:
    """A network document whose findings are kinds of earlier ones, now and then."""
    document = draw(documents(**sizes))
    findings = document["findings"]
    for position in range(1, len(findings)):
        if draw(st.booleans()):
            findings[position]["is_a"] = f"f{draw(st.integers(0, position - 1))}"
    return document


prevalence_rows = st.lists(
    st.fixed_dictionaries(
        {"factor": st.sampled_from([0.0, 0.25, 0.5, 2.0, 8.0])},
        optional={
            "sex": st.sampled_from(["female", "male"]),
            "age": st.sampled_from([[0, 10], [10, 60], [60, 120]]),
        },
    ),
    max_size=2,
)


@st.composite
def documents_by_person(draw: st.DrawFn, **sizes: int) -> dict[str, Any]:
    """A network document with kinds of findings, and factors by sex and age on every layer."""
    document = draw(documents_with_kinds(**sizes))
    for layer in ("risk_factors", "diseases", "findings"):
        for node in document[layer]:
            rows = draw(prevalence_rows)
            if rows:
                node["prevalence"] = rows
    if draw(st.booleans()):
        document["categories"] = [draw(measurements(document))]
    return document


@st.composite
def measurements(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """A category of any form for a document."""
    diseases = [node["id"] for node in document["diseases"]]
    findings = [node["id"] for node in document["findings"]]
    form = draw(st.sampled_from(["chosen", "cut", "curve", "test"]))
    item: dict[str, Any] = {"id": "c", "name": "C", "synonyms": ["see"]}
    if draw(st.booleans()):
        item |= {"of": draw(st.sampled_from(findings)), "cost": draw(priors)}
    if form == "test":
        return item | {"sensitivity": {diseases[0]: draw(chances)}, "specificity": draw(priors)}
    if form == "curve":
        ratios = draw(st.lists(st.sampled_from([0.25, 1.0, 8.0]), min_size=1, max_size=3))
        return item | {"unit": "mg", "curves": {diseases[0]: list(map(list, enumerate(ratios)))}}
    low = draw(priors)
    item |= {"values": ["low", "high"], "otherwise": [low, 1.0 - low]}
    item["given"] = {diseases[-1]: [1.0 - low, low]}
    item["means"] = {"high": {draw(st.sampled_from(["present", "absent"])): findings[:1]}}
    if form == "cut":
        item |= {"unit": "C", "units": {"F": {"times": 0.5, "plus": -1.5}}, "range": [0, 9]}
        item["cuts"] = [draw(st.integers(1, 8))]
        if draw(st.booleans()):
            item["second_cuts"] = [draw(st.integers(1, 8))]
    return item


@st.composite
def cases_for(draw: st.DrawFn, network: Network, *, soft: bool = False) -> Case:
    """A possible case on a network."""
    states = {f: draw(st.sampled_from(["present", "absent", "unknown"])) for f in network.findings}
    risks = {r: draw(st.sampled_from([True, False, None])) for r in network.risk_factors}
    likelihoods = {}
    if soft:
        ratios = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 8.0])
        likelihoods = {d: draw(ratios) for d in network.diseases if draw(st.booleans())}
    case = Case(
        present=[f for f, state in states.items() if state == "present"],
        absent=[f for f, state in states.items() if state == "absent"],
        risks=risks,
        likelihoods=likelihoods,
    )
    assume(is_possible(network, locate(case, network)))
    return case


@st.composite
def networks_with_cases(
    draw: st.DrawFn, *, soft: bool = False, **sizes: int
) -> tuple[Network, Case]:
    """A random network and a possible case on it."""
    network = network_of(draw(documents(**sizes)))
    return network, draw(cases_for(network, soft=soft))
