"""Networks in other people's formats: read as written there, refused with a place where broken."""

from __future__ import annotations

import gzip
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import hickam
from foreign_texts import BIF, TEXTS
from hickam.io.foreign.roles import guess_roles
from hickam.io.load import read_network
from hickam.io.save import save
from hickam.issues import InvalidInput
from hickam.model.kinds import as_scm
from hickam.model.mechanism import Gate
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of


def write(folder: Path, ending: str, text: str) -> Path:
    path = folder / f"asia.{ending}"
    path.write_text(text, encoding="utf-8")
    return path


def rows_by_state(model: SCM, node: str) -> dict[tuple[str, ...], float]:
    """P of every own state given every combination of the parents' states, by names."""
    found = model.nodes[node]
    rows = table_of(found, model)
    assert rows is not None
    names = [model.nodes[parent].states for parent in found.parents] + [found.states]
    flat = rows.ravel().tolist()
    return dict(zip(itertools.product(*names), flat, strict=True))


@pytest.mark.parametrize("ending", TEXTS)
def test_the_same_network_is_read_from_every_format(ending: str, tmp_path: Path) -> None:
    model, _ = read_network(write(tmp_path, ending, TEXTS[ending]))
    assert isinstance(model, SCM)
    smoke, lung, size = ("X0", "X1", "X2") if ending == "uai" else ("smoke", "lung", "size")
    yes, no = ("0", "1") if ending == "uai" else ("yes", "no")
    none, small, large = model.nodes[size].states
    assert rows_by_state(model, lung)[yes, yes] == pytest.approx(0.1, abs=1e-15)
    assert rows_by_state(model, lung)[no, no] == pytest.approx(0.99, abs=1e-15)
    third = rows_by_state(model, size)
    assert model.nodes[size].parents == (lung, smoke)
    assert [third[yes, yes, s] for s in (none, small, large)] == [0.1, 0.3, 0.6]
    assert [third[yes, no, s] for s in (none, small, large)] == [0.2, 0.4, 0.4]
    assert [third[no, yes, s] for s in (none, small, large)] == [1.0, 0.0, 0.0]


def test_a_gzipped_file_is_read_like_the_file_itself(tmp_path: Path) -> None:
    plain = hickam.load(write(tmp_path, "bif", BIF))
    packed = tmp_path / "asia.BIF.gz"
    packed.write_bytes(gzip.compress(BIF.encode()))
    assert hickam.load(packed).hash == plain.hash


def test_a_truncated_gzip_file_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "asia.bif.gz"
    packed.write_bytes(gzip.compress(BIF.encode())[:-9])
    with pytest.raises(InvalidInput, match="cannot be unpacked"):
        hickam.load(packed)


@pytest.mark.parametrize("ending", ["bif", "uai", "xdsl"])
@pytest.mark.parametrize("name", ["smoker", "car", "asia"])
def test_what_is_written_is_read_back_to_the_last_digit(
    name: str, ending: str, tmp_path: Path
) -> None:
    source = write(tmp_path, "bif", BIF) if name == "asia" else name
    model = as_scm(hickam.load(source))
    path = tmp_path / f"again.{ending}"
    save(model, path)
    again = as_scm(hickam.load(path, guess=True))
    assert len(again.nodes) == len(model.nodes)
    for before, after in zip(model, again, strict=True):
        first, second = table_of(before, model), table_of(after, again)
        assert first is not None
        assert second is not None
        if before.states != after.states and ending == "xdsl":
            continue
        np.testing.assert_allclose(second, first, rtol=0, atol=1e-15)


def test_a_noisy_max_of_two_states_becomes_a_noisy_or(tmp_path: Path) -> None:
    model = as_scm(hickam.load("smoker"))
    save(model, tmp_path / "smoker.xdsl")
    again = as_scm(hickam.load(tmp_path / "smoker.xdsl"))
    gates = [n for n in again if isinstance(n.mechanism, Gate) and n.mechanism.parents]
    assert len(gates) == sum(1 for n in model if n.parents) > 0


