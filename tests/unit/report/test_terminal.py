"""Lines for a terminal: they fit, they align, and nothing in a name steers the terminal."""

import io
import re

import hickam
from hickam.report.terminal import Terminal, columns
from hickam.report.text import differential_text

COLOUR = re.compile(r"\x1b\[\d*m")


def shown(terminal, explain=True, network="clinic", present=("chest pain", "fever")):
    model = hickam.load(network)
    dx = hickam.diagnose(model, hickam.Case(present=present), top=12)
    return differential_text(dx, model, terminal, explain=explain)


def test_colours_change_nothing_but_the_colour():
    coloured = shown(Terminal(100, colours=True))
    assert COLOUR.search(coloured)
    assert COLOUR.sub("", coloured) == shown(Terminal(100))


def test_every_line_of_a_ranking_fits_the_terminal_it_is_for():
    for width in (72, 80, 100, 200):
        assert max(columns(line) for line in shown(Terminal(width), False).split("\n")) <= width


def test_the_columns_of_a_table_begin_under_their_heads():
    lines = shown(Terminal(72), explain=False).split("\n")
    head = next(line for line in lines if line.lstrip().startswith("#"))
    ranked = [line for line in lines if re.match(r" *\d+=? ", line)]
    assert len(ranked) == 12
    for line in ranked:
        assert line[head.index("disease") - 1] == " "
        assert re.match(r"\d\.|\de", line[head.index("disablement") :])


def test_a_long_name_is_folded_between_words():
    rows = [[[("1", "")], [("Gastro-oesophageal reflux disease", "")], [("0.5", "")]]]
    folded = Terminal(32).table(("#", "disease", "x"), rows, right=0, fold=1)
    assert folded[1:] == ["1  Gastro-oesophageal        0.5", "   reflux disease"]


def test_a_name_cannot_steer_the_terminal(tmp_path):
    text = (
        'hickam: 1\nname: "a\\e[2Jb"\ndiseases:\n- {id: d, name: "x\\e[31m[red]y", leak: 0.1}\n'
        'findings:\n- {id: f, name: "f\\e[0m", leak: 0.1, causes: {d: 0.5}}\n'
    )
    (tmp_path / "n.yaml").write_text(text)
    said = shown(Terminal(), network=tmp_path / "n.yaml", present=("f",))
    assert "\x1b" not in said
    assert "[red]y" in said


def test_a_pipe_is_neither_coloured_nor_narrow():
    assert Terminal.of(io.StringIO()) == Terminal(100, colours=False)
