"""A note as it was read: its text with its spans, and what each says, as lines and as JSON."""

from __future__ import annotations

from typing import Any

from hickam.language.note import Meant, Note, Status
from hickam.model.described import Described
from hickam.report.terminal import Terminal

STYLES = {
    Status.PRESENT: "green",
    Status.RISK: "green",
    Status.READING: "green",
    Status.ABSENT: "cyan",
    Status.UNREAD: "yellow",
    Status.NOTHING: "",
}


def document(network: Described, note: Note) -> dict[str, Any]:
    """A note and its spans, for JSON."""
    return {
        "text": note.text,
        "age": note.age,
        "sex": note.sex,
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "text": note.said(span),
                "status": span.status.value,
                "meant": [
                    {
                        "kind": one.kind,
                        "id": one.id,
                        "name": _name(network, one),
                        "there": one.there,
                        "value": one.entered,
                    }
                    for one in span.meant
                ],
                "left_out": list(span.left_out),
                "may_matter": span.may_matter,
            }
            for span in note.spans
        ],
    }


def lines(network: Described, note: Note, terminal: Terminal) -> list[str]:
    """The text with its spans in colours, then what each of them says."""
    painted = "".join(
        terminal.paint(
            note.said(span), "red" if span.may_matter else STYLES.get(span.status, "dim")
        )
        for span in note.spans
    )
    found = [*painted.splitlines(), ""]
    age = "" if note.age is None else f"{note.age:.3g} years"
    if age or note.sex:
        found.append(f"{'patient':15} {', '.join(filter(None, (age, note.sex)))}")
    for span in note.spans:
        if span.status in (Status.NOTHING, Status.PERSON):
            continue
        said = " ".join(note.said(span).split())
        names = "; ".join(_told(network, one) for one in span.meant)
        without = ", ".join(f"“{word}”" for word in span.left_out)
        left = f", without {without}" if without and names else ""
        matters = " (may be a finding)" if span.may_matter else ""
        told = f"{names or '–'}{left}{matters}"
        found.append(f"{span.status.value:15} {told}  “{said}”")
    return found


def _told(network: Described, one: Meant) -> str:
    """What a phrase means, in words."""
    name = _name(network, one)
    if one.entered:
        return f"{name} {one.entered}"
    return name if one.there else f"no {name}"


def _name(network: Described, one: Meant) -> str:
    """The name of what a phrase means."""
    if one.kind == "category":
        return next(category.name for category in network.categories if category.id == one.id)
    return network.label(one.id)
