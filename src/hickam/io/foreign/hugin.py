"""Hugin's text format (.net): nodes and potentials with plain tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import Variable, bad, check_cells, check_parents
from hickam.io.foreign.words import NET_TOKENS, Words
from hickam.io.form import Reading
from hickam.issues import did_you_mean


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a node block says."""

    states: tuple[str, ...]
    label: str
    line: int


def read_hugin(text: str, file: str) -> Reading:
    """The model in Hugin NET text."""
    return reading(lambda: _parse(Words(text, file, NET_TOKENS)), file)


def _parse(words: Words) -> tuple[str, list[Variable]]:
    """The network's name and its variables."""
    name = ""
    declared: dict[str, _Declared] = {}
    tables: dict[str, Variable] = {}
    while words.next:
        kind = words.take()
        if kind.text == "net":
            name = " ".join(_facts(words).get("name", []))
        elif kind.text in ("node", "discrete"):
            if kind.text == "discrete":
                words.take("node")
            node = words.name()
            if node in declared:
                raise bad(words.file, kind.line, f"node '{node}'", "is declared twice")
            facts = _facts(words)
            label = " ".join(facts.get("label", []))
            declared[node] = _Declared(tuple(facts.get("states", [])), label, kind.line)
            if not facts.get("states"):
                raise bad(words.file, kind.line, f"node '{node}'", "lists no states")
        elif kind.text == "potential":
            table = _potential(words, declared, kind.line)
            if table.name in tables:
                raise bad(words.file, kind.line, f"node '{table.name}'", "has two potentials")
            tables[table.name] = table
        else:
            what = f"has '{kind.text[:40]}' where a block should begin"
            fix = "only 'net', 'node' and 'potential' can be read: no decisions, utilities, classes"
            raise bad(words.file, kind.line, "the file", what, fix)
    missing = next((node for node in declared if node not in tables), None)
    if missing is not None:
        raise bad(words.file, declared[missing].line, f"node '{missing}'", "has no potential")
    return name, [tables[node] for node in declared]


def _facts(words: Words) -> dict[str, list[str]]:
    """The statements 'key = value;' of a block; a list in brackets is flattened."""
    found: dict[str, list[str]] = {}
    words.take("{")
    while not words.took("}"):
        key = words.name()
        words.take("=")
        values = []
        while not words.took(";"):
            word = words.take()
            if not word.is_mark:
                values.append(word.text)
        found[key] = values
    return found


def _potential(words: Words, declared: Mapping[str, _Declared], line: int) -> Variable:
    """One potential: parents slowest first, the node's own states fastest."""
    words.take("(")
    node = _known(words, declared)
    parents: list[str] = []
    if words.took("|"):
        while not words.took(")"):
            if not words.took(","):
                parents.append(_known(words, declared))
    else:
        words.take(")")
    where = f"node '{node}'"
    check_parents(where, node, parents, words.file, line)
    own = declared[node]
    shape = [len(declared[parent].states) for parent in parents] + [len(own.states)]
    check_cells(where, shape, words.file, line)
    facts = _facts(words)
    if "data" not in facts:
        fix = "tables given by an expression cannot be read" if facts else ""
        raise bad(words.file, line, where, "has no data", fix)
    if len(facts["data"]) != int(np.prod(shape)):
        what = f"has {len(facts['data'])} numbers where {int(np.prod(shape))} should be"
        raise bad(words.file, line, where, what)
    try:
        rows = np.array([float(word) for word in facts["data"]]).reshape(shape)
    except ValueError as wrong:
        raise bad(words.file, line, where, f"has a number that is none: {wrong}") from None
    told = {"name": own.label} if own.label else {}
    return Variable(node, own.states, tuple(parents), rows, facts=told, line=line)


def _known(words: Words, declared: Mapping[str, _Declared]) -> str:
    """The next word as the name of a declared node."""
    name = words.name()
    if name not in declared:
        fix = did_you_mean(name, declared)
        raise bad(words.file, words.line, f"node '{name[:60]}'", "is not declared", fix)
    return name
