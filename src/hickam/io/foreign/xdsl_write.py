"""A general model as XDSL: noisy-OR as noisy MAX, all else as tables."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from hickam.io.foreign.spelled import spelled
from hickam.issues import invalid
from hickam.model.mechanism import Gate
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of


def xdsl_text(model: SCM) -> str:
    """The model as XDSL; characters that its ids cannot hold become underscores."""
    ids = spelled(list(model.nodes))
    nodes, names = [], []
    for node in model:
        nodes.append(_node(node, model, ids))
        label = escape(_printable(model.label(node.id)))
        names.append(f"      <node id={quoteattr(ids[node.id])}><name>{label}</name></node>")
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<smile version="1.0" id={quoteattr(spelled([model.name])[model.name])}>',
            "  <nodes>",
            *nodes,
            "  </nodes>",
            "  <extensions>",
            f'    <genie version="1.0" name={quoteattr(_printable(model.name))}>',
            *names,
            "    </genie>",
            "  </extensions>",
            "</smile>",
            "",
        ]
    )


def _node(node: Node, model: SCM, ids: dict[str, str]) -> str:
    """The element of one node."""
    mechanism = node.mechanism
    max_of = isinstance(mechanism, Gate) and mechanism.kind == "or" and bool(mechanism.parents)
    # GeNIe orders the states of a noisy MAX from the strongest to the one without effect.
    states = node.states[::-1] if max_of else node.states
    states_as = spelled(list(node.states))
    lines = [f"      <state id={quoteattr(states_as[state])} />" for state in states]
    if node.parents:
        lines.append(f"      <parents>{' '.join(ids[parent] for parent in node.parents)}</parents>")
    if max_of:
        assert isinstance(mechanism, Gate)
        strengths, parameters = [], []
        for parent, link in zip(mechanism.parents, mechanism.links, strict=True):
            # A parent that is itself written upside down has its "on" state first.
            above = model.nodes[parent].mechanism
            upside_down = isinstance(above, Gate) and above.kind == "or" and bool(above.parents)
            strengths += ["0", "1"] if upside_down else ["1", "0"]
            parameters += [repr(link.acts), repr(link.fails), "0", "1"]
        parameters += [repr(mechanism.own.acts), repr(mechanism.own.fails)]
        lines.append(f"      <strengths>{' '.join(strengths)}</strengths>")
        lines.append(f"      <parameters>{' '.join(parameters)}</parameters>")
        tag = "noisymax"
    else:
        rows = table_of(node, model)
        if rows is None:
            what = f"has {len(node.parents)} parents: its table is too large for this format"
            raise invalid(f"node '{node.id}'", what, "keep it as YAML")
        for axis, parent in enumerate(node.parents):
            above = model.nodes[parent].mechanism
            if isinstance(above, Gate) and above.kind == "or" and above.parents:
                rows = rows[(slice(None),) * axis + (slice(None, None, -1),)]
        lines.append(
            f"      <probabilities>{' '.join(map(repr, rows.ravel().tolist()))}</probabilities>"
        )
        tag = "cpt"
    return "\n".join([f"    <{tag} id={quoteattr(ids[node.id])}>", *lines, f"    </{tag}>"])


def _printable(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(mark if mark.isprintable() else " " for mark in text)
