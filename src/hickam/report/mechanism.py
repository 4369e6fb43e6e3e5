"""A node of a general model in words: its states, its mechanism, its effects."""

from __future__ import annotations

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.node import Node
from hickam.model.recognise import gate_in_words, nearest_noisy_or
from hickam.model.scm import SCM

MOST_ROWS = 16
MOST_FITTED = 10  # parents of a table to which a noisy-OR is fitted unasked


def describe_node(model: SCM, name: str) -> list[str]:
    """Everything about one node, as lines of text."""
    node, entry = model.nodes[name], model.entries[name]
    lines = [f"{entry.name} ({name}), {node.role}; states: {', '.join(node.states)}"]
    if entry.synonyms:
        lines.append(f"  also: {', '.join(entry.synonyms)}")
    lines += [f"  {line}" for line in mechanism_lines(model, node)]
    if name in model.recognised:
        lines.append(f"  recognised: its table is a {model.recognised[name]}")
    if model.children[name]:
        shown = dict.fromkeys(model.shown(child) for child in model.children[name])
        lines.append(f"  affects: {', '.join(model.label(child) for child in shown)}")
    lines.append(f"  numbers: {entry.source or 'no source given'}")
    return lines


def mechanism_lines(model: SCM, node: Node) -> list[str]:
    """How a node is set from its parents."""
    mechanism = node.mechanism
    causes = model.direct_causes(node.id)
    if causes != node.parents:
        named = ", ".join(model.label(cause) for cause in causes) or "none"
        return [f"noisy MAX or MIN of what its leak and each cause contribute: {named}"]
    if isinstance(mechanism, Function):
        return [f"is: {mechanism.text}"]
    if isinstance(mechanism, Gate):
        return _gate_lines(model, mechanism)
    return _table_lines(model, node, mechanism)


def _gate_lines(model: SCM, gate: Gate) -> list[str]:
    """A prior, a noisy-OR or a noisy-AND."""
    if not gate.parents:
        on = gate.own.acts if gate.kind == "or" else gate.own.fails
        return [f"prior {on:.3g}"]
    if gate.kind == "or":
        lines = [f"noisy-OR, leak {gate.own.acts:.3g}; caused by:"]
    else:
        lines = [f"noisy-AND, kept with probability {gate.own.fails:.3g}; needs:"]
    links = sorted(zip(gate.parents, gate.links, strict=True), key=lambda pair: -pair[1].acts)
    return lines + [f"  {link.acts:6.1%}  {model.label(p)} ({p})" for p, link in links]


def _table_lines(model: SCM, node: Node, table: Table) -> list[str]:
    """A conditional table, its first rows."""
    noise = gate_in_words(table) or f"{table.coupling} coupling"
    lines = [f"table, {noise}; columns: {', '.join(node.states)}"]
    sizes = [model.nodes[parent].states for parent in table.parents]
    for position, row in enumerate(table.flat[:MOST_ROWS]):
        left, states = position, []
        for names in reversed(sizes):
            left, state = divmod(left, len(names))
            states.append(names[state])
        given = ", ".join(
            f"{p} = {s}" for p, s in zip(table.parents, reversed(states), strict=True)
        )
        lines.append(
            f"  {'  '.join(f'{p:.3g}' for p in row)}" + (f"   if {given}" if given else "")
        )
    if len(table.flat) > MOST_ROWS:
        lines.append(f"  … and {len(table.flat) - MOST_ROWS} more rows")
    open_gate = table.bare and all(size == 2 for size in table.rows.shape)
    return lines + _nearest(table) if open_gate else lines


def _nearest(table: Table) -> list[str]:
    """The noisy-OR nearest to a table of two states, with its error."""
    if len(table.parents) > MOST_FITTED:
        return []
    fit = nearest_noisy_or(table)
    links = zip(table.parents, fit.gate.links, strict=True)
    strengths = ", ".join(f"{parent} {link.acts:.3g}" for parent, link in links)
    return [
        f"nearest noisy-OR: leak {fit.gate.own.acts:.3g}, {strengths}; "
        f"off by at most {fit.largest:.2g} (root mean square {fit.root_mean_square:.2g})"
    ]