def test_a_noisy_max_of_many_states_is_the_largest_of_what_its_causes_contribute(
    tmp_path: Path,
) -> None:
    given = {
        "a": np.array([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2]]),
        "b": np.array([[1.0, 0.0, 0.0], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]),
    }
    leak = np.array([0.9, 0.08, 0.02])
    text = f"""<smile id="m"><nodes>
<cpt id="a"><state id="on"/><state id="off"/><probabilities>0.2 0.8</probabilities></cpt>
<cpt id="b"><state id="severe"/><state id="mild"/><state id="none"/>
 <probabilities>0.1 0.3 0.6</probabilities></cpt>
<noisymax id="x"><state id="high"/><state id="some"/><state id="no"/><parents>a b</parents>
 <strengths>0 1 0 1 2</strengths><parameters>
 {" ".join(map(str, given["a"][1][::-1]))} 0 0 1
 {" ".join(map(str, given["b"][2][::-1]))} {" ".join(map(str, given["b"][1][::-1]))} 0 0 1
 {" ".join(map(str, leak[::-1]))}</parameters></noisymax></nodes></smile>"""
    model = hickam.load(write(tmp_path, "xdsl", text))
    for (i, a), (j, b) in itertools.product(
        enumerate(("off", "on")), enumerate(("none", "mild", "severe"))
    ):
        below = np.cumsum(leak) * np.cumsum(given["a"][i]) * np.cumsum(given["b"][j])
        wanted = np.diff(below, prepend=0.0)
        answers = hickam.query(model, {"a": a, "b": b}, {}, ["x"])
        found = {answer.target["x"]: answer.probability for answer in answers}
        np.testing.assert_allclose([found["no"], found["some"], found["high"]], wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("ending", "old", "new", "message"),
    [
        ("bif", "(yes) 0.1, 0.9;", "(yes) 0.1, 0.8;", "sums to 0.9"),
        ("bif", "(yes) 0.1, 0.9; (no)", "(no)", r"lacks the row \(yes\)"),
        ("bif", "lung | smoke", "lung | smok", "did you mean 'smoke'"),
        ("bif", "(yes) 0.1, 0.9;", "(yse) 0.1, 0.9;", "did you mean 'yes'"),
        ("bif", "0.3, 0.7", "0.3, x", "'x' where a number should be"),
        ("bif", "smoke ) {", "smoke | size ) {", "numbers where|cycle"),
        ("bif", "default 1.0, 0.0, 0.0;  // no tumour", "", "lacks the row"),
        ("uai", "0.99\n12", "0.99\n11", "11 entries where 12 should be"),
        ("uai", "1 0 0   1 0 0", "1 0 0   1 0", "ends too early"),
        ("uai", "2 2 3", "2 2 9999", "at most 1,000"),
        ("uai", "BAYES", "MARKOV", "not BAYES"),
        ("xmlbif", "<GIVEN>smoke", "<GIVEN>smok", "did you mean 'smoke'"),
        ("xmlbif", "<!ELEMENT BIF (NETWORK)*>", "<!ENTITY e 'x'>", "entities are not read"),
        ("xmlbif", "0.3 0.7", "0.3", "1 numbers where 2"),
        ("xmlbif", "</NETWORK>", "", "is not XML"),
        ("net", "(0.3 0.7)", "(0.3 0.4)", "sums to 0.7"),
        ("net", "node lung", "decision lung", "no decisions"),
        ("net", "potential (smoke) { data = (0.3 0.7); }", "", "has no potential"),
        ("xdsl", "<cpt id=\"lung\">", "<equation id=\"lung\">", "is not XML"),
        ("xdsl", "<parents>smoke", "<parents>smokr", "did you mean 'smoke'"),
        ("pgmx", 'type="BayesianNetwork"', 'type="InfluenceDiagram"', "not BayesianNetwork"),
        ("pgmx", 'Potential type="Table"', 'Potential type="Exponential"', "only Table"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_with_its_place(
    ending: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    text = TEXTS[ending]
    assert old in text
    with pytest.raises(InvalidInput, match=message) as refused:
        hickam.load(write(tmp_path, ending, text.replace(old, new, 1)))
    assert refused.value.issues[0].file


def test_an_xml_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE BIF [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><BIF>&b;</BIF>'
    with pytest.raises(InvalidInput, match="entities are not read"):
        hickam.load(write(tmp_path, "xmlbif", bomb))


def test_an_external_entity_is_refused(tmp_path: Path) -> None:
    text = '<!DOCTYPE BIF [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF>&a;</BIF>'
    with pytest.raises(InvalidInput, match="entities are not read"):
        hickam.load(write(tmp_path, "pgmx", text))


def test_xml_nested_a_million_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="levels deep"):
        hickam.load(write(tmp_path, "xdsl", "<a>" * 1_000_000))


def test_a_table_larger_than_any_model_is_refused_before_it_is_made(tmp_path: Path) -> None:
    nodes = "".join(f"variable v{i} {{ type discrete [2] {{a, b}}; }}\n" for i in range(60))
    parents = ", ".join(f"v{i}" for i in range(1, 60))
    text = f"network n {{}}\n{nodes}probability ( v0 | {parents} ) {{ default 0.5, 0.5; }}"
    with pytest.raises(InvalidInput, match="cells"):
        hickam.load(write(tmp_path, "bif", text))


def test_rows_that_the_file_rounded_are_scaled_and_said_to_be(tmp_path: Path) -> None:
    text = BIF.replace("0.1, 0.3, 0.6", "0.1, 0.3, 0.599")
    model, issues = read_network(write(tmp_path, "bif", text))
    assert model is not None
    assert any("scaled to sum to 1" in issue.fix for issue in issues)
    assert sum(rows_by_state(as_scm(model), "size")[("yes", "yes", s)]
               for s in model.nodes["size"].states) == pytest.approx(1.0, abs=1e-12)  # fmt: skip


def test_roles_are_guessed_from_structure_and_names_and_said_to_be(tmp_path: Path) -> None:
    model, issues = read_network(write(tmp_path, "bif", BIF))
    assert model is not None
    assert (model.risk_factors, model.diseases, model.findings) == (
        ("smoke",),
        ("lung",),
        ("size",),
    )
    assert any("guessed" in issue.what for issue in issues)


def test_roots_that_act_on_findings_are_diseases_unless_their_name_says_otherwise() -> None:
    roles = guess_roles({"flu": (), "age": (), "fever": ("flu", "age")})
    assert roles == {"flu": "disease", "age": "risk factor", "fever": "finding"}


def test_what_a_noisy_max_causes_is_read_with_its_states_as_the_file_lists_them(
    tmp_path: Path,
) -> None:
    """GeNIe lists the states of a noisy MAX from the strongest down; tables below go by that."""
    text = """<smile id="m"><nodes>
    <cpt id="a"><state id="no"/><state id="yes"/><probabilities>0.8 0.2</probabilities></cpt>
    <noisymax id="x"><state id="high"/><state id="low"/><state id="nil"/><parents>a</parents>
     <strengths>1 0</strengths>
     <parameters>0.5 0.3 0.2 0 0 1 0.05 0.05 0.9</parameters></noisymax>
    <cpt id="t"><state id="neg"/><state id="pos"/><parents>x</parents>
     <probabilities>0.1 0.9 0.6 0.4 0.99 0.01</probabilities></cpt>
    <noisymax id="y"><state id="bad"/><state id="well"/><parents>x</parents>
     <strengths>0 1 2</strengths>
     <parameters>0.8 0.2 0.3 0.7 0 1 0.02 0.98</parameters></noisymax>
    <deterministic id="z"><state id="off"/><state id="on"/><parents>x</parents>
     <resultingstates>on on off</resultingstates></deterministic></nodes></smile>"""
    model = as_scm(hickam.load(write(tmp_path, "xdsl", text)))
    for state, positive, bad in (("high", 0.9, 0.8), ("low", 0.4, 0.3), ("nil", 0.01, 0.0)):
        (answer,) = hickam.query(model, {"x": state}, {}, {"t": "pos"})
        assert answer.probability == pytest.approx(positive)
        (answer,) = hickam.query(model, {"x": state}, {}, {"y": "bad"})
        assert answer.probability == pytest.approx(1.0 - (1.0 - bad) * 0.98)
        (answer,) = hickam.query(model, {"x": state}, {}, {"z": "on"})
        assert answer.probability == float(state != "nil")


PUBLIC = os.environ.get("HICKAM_NETWORKS", "")
needs_networks = pytest.mark.skipif(
    not PUBLIC, reason="set HICKAM_NETWORKS to a folder of public networks"
)
NAMES = ("alarm", "andes", "asia", "cancer", "hepar2", "insurance", "link", "munin1",
         "pathfinder", "win95pts")  # fmt: skip


@needs_networks
@pytest.mark.parametrize("name", NAMES)
def test_the_tables_of_public_networks_are_those_that_pyagrum_reads(
    name: str, tmp_path: Path
) -> None:
    gum = pytest.importorskip("pyagrum")
    packed = Path(PUBLIC) / f"{name}.bif.gz"
    plain = tmp_path / f"{name}.bif"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    theirs, ours = gum.loadBN(str(plain)), as_scm(hickam.load(packed, guess=True))
    assert set(theirs.names()) == set(ours.nodes)
    for node in ours:
        mine = rows_by_state(ours, node.id)
        table = theirs.cpt(node.id)
        place = gum.Instantiation(table)
        while not place.end():
            names = {v.name(): v.label(place.val(v)) for v in place.variablesSequence()}
            key = (*(names[parent] for parent in node.parents), names[node.id])
            assert table.get(place) == pytest.approx(mine[key], abs=2e-7)  # it reads single floats
            place.inc()


@needs_networks
@pytest.mark.parametrize("name", ["BN-catarnet", "BN-hepar", "BN-nasonet", "BN-two-diseases"])
def test_public_networks_of_openmarkov_are_read(name: str) -> None:
    model, issues = read_network(Path(PUBLIC) / f"{name}.pgmx")
    assert isinstance(model, SCM), issues
    assert model.diseases
    assert model.findings
