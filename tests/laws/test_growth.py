"""Work grows in proportion to the input, however its names were chosen.

Lines of Python that run are counted, not seconds: a count is the same on a busy machine.
"""

import sys
from itertools import product
from string import ascii_lowercase

import pytest

import hickam
from hickam.io.experts import read_experts
from hickam.io.foreign.xdsl_write import xdsl_text
from hickam.io.load import read_network
from hickam.io.records import read_records
from hickam.io.roles_file import read_roles
from hickam.io.vignettes import read_vignettes
from hickam.model.kinds import as_scm

FEW, TIMES = 150, 4
GROWTH = 1.5 * TIMES  # of the lines that run; 16 if each name is compared with each other
HEAD = "hickam: 1\nname: x\ndiseases:\n  - {id: a, leak: 0.1}\n"
INPUTS = {}


def hostile(ending):
    """An input file of this ending that has so many names."""

    def named(text):
        INPUTS[text.__name__] = (ending, text)
        return text

    return named


def word(i):
    return "".join(ascii_lowercase[i // 26**place % 26] for place in range(4))


def alike(i):
    """One of many names that are the same without their punctuation."""
    return "f" + "!" * (1 + i % 40) + "." * (i // 40)


def finding(name, more=""):
    return f'  - {{id: "{name}", leak: 0.1, causes: {{a: 0.5}}{more}}}\n'


@hostile(".csv")
def pairs_of_alike_names(n):
    return "disease,symptom,probability\n" + "".join(f"d,{alike(i)},0.5\n" for i in range(n))


@hostile(".csv")
def pairs_of_one_name(n):
    return "disease,symptom,probability\n" + "d,f,0.5\n" * n


@hostile(".yaml")
def alike_findings(n):
    return HEAD + "findings:\n" + "".join(finding(alike(i)) for i in range(n))


@hostile(".yaml")
def findings_of_one_id(n):
    return HEAD + "findings:\n" + finding("s") * n


@hostile(".yaml")
def findings_of_one_name(n):
    same = ", name: pain, synonyms: [hurt, ache]"
    return HEAD + "findings:\n" + "".join(finding(word(i), same) for i in range(n))


@hostile(".yaml")
def unknown_causes(n):
    found = (f"  - {{id: {word(i)}1, causes: {{{word(i)}2: 0.5}}}}\n" for i in range(n))
    return HEAD + "findings:\n" + "".join(found)


@hostile(".yaml")
def unknown_keys(n):
    return HEAD.replace("leak: 0.1", ", ".join(f"{word(i)}: 1" for i in range(n)))


@hostile(".yaml")
def kinds_of_kinds(n):
    kinds = (finding(word(i), f", is_a: {word(i - 1)}" if i else "") for i in range(n))
    return HEAD + "findings:\n" + "".join(kinds)


@hostile(".yaml")
def a_chain_of_nodes(n):
    nodes = (f"  - {{id: {word(i)}, causes: {{{word(i - 1)}: 0.5}}}}\n" for i in range(1, n))
    return f"hickam: 1\nname: x\nnodes:\n  - {{id: {word(0)}, prior: 0.1}}\n" + "".join(nodes)


@hostile(".bif")
def alike_variables(n):
    one = 'variable "{0}" {{ type discrete [2] {{ yes, no }}; }}\n'
    one += 'probability ( "{0}" ) {{ table 0.1, 0.9; }}\n'
    return "network x {}\n" + "".join(one.format(alike(i)) for i in range(n))


@hostile(".bif")
def many_states(n):
    states, chances = ", ".join(map(word, range(n))), ", ".join([str(1 / n)] * n)
    return (
        f"network x {{}}\nvariable a {{ type discrete [{n}] {{ {states} }}; }}\n"
        f"probability ( a ) {{ table {chances}; }}\n"
    )


def lines_run(question):
    """How many lines of Python a question runs, whatever it answers."""
    count = 0

    def each(frame, event, argument):
        nonlocal count
        count += event == "line"
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        question()
    except hickam.InvalidInput:
        pass
    finally:
        sys.settrace(before)
    return count


def growth(question):
    """The lines for four times as many names over the lines for few, after one question before."""
    lines_run(lambda: question(FEW))
    return lines_run(lambda: question(TIMES * FEW)) / lines_run(lambda: question(FEW))


@pytest.mark.parametrize("name", INPUTS)
def test_reading_a_network_grows_with_its_names(name, tmp_path):
    ending, text = INPUTS[name]

    def question(n):
        path = tmp_path / f"{n}{ending}"
        path.write_text(text(n), encoding="utf-8")
        read_network(path)

    assert growth(question) < GROWTH


@pytest.mark.parametrize(
    ("ending", "read", "text"),
    [
        (".csv", lambda path: list(read_records(hickam.load("car"), path).records),
         lambda n: ",".join(map(word, range(n))) + "\n" + ",".join(["1"] * n)),
        (".csv", read_experts,
         lambda n: "disease,finding,Ann\n" + "".join(f"a,{word(i)},.4\n" for i in range(n))),
        (".csv", read_experts, lambda n: "disease,finding," + ",".join(map(alike, range(n)))),
        (".yaml", read_roles, lambda n: f"diseases: [{', '.join(map(word, range(n)))}]"),
        (".jsonl", read_vignettes,
         lambda n: "".join(f'{{"present": ["{word(i)}"], "diseases": ["a"]}}\n' for i in range(n))),
    ],
)  # fmt: skip
def test_reading_other_files_grows_with_their_names(ending, read, text, tmp_path):
    def question(n):
        path = tmp_path / f"{n}{ending}"
        path.write_text(text(n), encoding="utf-8")
        read(path)

    assert growth(question) < GROWTH


def test_writing_alike_names_grows_with_them(tmp_path):
    def question(n):
        text = HEAD + "findings:\n" + "".join(finding(alike(i)) for i in range(n))
        (tmp_path / "n.yaml").write_text(text, encoding="utf-8")
        xdsl_text(as_scm(read_network(tmp_path / "n.yaml")[0]))

    assert growth(question) < GROWTH


def test_locating_unknown_names_grows_with_them():
    network = hickam.load("car")

    def question(n):
        present = ["".join(part) for part in product(ascii_lowercase[:20], repeat=3)][:n]
        hickam.diagnose(network, hickam.Case(present=present))

    assert growth(question) < GROWTH
