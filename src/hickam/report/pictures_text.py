"""A picture as Mermaid or DOT text, for documents and other tools."""

from __future__ import annotations

import json

from hickam.report.pictures import Picture, Shape

MERMAID_CLASSES = (
    "classDef evidence fill:#cfe2ff,stroke:#0b5ed7",
    "classDef intervention fill:#f8d7da,stroke:#b02a37",
    "classDef plain fill:#ffffff,stroke:#495057",
)
DOT_COLOURS = {
    "plain": ("#ffffff", "#495057"),
    "evidence": ("#cfe2ff", "#0b5ed7"),
    "intervention": ("#f8d7da", "#b02a37"),
}


def to_mermaid(picture: Picture) -> str:
    """The picture as a Mermaid flowchart."""
    name = {shape.id: f"n{number}" for number, shape in enumerate(picture.shapes)}
    lines = [
        "---",
        f"title: {json.dumps(picture.title, ensure_ascii=False)}",
        "---",
        "flowchart TD",
    ]
    for zone in sorted({shape.zone for shape in picture.shapes}):
        members = [shape for shape in picture.shapes if shape.zone == zone]
        title = picture.zones.get(zone)
        if title:
            lines.append(f'  subgraph z{zone}["{_quoted(title)}"]')
        lines += [f'  {name[s.id]}["{_quoted(_label(s))}"]:::{s.colour}' for s in members]
        if title:
            lines.append("  end")
    lines += [f"  {name[a]} --> {name[b]}" for a, b in picture.arrows]
    lines += [f"  {name[a]} -.- {name[b]}" for a, b in picture.dashes]
    lines += [f"  {line}" for line in MERMAID_CLASSES]
    if picture.note:
        lines.append(f"  %% {picture.note}")
    return "\n".join(lines) + "\n"


def to_dot(picture: Picture) -> str:
    """The picture as a Graphviz digraph."""
    name = {shape.id: f"n{number}" for number, shape in enumerate(picture.shapes)}
    lines = [
        "digraph twin {",
        f"  label={json.dumps(picture.title, ensure_ascii=False)}; labelloc=t; rankdir=TB;",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
    ]
    for zone in sorted({shape.zone for shape in picture.shapes}):
        title = picture.zones.get(zone)
        if title:
            quoted = json.dumps(title, ensure_ascii=False)
            lines.append(f"  subgraph cluster_{zone} {{ label={quoted}; color=gray80;")
        for shape in picture.shapes:
            if shape.zone == zone:
                fill, line = DOT_COLOURS[shape.colour]
                label = json.dumps(_label(shape, "\n"), ensure_ascii=False)
                lines.append(
                    f'  {name[shape.id]} [label={label}, fillcolor="{fill}", color="{line}"];'
                )
        if title:
            lines.append("  }")
    lines += [f"  {name[a]} -> {name[b]};" for a, b in picture.arrows]
    lines += [
        f"  {name[a]} -> {name[b]} [style=dashed, dir=none, constraint=false];"
        for a, b in picture.dashes
    ]
    if picture.note:
        lines.append(f"  // {picture.note}")
    return "\n".join([*lines, "}"]) + "\n"


def _label(shape: Shape, between: str = " ") -> str:
    """The label with its state."""
    return f"{shape.label}{between}= {shape.note}" if shape.note else shape.label


def _quoted(text: str) -> str:
    """Text safe between Mermaid's quotes."""
    return text.replace('"', "#quot;")
