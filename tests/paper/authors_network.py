"""The authors' released network and vignettes, read with the conventions of the reference answers.

First entry of a duplicate parent, an impossible λ clipped, no duration factor, no prior shift.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hickam.evidence.case import Case
from hickam.model.build import build_network
from hickam.model.network import Network


def read_authors(folder: Path) -> tuple[Network, list[Case]]:
    """Network A and the cases of its vignettes, in the order of the file."""
    nodes = json.loads((folder / "example_networks.json").read_text())["A"]
    document: dict[str, Any] = {"hickam": 1, "name": "A"}
    document["risk_factors"] = [
        {"id": node, "prior": entry["cpt"][1]}
        for node, entry in nodes.items()
        if entry["label"] == "Risk"
    ]
    for layer, label in (("diseases", "Disease"), ("findings", "Symptom")):
        document[layer] = [
            {"id": node, "leak": 1.0 - entry["cpt"][-1], "causes": _first_causes(entry)}
            for node, entry in nodes.items()
            if entry["label"] == label and not isinstance(entry["cpt"][-1], list)
        ]
    network, issues = build_network(document)
    assert network is not None, [str(issue) for issue in issues][:5]
    cards = [
        entry["card"] for entry in json.loads((folder / "vignettes.json").read_text()).values()
    ]
    return network, [_case(card, network) for card in cards if card["network_name"] == "A"]


def _first_causes(entry: dict[str, Any]) -> dict[str, float]:
    causes: dict[str, float] = {}
    for parent, fails in zip(entry["parents"], entry["cpt"], strict=False):
        causes.setdefault(parent, 1.0 - min(max(fails, 0.0), 1.0))
    return causes


def _case(card: dict[str, Any], network: Network) -> Case:
    present, absent = [], []
    for symptom in card["symptoms"]:
        node = symptom["concept"]["id"]
        if node in network.index and node in network.findings:
            (absent if symptom["severity"] == "NOT_PRESENT" else present).append(node)
    risks = {
        risk["concept"]["id"]: risk["presence"] == "PRESENT"
        for risk in card["risk_factors"]
        if risk["label"] == "Risk" and risk["concept"]["id"] in network.risk_factors
    }
    return Case(present=present, absent=absent, risks=risks, id=str(card["id"]))
