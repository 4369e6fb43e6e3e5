"""Public networks: posteriors as pyAgrum has them, and exports that keep every number."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pyagrum_nets
from hickam.evidence.locate import locate
from hickam.io.load import read_network
from hickam.io.save import save
from hickam.model.kinds import as_scm
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of
from hickam.twin.exact import Setting, chance_of, solve
from hickam.twin.observe import observe
from hickam.upgrade.patients import patients

FOLDER = os.environ.get("HICKAM_NETWORKS", "")
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="set HICKAM_NETWORKS to a folder of public networks"
)
FILES = [p.name for p in sorted(Path(FOLDER).iterdir()) if p.suffix != ".md"] if FOLDER else []
QUICK = ("asia.bif.gz", "alarm.bif.gz", "cpcs54.uai", "hepar2.bif.gz", "munin1.bif.gz",
         "BN-two-diseases.pgmx")  # fmt: skip
CASES = 6  # `benchmarks/foreign.py` compares more, on every network


@cache
def public(name: str) -> SCM:
    model, issues = read_network(Path(FOLDER) / name)
    assert model is not None, issues
    return as_scm(model)


@pytest.mark.parametrize("name", QUICK)
def test_posteriors_of_every_state_are_those_of_pyagrum(name: str) -> None:
    pytest.importorskip("pyagrum")
    model = public(name)
    net = pyagrum_nets.build(model)
    for number, patient in enumerate(patients(model, CASES, np.random.default_rng(1))):
        case = patient.case
        if number % 2 and name != "munin1.bif.gz":  # that one is too large without them
            kept = {n: v for n, v in case.categories.items() if n not in model.risk_factors}
            case = replace(case, risks={}, categories=kept)
        seen = observe(model, locate(case, model))
        assert not seen.weights
        found = solve(Setting(model, seen.states, {}), (), [(0, d) for d in model.diseases])
        theirs = pyagrum_nets.posteriors(net, model, seen.states, model.diseases)
        for disease, chances in theirs.items():
            for state, chance in enumerate(chances.tolist()):
                ours = chance_of(found, disease, world=0, state=state)
                assert ours == pytest.approx(chance, abs=1e-9), (disease, state)


def assert_same_tables(again: SCM, model: SCM, *, nameless: bool = False) -> None:
    """Every table is the same; nodes and states go by their places, as names may be respelled.

    Two states may come back in the other order: then the first is named as the second was. A form
    without names calls them 0 and 1 by their places.
    """
    twin = dict(zip(model.nodes, again.order, strict=True))
    if set(again.nodes) == set(model.nodes):
        twin = {node: node for node in model.nodes}

    def turned(node: str) -> bool:
        states, others = model.nodes[node].states, again.nodes[twin[node]].states
        if nameless:
            return others == ("1", "0")
        plain = [re.sub(r"\W", "_", state, flags=re.ASCII) for state in (others[0], states[1])]
        return len(states) == 2 and plain[0].endswith(plain[1]) and states[0] != others[0]

    for node in model:
        found = again.nodes[twin[node.id]]
        assert found.parents == tuple(twin[parent] for parent in node.parents)
        mine, theirs = table_of(node, model), table_of(found, again)
        assert mine is not None
        assert theirs is not None
        axes = [axis for axis, name in enumerate((*node.parents, node.id)) if turned(name)]
        np.testing.assert_allclose(np.flip(theirs, axes), mine, atol=1e-12, err_msg=node.id)


@pytest.mark.parametrize("ending", ["bif", "xdsl", "uai"])
@pytest.mark.parametrize("name", FILES)
def test_an_export_keeps_every_number(name: str, ending: str, tmp_path: Path) -> None:
    model = public(name)
    path = tmp_path / f"again.{ending}"
    save(model, path)
    read, issues = read_network(path)
    assert read is not None, issues
    assert_same_tables(as_scm(read), model, nameless=ending == "uai")


@pytest.mark.parametrize("name", FILES)
def test_our_own_format_keeps_names_roles_and_normal_states_too(name: str, tmp_path: Path) -> None:
    model = public(name)
    path = tmp_path / "again.json"
    save(model, path)
    read, issues = read_network(path)
    assert read is not None, issues
    again = as_scm(read)
    assert_same_tables(again, model)
    assert again.order == model.order
    for node in model:
        found = again.nodes[node.id]
        said = (found.role, found.states, found.normal, type(found.mechanism))
        assert said == (node.role, node.states, node.normal, type(node.mechanism))
