"""The Bayesian interchange format (.bif), as bnlearn's repository keeps its networks."""

from __future__ import annotations

from itertools import product

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import Variable, bad, check_cells, check_parents
from hickam.io.foreign.words import BIF_TOKENS, Words
from hickam.io.form import Reading
from hickam.issues import did_you_mean
from hickam.model.network import Floats


def read_bif(text: str, file: str) -> Reading:
    """The model in BIF text."""
    return reading(lambda: _parse(Words(text, file, BIF_TOKENS)), file)


def _parse(words: Words) -> tuple[str, list[Variable]]:
    """The network's name and its variables, each with its table."""
    name = ""
    states: dict[str, tuple[tuple[str, ...], int]] = {}
    tables: dict[str, Variable] = {}
    while words.next:
        kind = words.take()
        if kind.text == "network":
            name = words.name()
            _block(words)
        elif kind.text == "variable":
            variable = words.name()
            if variable in states:
                raise bad(words.file, kind.line, f"variable '{variable}'", "is declared twice")
            states[variable] = (_states(words, variable), kind.line)
        elif kind.text == "probability":
            table = _probability(words, states, kind.line)
            if table.name in tables:
                where = f"variable '{table.name}'"
                raise bad(words.file, kind.line, where, "has two probability blocks")
            tables[table.name] = table
        else:
            what = f"has '{kind.text[:40]}' where a block should begin"
            fix = "a block is 'network', 'variable' or 'probability'"
            if kind.text.startswith("<"):
                fix = "it is XML: end its name in .xmlbif, for GeNIe .xdsl, for OpenMarkov .pgmx"
            raise bad(words.file, kind.line, "the file", what, fix)
    missing = [variable for variable in states if variable not in tables]
    if missing:
        where = f"variable '{missing[0]}'"
        raise bad(words.file, states[missing[0]][1], where, "has no probability block")
    return "" if name == "unknown" else name, [tables[variable] for variable in states]


def _block(words: Words) -> None:
    """Pass over a block of properties."""
    words.take("{")
    while not words.took("}"):
        words.skip_statement()


def _states(words: Words, variable: str) -> tuple[str, ...]:
    """The states that a variable block declares."""
    found: tuple[str, ...] = ()
    words.take("{")
    while not words.took("}"):
        if not words.took("type"):
            words.skip_statement()
            continue
        words.take("discrete")
        words.take("[")
        count = words.number()
        words.take("]")
        line = words.take("{").line
        found = tuple(words.listed("}"))
        words.take(";")
        if len(found) != count:
            what = f"announces {count:g} states and lists {len(found)}"
            raise bad(words.file, line, f"variable '{variable}'", what)
    if not found:
        raise bad(words.file, words.line, f"variable '{variable}'", "declares no states")
    return found


def _probability(
    words: Words, states: dict[str, tuple[tuple[str, ...], int]], line: int
) -> Variable:
    """One probability block; JavaBayes writes no bar between a variable and its parents."""
    words.take("(")
    variable = _known(words, states)
    parents = []
    words.took("|")
    while not words.took(")"):
        if not words.took(","):
            parents.append(_known(words, states))
    where = f"variable '{variable}'"
    check_parents(where, variable, parents, words.file, line)
    own = states[variable][0]
    shape = tuple(len(states[parent][0]) for parent in parents)
    check_cells(where, (*shape, len(own)), words.file, line)
    rows = np.full((*shape, len(own)), np.nan)
    words.take("{")
    while not words.took("}"):
        if words.took("table"):
            # A full table runs over the variable's own states slowest, its last parent fastest.
            numbers = _numbers(words, rows.size, where)
            rows = np.moveaxis(numbers.reshape(len(own), *shape), 0, -1)
        elif words.took("default"):
            row = _numbers(words, len(own), where)
            rows = np.where(np.isnan(rows), row, rows)
        elif words.took("("):
            place = []
            for parent, state in zip(parents, words.listed(")"), strict=False):
                if state not in states[parent][0]:
                    fix = did_you_mean(state, states[parent][0])
                    what = f"has no state '{state[:40]}'"
                    raise bad(words.file, words.line, f"parent '{parent}' of {where}", what, fix)
                place.append(states[parent][0].index(state))
            if len(place) != len(parents):
                raise bad(words.file, words.line, where, f"has a row for {len(place)} parents")
            rows[tuple(place)] = _numbers(words, len(own), where)
        else:
            words.skip_statement()
    _check_complete(rows, where, parents, states, words.file, line)
    return Variable(variable, own, tuple(parents), rows, line=line)


def _check_complete(
    rows: Floats,
    where: str,
    parents: list[str],
    states: dict[str, tuple[tuple[str, ...], int]],
    file: str,
    line: int,
) -> None:
    """Refuse a table in which rows are missing; the first of them is named."""
    if not np.isnan(rows).any():
        return
    for place in product(*(range(len(states[parent][0])) for parent in parents)):
        if np.isnan(rows[place]).any():
            named = ", ".join(states[p][0][i] for p, i in zip(parents, place, strict=True))
            raise bad(file, line, where, f"lacks the row ({named})", "is the file complete?")


def _known(words: Words, states: dict[str, tuple[tuple[str, ...], int]]) -> str:
    """The next word as the name of a declared variable."""
    name = words.name()
    if name not in states:
        fix = did_you_mean(name, states)
        raise bad(words.file, words.line, f"variable '{name[:60]}'", "is not declared", fix)
    return name


def _numbers(words: Words, count: int, where: str) -> Floats:
    """So many numbers up to ';'."""
    found: list[float] = []
    while not words.took(";"):
        if not words.took(","):
            found.append(words.number())
    if len(found) != count:
        what = f"has {len(found)} numbers where {count} should be"
        commas = len(found) == 2 * count and all(number.is_integer() for number in found)
        fix = "write 0.3, not 0,3" if commas else ""
        raise bad(words.file, words.line, where, what, fix)
    return np.array(found)
