"""OpenMarkov's format (.pgmx, ProbModelXML): tables, and noisy OR/MAX and AND/MIN ("ICI")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import Causes, Variable, bad, check_cells
from hickam.io.foreign.xml_tree import Element, parse_tree
from hickam.io.foreign.xmlbif import numbers
from hickam.io.form import Reading
from hickam.issues import did_you_mean
from hickam.model.network import Floats

PURPOSES = {
    **dict.fromkeys(("riskfactor", "factorderiesgo"), "risk factor"),
    **dict.fromkeys(
        ("disease", "diseaseanomaly", "diseaseoranomaly", "anomaly", "enfermedad"), "disease"
    ),
    **dict.fromkeys(("symptom", "sign", "test", "sintoma", "signo", "prueba"), "finding"),
    **dict.fromkeys(("auxiliary", "auxiliar", "other", "otro", "treatment"), "other"),
}


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a variable element says."""

    states: tuple[str, ...]
    role: str
    line: int


def read_pgmx(content: bytes, file: str) -> Reading:
    """The model in ProbModelXML text."""
    return reading(lambda: ("", _parse(parse_tree(content, file), file)), file)


def _parse(root: Element, file: str) -> list[Variable]:
    """The variables of the network."""
    network = root.first("ProbNet")
    if network is None:
        raise bad(file, root.line, "the file", "has no ProbNet element", "is it ProbModelXML?")
    kind = network.attributes.get("type", "BayesianNetwork")
    if kind != "BayesianNetwork":
        what = f"is of the type '{kind[:40]}', not BayesianNetwork"
        fix = "decisions and utilities cannot be read"
        raise bad(file, network.line, "the file", what, fix)
    declared = _declared(network, file)
    found: dict[str, Variable] = {}
    potentials = network.first("Potentials")
    for element in potentials.all("Potential") if potentials else []:
        scope = _scope(element, declared, file)
        if scope[0] in found:
            raise bad(file, element.line, f"variable '{scope[0]}'", "has two potentials")
        found[scope[0]] = _potential(element, scope, declared, file)
    missing = next((name for name in declared if name not in found), None)
    if missing is not None:
        raise bad(file, declared[missing].line, f"variable '{missing}'", "has no potential")
    return [found[name] for name in declared]


def _declared(network: Element, file: str) -> dict[str, _Declared]:
    """The declared variables."""
    found: dict[str, _Declared] = {}
    listed = network.first("Variables")
    for element in listed.all("Variable") if listed else []:
        name = element.attributes.get("name", "")
        where = f"variable '{name}'"
        if element.attributes.get("type", "finiteStates") not in ("finiteStates", "discretized"):
            what = f"is of the type '{element.attributes['type']}', not finiteStates"
            raise bad(file, element.line, where, what)
        if element.attributes.get("role", "chance") != "chance":
            what = f"has the role '{element.attributes['role']}', not chance"
            raise bad(file, element.line, where, what)
        if not name or name in found:
            raise bad(file, element.line, where, "has no name, or one that is taken")
        inside = element.first("States")
        states = tuple(s.attributes.get("name", "") for s in inside.all("State")) if inside else ()
        if not states:
            raise bad(file, element.line, where, "lists no states")
        found[name] = _Declared(states, _role(element), element.line)
    return found


def _role(element: Element) -> str:
    """The role that a variable's purpose says, or none."""
    for part in element.walk():
        if part.tag == "Property" and part.attributes.get("name", "").casefold() == "purpose":
            said = part.attributes.get("value", "").casefold()
            return PURPOSES.get("".join(mark for mark in said if mark.isalpha()), "")
    return ""


def _scope(element: Element, declared: Mapping[str, _Declared], file: str) -> list[str]:
    """The variable of a potential and its parents."""
    listed = element.first("Variables")
    names = [v.attributes.get("name", "") for v in listed.all("Variable")] if listed else []
    if not names or len(set(names)) < len(names):
        what = "names no variable, or one twice"
        raise bad(file, element.line, "a potential", what)
    for name in names:
        if name not in declared:
            fix = did_you_mean(name, declared)
            raise bad(file, element.line, f"variable '{name[:60]}'", "is not declared", fix)
    return names


def _potential(
    element: Element, scope: list[str], declared: Mapping[str, _Declared], file: str
) -> Variable:
    """The variable of one potential."""
    name, *parents = scope
    own = declared[name]
    bare = Variable(name, own.states, tuple(parents), role=own.role, line=own.line)
    kind = element.attributes.get("type", "")
    if kind == "Table":
        return replace(bare, rows=_table(element, scope, declared, file))
    if kind == "Uniform":
        shape = [len(declared[parent].states) for parent in parents]
        check_cells(f"variable '{name}'", (*shape, len(own.states)), file, element.line)
        return replace(bare, rows=np.full((*shape, len(own.states)), 1.0 / len(own.states)))
    if kind != "ICIModel":
        fix = "only Table, Uniform and ICIModel can be read"
        raise bad(file, element.line, f"variable '{name}'", f"has a potential '{kind}'", fix)
    return replace(bare, causes=_causes(element, scope, declared, file))


def _table(
    element: Element, scope: list[str], declared: Mapping[str, _Declared], file: str
) -> Floats:
    """[parent 1, …, own state]; in the file the first variable, the own one, is fastest."""
    where = f"variable '{scope[0]}'"
    shape = [len(declared[node].states) for node in scope]
    check_cells(where, shape, file, element.line)
    values = element.first("Values")
    if values is None:
        raise bad(file, element.line, where, "has a table without Values")
    flat = numbers(values, int(np.prod(shape)), where, file)
    backwards = flat.reshape(shape[::-1])  # [last parent, …, parent 1, own]
    count = len(scope)
    return np.ascontiguousarray(np.transpose(backwards, (*range(count - 2, -1, -1), count - 1)))


def _causes(
    element: Element, scope: list[str], declared: Mapping[str, _Declared], file: str
) -> Causes:
    """A noisy MAX or MIN from its subpotentials."""
    name, *parents = scope
    where = f"variable '{name}'"
    model = element.first("Model")
    said = model.text if model else ""
    families = {"OR / MAX": True, "AND / MIN": False}
    if said not in families:
        fix = f"only {' and '.join(families)} can be read"
        raise bad(file, element.line, where, f"has the model '{said[:40]}'", fix)
    given: dict[str, Floats] = {}
    leak: Floats | None = None
    inside = element.first("Subpotentials")
    for part in inside.all("Potential") if inside else []:
        inner = _scope(part, declared, file)
        if inner[0] != name or len(inner) > 2 or (len(inner) == 2 and inner[1] not in parents):
            raise bad(file, part.line, where, "has a subpotential over other variables")
        rows = _table(part, inner, declared, file)
        if len(inner) == 1:
            leak = rows
        else:
            given[inner[1]] = rows
    without = next((parent for parent in parents if parent not in given), None)
    if without is not None:
        raise bad(file, element.line, where, f"has no subpotential for '{without}'")
    if leak is None:  # without a leak nothing is contributed: the neutral state
        leak = np.eye(len(declared[name].states))[0 if families[said] else -1]
    return Causes(
        tuple(parents),
        tuple(declared[parent].states for parent in parents),
        tuple(given[parent] for parent in parents),
        leak,
        families[said],
    )
