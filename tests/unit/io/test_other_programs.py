"""Files that pyAgrum, pgmpy, bnlearn and JavaBayes write, and what they make of ours."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hickam
from hickam.io.load import from_dict, read_network
from hickam.io.save import save
from hickam.model.kinds import as_scm
from hickam.model.scm import SCM
from hickam.model.scm_table_of import as_tables, table_of

A, B, C = ["lo", "hi"], ["x", "y", "z"], ["no", "yes"]
CHANCES = dict(zip(itertools.product(A, B), (0.1, 0.3, 0.5, 0.2, 0.45, 0.8), strict=True))
Cells = dict[tuple[str, str, str], float]
CELLS: Cells = {(a, b, c): p if c == "yes" else 1.0 - p for (a, b), p in CHANCES.items() for c in C}
NEEDS_PGMPY = "pgmpy is not installed; it comes with the extra 'bench', and weighs half a gigabyte"


def cells(model: SCM, names: tuple[str, str, str] = ("a", "b", "c")) -> Cells:
    """P(c | a, b) by the names of the states, in the order of the names given."""
    node = model.nodes[names[2]]
    rows = table_of(node, model)
    assert rows is not None
    axes = (*node.parents, node.id)
    states = [model.nodes[name].states for name in axes]
    found = {}
    for place, chance in zip(itertools.product(*states), rows.ravel().tolist(), strict=True):
        at = dict(zip(axes, place, strict=True))
        found[at[names[0]], at[names[1]], at[names[2]]] = chance
    return found


def read(path: Path) -> SCM:
    model, issues = read_network(path)
    assert model is not None, issues
    return as_scm(model)


def ours() -> SCM:
    """The same network as a model of ours, with a noisy-OR and names that others refuse."""
    table = [[1.0 - p, p] for p in CHANCES.values()]
    causes = {"c": 0.8, "dry cough, 50 %": 0.3}
    nodes = [
        {"id": "a", "states": A, "normal": "lo", "parents": [], "table": [[0.3, 0.7]]},
        {"id": "b", "states": B, "normal": "x", "parents": [], "table": [[0.2, 0.3, 0.5]]},
        {"id": "c", "role": "disease", "states": C, "parents": ["a", "b"], "table": table},
        {"id": "dry cough, 50 %", "role": "disease", "states": ["not there", ">2 cm"],
         "prior": 0.25},
        {"id": "f", "role": "finding", "leak": 0.05, "causes": causes},
    ]  # fmt: skip
    return as_scm(from_dict({"hickam": 1, "name": "Two words", "nodes": nodes}))


def gum_net(gum: Any) -> Any:
    """The network in pyAgrum."""
    net = gum.BayesNet("t")
    for name, states in (("a", A), ("b", B), ("c", C)):
        net.add(gum.LabelizedVariable(name, name, states))
    net.addArc("a", "c")
    net.addArc("b", "c")
    net.cpt("a").fillWith([0.3, 0.7])
    net.cpt("b").fillWith([0.2, 0.3, 0.5])
    for (a, b), p in CHANCES.items():
        net.cpt("c")[{"a": a, "b": b}] = [1.0 - p, p]
    return net


def gum_cells(net: Any, names: tuple[str, str, str] = ("a", "b", "c")) -> Cells:
    """P(c | a, b) as pyAgrum has it."""
    table, (a, b, c) = net.cpt(names[2]), names
    return {
        (x, y, z): table[{a: x, b: y}][net.variable(c).index(z)]
        for x, y, z in itertools.product(*(net.variable(name).labels() for name in (a, b, c)))
    }


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net", "xdsl", "uai"])
def test_what_pyagrum_writes_is_read_as_it_means_it(ending: str, tmp_path: Path) -> None:
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / f"t.{ending}"
    gum.saveBN(gum_net(gum), str(path))
    found = cells(read(path))
    if ending == "uai":  # it keeps names of variables in comments, and none of states
        kept = itertools.product("01", "012", "01")
        found = dict(zip(CELLS, (found[key] for key in kept), strict=True))
    assert found == pytest.approx(CELLS, abs=1e-6)


@pytest.mark.parametrize("ending", ["xdsl", "uai"])
def test_a_file_in_the_order_of_agrum_is_read_so_and_said_to_be(
    ending: str, tmp_path: Path
) -> None:
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / f"t.{ending}"
    gum.saveBN(gum_net(gum), str(path))
    _, issues = read_network(path)
    assert any("written by aGrUM" in issue.what for issue in issues)
    save(ours(), path)  # its own reader takes ours in its order, as the export says
    net = gum.loadBN(str(path))
    names = ("0", "1", "2") if ending == "uai" else ("a", "b", "c")
    assert list(gum_cells(net, names).values()) != pytest.approx(list(CELLS.values()), abs=1e-3)


def test_pyagrum_reads_the_bif_that_we_write(tmp_path: Path) -> None:
    gum = pytest.importorskip("pyagrum")
    save(ours(), tmp_path / "m.bif")
    net = gum.loadBN(str(tmp_path / "m.bif"))
    assert gum_cells(net) == pytest.approx(CELLS, abs=1e-6)
    assert set(net.names()) == {"a", "b", "c", "dry_cough__50__", "f"}
    assert net.cpt("f").toarray().ravel() == pytest.approx(
        table_of(ours().nodes["f"], ours()).transpose(1, 0, 2).ravel(), abs=1e-6
    )


def pgmpy_net() -> Any:
    """The network in pgmpy."""
    models = pytest.importorskip("pgmpy.models", reason=NEEDS_PGMPY)
    factors = pytest.importorskip("pgmpy.factors.discrete", reason=NEEDS_PGMPY)
    net = models.DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    yes = list(CHANCES.values())
    names = {"a": A, "b": B, "c": C}
    net.add_cpds(
        factors.TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": A}),
        factors.TabularCPD("b", 3, [[0.2], [0.3], [0.5]], state_names={"b": B}),
        factors.TabularCPD(
            *("c", 2, [[1.0 - p for p in yes], yes], ["a", "b"], [2, 3]), state_names=names
        ),
    )
    return net


@pytest.mark.parametrize(
    ("writer", "ending"),
    [("BIFWriter", "bif"), ("XDSLWriter", "xdsl"), ("XMLBIFWriter", "xmlbif"),
     ("NETWriter", "net")],
)  # fmt: skip
def test_what_pgmpy_writes_is_read_as_it_means_it(writer: str, ending: str, tmp_path: Path) -> None:
    readwrite = pytest.importorskip("pgmpy.readwrite", reason=NEEDS_PGMPY)
    path = tmp_path / f"t.{ending}"
    getattr(readwrite, writer)(pgmpy_net()).write(str(path))
    assert cells(read(path)) == pytest.approx(CELLS, abs=1e-12)


@pytest.mark.parametrize("ending", ["bif", "xdsl"])
def test_pgmpy_reads_what_we_write_as_tables(ending: str, tmp_path: Path) -> None:
    readwrite = pytest.importorskip("pgmpy.readwrite", reason=NEEDS_PGMPY)
    path = tmp_path / f"m.{ending}"
    save(as_tables(ours()), path)
    reader = readwrite.BIFReader if ending == "bif" else readwrite.XDSLReader
    net = reader(str(path)).get_model()
    table = net.get_cpds("c")
    found = {(a, b, c): table.get_value(a=a, b=b, c=c) for a, b, c in CELLS}
    assert found == pytest.approx(CELLS, abs=1e-9)
    assert net.get_cpds("f") is not None  # without --as-tables it drops a noisy MAX unsaid


JAVABAYES = """// Bayesian network in the interchange format, produced by JavaBayes
network "Dog-Problem" { //5 variables and 5 probability distributions
property "credal-set constant-density-bounded 1.1" ;
}
variable  "bowel-problem" { //2 values
\ttype discrete[2] {  "true"  "false" };
\tproperty "position = (335, 99)" ;
}
variable  "family-out" { type discrete[2] {  "true"  "false" }; }
variable  "dog-out" { type discrete[2] {  "true"  "false" }; }
probability (  "dog-out"  "bowel-problem"  "family-out" ) { //3 variable(s) and 8 values
\ttable 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7 ;
}
probability (  "bowel-problem" ) { table 0.01 0.99 ; }
probability (  "family-out" ) { table 0.15 0.85 ; }
"""


def test_javabayes_names_parents_without_a_bar(tmp_path: Path) -> None:
    (tmp_path / "dog.bif").write_text(JAVABAYES)
    model = read(tmp_path / "dog.bif")
    assert model.nodes["dog-out"].parents == ("bowel-problem", "family-out")
    given = {"bowel-problem": "true", "family-out": "false"}
    assert hickam.query(model, given, {}, {"dog-out": "true"}).probability == pytest.approx(0.97)
    given = {"bowel-problem": "false", "family-out": "true"}
    assert hickam.query(model, given, {}, {"dog-out": "true"}).probability == pytest.approx(0.9)


BNLEARN = """network unknown {
}
variable a {
  type discrete [ 2 ] { lo, hi };
}
variable b {
  type discrete [ 3 ] { x, y, z };
}
variable c {
  type discrete [ 2 ] { no, yes };
}
probability ( a ) {
  table 0.3, 0.7;
}
probability ( b ) {
  table 0.2, 0.3, 0.5;
}
probability ( c | a, b ) {
  (lo, x) 0.9, 0.1;
  (hi, x) 0.8, 0.2;
  (lo, y) 0.7, 0.3;
  (hi, y) 0.55, 0.45;
  (lo, z) 0.5, 0.5;
  (hi, z) 0.2, 0.8;
}
"""


def test_a_file_as_bnlearn_writes_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.bif").write_text(BNLEARN)
    assert cells(read(tmp_path / "t.bif")) == pytest.approx(CELLS, abs=1e-12)


def test_comments_of_a_uai_file_are_no_numbers(tmp_path: Path) -> None:
    text = "c a chain\nBAYES  // the kind\n2\n2 2\n2\n1 0\n2 0 1 # X1 given X0\n\n2\n0.3 0.7\n" \
        "# the last table\n4\n0.9 0.1\n0.2 0.8\n"  # fmt: skip
    (tmp_path / "t.uai").write_text(text)
    model = read(tmp_path / "t.uai")
    assert hickam.query(model, {"X0": "1"}, {}, {"X1": "1"}).probability == pytest.approx(0.8)


@pytest.mark.parametrize("weakest", [(1.0, 0.0, 0.0), (0.7, 0.2, 0.1)])
@pytest.mark.parametrize("ending", ["xdsl", "pgmx"])
def test_a_noisy_max_is_the_largest_contribution_also_where_the_weakest_state_acts(
    ending: str, weakest: tuple[float, ...], tmp_path: Path
) -> None:
    given = {"a": np.array([weakest, [0.3, 0.4, 0.3]]), "b": np.array([weakest, [0.5, 0.3, 0.2]])}
    leak = np.array([0.9, 0.08, 0.02])
    (tmp_path / f"t.{ending}").write_text((in_xdsl if ending == "xdsl" else in_pgmx)(given, leak))
    model = read(tmp_path / f"t.{ending}")
    for (i, a), (j, b) in itertools.product(enumerate(("no", "yes")), repeat=2):
        below = np.cumsum(leak) * np.cumsum(given["a"][i]) * np.cumsum(given["b"][j])
        answers = hickam.query(model, {"a": a, "b": b}, {}, ["x"])
        found = {answer.target["x"]: answer.probability for answer in answers}
        wanted = np.diff(below, prepend=0.0)
        assert [found[s] for s in ("none", "mild", "severe")] == pytest.approx(wanted, abs=1e-12)
    assert model.of_role("other") == ()
    assert model.direct_causes("x") == ("a", "b")
    assert model.links == 2


def in_xdsl(given: dict[str, np.ndarray], leak: np.ndarray) -> str:
    """The noisy MAX as GeNIe writes it, from the strongest state down."""
    roots = "".join(
        f'<cpt id="{p}"><state id="no"/><state id="yes"/><probabilities>.5 .5</probabilities></cpt>'
        for p in given
    )
    rows = [given[p][state][::-1] for p in given for state in (1, 0)] + [leak[::-1]]
    numbers = " ".join(str(number) for row in rows for number in row)
    return f"""<smile id="t"><nodes>{roots}<noisymax id="x"><state id="severe"/><state id="mild"/>
    <state id="none"/><parents>a b</parents><strengths>1 0 1 0</strengths>
    <parameters>{numbers}</parameters></noisymax></nodes></smile>"""


def in_pgmx(given: dict[str, np.ndarray], leak: np.ndarray) -> str:
    """The noisy MAX as OpenMarkov writes it."""
    both = [("x", ("none", "mild", "severe")), *((p, ("no", "yes")) for p in given)]
    named = "".join(
        f'<Variable name="{name}" type="finiteStates" role="chance"><States>'
        + "".join(f'<State name="{state}"/>' for state in states)
        + "</States></Variable>"
        for name, states in both
    )

    def potential(names: list[str], numbers: np.ndarray) -> str:
        scope = "".join(f'<Variable name="{name}"/>' for name in names)
        values = " ".join(map(str, np.ravel(numbers)))
        inside = f"<Variables>{scope}</Variables><Values>{values}</Values>"
        return f'<Potential type="Table">{inside}</Potential>'

    roots = "".join(potential([p], np.array([0.5, 0.5])) for p in given)
    parts = "".join(potential(["x", p], rows) for p, rows in given.items())
    parts += potential(["x"], leak)
    scope = "".join(f'<Variable name="{name}"/>' for name in ("x", *given))
    return f"""<ProbModelXML formatVersion="0.2.0"><ProbNet type="BayesianNetwork">
    <Variables>{named}</Variables><Potentials>{roots}
    <Potential type="ICIModel"><Variables>{scope}</Variables><Model>OR / MAX</Model>
    <Subpotentials>{parts}</Subpotentials></Potential></Potentials></ProbNet></ProbModelXML>"""
