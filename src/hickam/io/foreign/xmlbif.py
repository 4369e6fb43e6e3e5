"""XMLBIF 0.3 (.xmlbif, .bifxml), the XML form of the interchange format."""

from __future__ import annotations

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import Variable, bad, check_cells, check_parents
from hickam.io.foreign.xml_tree import Element, parse_tree
from hickam.io.form import Reading
from hickam.issues import did_you_mean
from hickam.model.network import Floats


def read_xmlbif(content: bytes, file: str) -> Reading:
    """The model in XMLBIF text."""
    return reading(lambda: _parse(parse_tree(content, file), file), file)


def _parse(root: Element, file: str) -> tuple[str, list[Variable]]:
    """The network's name and its variables."""
    network = root if root.tag.casefold() == "network" else root.first("network")
    if network is None:
        raise bad(file, root.line, "the file", "has no NETWORK element", "is it XMLBIF?")
    name = network.first("name")
    states: dict[str, tuple[str, ...]] = {}
    for element in network.all("variable"):
        variable = _text(element, "name", file)
        kind = element.attributes.get("TYPE", "nature").casefold()
        where = f"variable '{variable}'"
        if kind != "nature":
            raise bad(file, element.line, where, f"is of the type '{kind}', not 'nature'")
        if variable in states:
            raise bad(file, element.line, where, "is declared twice")
        outcomes = element.all("outcome") or element.all("value")
        states[variable] = tuple(outcome.text for outcome in outcomes)
        if not states[variable]:
            raise bad(file, element.line, where, "has no OUTCOME")
    tables: dict[str, Variable] = {}
    for element in [*network.all("definition"), *network.all("probability")]:
        table = _definition(element, states, file)
        if table.name in tables:
            raise bad(file, element.line, f"variable '{table.name}'", "is defined twice")
        tables[table.name] = table
    missing = next((variable for variable in states if variable not in tables), None)
    if missing is not None:
        raise bad(file, network.line, f"variable '{missing}'", "has no DEFINITION")
    return name.text if name else "", [tables[variable] for variable in states]


def _definition(element: Element, states: dict[str, tuple[str, ...]], file: str) -> Variable:
    """One definition: parents slowest first, the variable's own states fastest."""
    own = _known(_text(element, "for", file), states, element, file)
    parents = [_known(given.text, states, given, file) for given in element.all("given")]
    where = f"variable '{own}'"
    check_parents(where, own, parents, file, element.line)
    shape = [len(states[node]) for node in (*parents, own)]
    check_cells(where, shape, file, element.line)
    table = element.first("table")
    if table is None:
        raise bad(file, element.line, where, "has no TABLE")
    rows = numbers(table, int(np.prod(shape)), where, file).reshape(shape)
    return Variable(own, states[own], tuple(parents), rows, line=element.line)


def numbers(element: Element, count: int, where: str, file: str) -> Floats:
    """The numbers in an element's text."""
    words = element.text.replace(",", " ").split()
    if len(words) != count:
        what = f"has {len(words)} numbers where {count} should be"
        raise bad(file, element.line, where, what)
    try:
        return np.array([float(word) for word in words])
    except ValueError as wrong:
        raise bad(file, element.line, where, f"has a number that is none: {wrong}") from None


def _text(element: Element, tag: str, file: str) -> str:
    """The text of a child that must be there."""
    child = element.first(tag)
    if child is None or not child.text:
        raise bad(file, element.line, f"element {element.tag}", f"has no {tag.upper()}")
    return child.text


def _known(name: str, states: dict[str, tuple[str, ...]], element: Element, file: str) -> str:
    """The name of a declared variable."""
    if name not in states:
        fix = did_you_mean(name, states)
        raise bad(file, element.line, f"variable '{name[:60]}'", "is not declared", fix)
    return name
