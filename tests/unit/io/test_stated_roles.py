"""Roles and normal states that files of other programs state, and those that are guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

import hickam
from hickam.io.load import read_network
from hickam.io.roles_file import template_of
from hickam.language.vocabulary import node_vocabulary, vocabularies
from hickam.model.guessed import Guessed
from hickam.model.kinds import as_scm
from hickam.model.scm import SCM
from hickam.report.mechanism import describe_node
from hickam.upgrade.tables import readings

# As GeNIe writes its diagnostic extension: what has no diagtype is auxiliary.
GENIE = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="Asia" numsamples="10000" discsamples="10000"><nodes>
<cpt id="smoke" diagtype="observation" ranked="true"><state id="no"/><state id="yes"/>
 <probabilities>0.5 0.5</probabilities></cpt>
<cpt id="lung" diagtype="target"><state id="green"/><state id="red" fault="true"/>
 <parents>smoke</parents><probabilities>0.99 0.01 0.9 0.1</probabilities></cpt>
<cpt id="bronc" diagtype="target"><state id="rouge" fault="true"/><state id="vert"/>
 <parents>smoke</parents><probabilities>0.3 0.7 0.6 0.4</probabilities></cpt>
<cpt id="either"><state id="Nothing"/><state id="Something"/><parents>lung bronc</parents>
 <probabilities>0 1 1 0 0 1 0 1</probabilities></cpt>
<cpt id="xray" diagtype="observation" ranked="true"><state id="Normal"/><state id="Abnormal"/>
 <parents>either</parents><probabilities>0.95 0.05 0.02 0.98</probabilities></cpt>
</nodes><extensions><genie version="1.0" app="GeNIe 5.0.4830.2 EVALUATION" name="Asia"/>
</extensions></smile>"""


def read(path: Path, text: str) -> SCM:
    path.write_text(text, encoding="utf-8")
    model, issues = read_network(path)
    assert model is not None, issues
    return as_scm(model)


def test_genie_states_targets_observations_and_faults(tmp_path: Path) -> None:
    model = read(tmp_path / "asia.xdsl", GENIE)
    assert model.risk_factors == ("smoke",)
    assert model.diseases == ("lung", "bronc")
    assert model.findings == ("xray",)
    assert model.of_role("other") == ("either",)
    normal = {node.id: node.states[node.off] for node in model}
    assert normal == {"smoke": "no", "lung": "green", "bronc": "vert", "either": "Nothing",
                      "xray": "Normal"}  # fmt: skip
    assert not model.guessed


def test_without_the_extension_roles_are_guessed_and_said_to_be(tmp_path: Path) -> None:
    text = GENIE.replace(' diagtype="observation"', "").replace(' diagtype="target"', "")
    model = read(tmp_path / "asia.xdsl", text)
    assert model.guessed == Guessed(("smoke", "lung", "bronc", "either", "xray"))


PURPOSES = [
    ("Disease", "disease"), ("diseaseAnomaly", "disease"), ("Disease or anomaly", "disease"),
    ("symptom", "finding"), ("Sign", "finding"), ("Test", "finding"), ("riskFactor", "risk factor"),
    ("Risk factor", "risk factor"), ("Factor_de_riesgo", "risk factor"), ("auxiliary", "other"),
]  # fmt: skip


@pytest.mark.parametrize(("purpose", "role"), PURPOSES)
def test_openmarkov_states_a_purpose(purpose: str, role: str, tmp_path: Path) -> None:
    variable = """<Variable name="{}" type="finiteStates" role="chance">{}<States>
    <State name="absent"/><State name="present"/></States></Variable>"""
    said = (
        f'<AdditionalProperties><Property name="Purpose" value="{purpose}"/></AdditionalProperties>'
    )
    text = f"""<ProbModelXML><ProbNet type="BayesianNetwork"><Variables>
    {variable.format("a", said)}{variable.format("b", "")}</Variables><Potentials>
    <Potential type="Table"><Variables><Variable name="a"/></Variables><Values>0.9 0.1</Values>
    </Potential><Potential type="Table"><Variables><Variable name="b"/><Variable name="a"/>
    </Variables><Values>0.9 0.1 0.2 0.8</Values></Potential></Potentials></ProbNet>
    </ProbModelXML>"""
    model = read(tmp_path / "m.pgmx", text)
    assert model.nodes["a"].role == role
    assert model.guessed.roles == ("b",)


MAX = """<smile id="m"><nodes>
<cpt id="a"><state id="yes"/><state id="no"/><probabilities>0.2 0.8</probabilities></cpt>
<cpt id="b"><state id="yes"/><state id="no"/><probabilities>0.2 0.8</probabilities></cpt>
<noisymax id="x"><state id="severe"/><state id="mild"/><state id="none"/><parents>a b</parents>
 <strengths>0 1 0 1</strengths>
 <parameters>.2 .3 .5 0 0 1 .3 .3 .4 0 0 1 .01 .04 .95</parameters></noisymax>
</nodes></smile>"""


def test_roles_are_guessed_on_the_graph_of_the_file_and_its_parts_are_never_shown(
    tmp_path: Path,
) -> None:
    model = read(tmp_path / "m.xdsl", MAX)
    assert {name: model.nodes[name].role for name in ("a", "b", "x")} == {
        "a": "disease", "b": "disease", "x": "finding"
    }  # fmt: skip
    assert model.of_role("other") == ()
    assert model.guessed.roles == ("a", "b", "x")
    shown = {"a", "b", "x"}
    assert set(node_vocabulary(model).ids) == shown
    assert {name for words in vocabularies(model).values() for name in words.ids} == shown
    assert {reading.node for reading in readings(model)} == shown
    assert [r.kind for r in readings(model)] == ["prior", "prior", "noisy-MAX"]
    assert {line.split(",")[0] for line in template_of(model).splitlines()[1:]} == shown
    assert "contribute: a, b" in " ".join(describe_node(model, "x"))
    assert "affects: x" in " ".join(describe_node(model, "a"))
    found = hickam.infer(model, hickam.Case(present=["x"]))
    assert not any("|" in note for note in found.accuracy.notes)


def test_the_graph_with_its_parts_survives_our_own_format(tmp_path: Path) -> None:
    from hickam.io.save import save

    model = read(tmp_path / "m.xdsl", MAX)
    save(model, tmp_path / "m.yaml")
    again = as_scm(hickam.load(tmp_path / "m.yaml"))
    assert {node.id: node.role for node in again} == {node.id: node.role for node in model}
    assert again.guessed == model.guessed
