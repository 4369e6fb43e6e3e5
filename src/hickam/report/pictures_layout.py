"""Where each shape goes: layers from causes to effects, few crossings, no overlapping labels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hickam.report.pictures import Picture, Shape

LINE = 15.0  # height of a line of text
LETTER = 6.7  # width of a letter, generously
WRAP = 16  # letters in a line
GAP = 18.0
LAYER_GAP = 64.0
MARGIN = 24.0
PER_ROW = 8  # more shapes than this in a zone of a layer go to further rows
SWEEPS = 12
BASE = {"risk factor": 0, "other": 0, "disease": 1, "finding": 2}


@dataclass(frozen=True, slots=True)
class Box:
    """A shape with its place: the centre, the size and the wrapped label."""

    shape: Shape
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """All boxes, the spans of the zones, and the size of the whole."""

    boxes: Mapping[str, Box]
    zones: Mapping[int, tuple[float, float]]  # zone → left, right
    width: float
    height: float


def lay_out(picture: Picture) -> Layout:
    """The layout of a picture: zones side by side, layers from top to bottom."""
    layers = _layers(picture)
    order = _ordered(picture, layers)
    wrapped = {shape.id: _wrap(shape) for shape in picture.shapes}
    sizes = {key: _size(lines) for key, lines in wrapped.items()}
    shape_of = {shape.id: shape for shape in picture.shapes}
    zones = sorted({shape.zone for shape in picture.shapes})
    rows = _rows(order, shape_of)
    widths = {
        zone: max(
            [_row_width([k for k in row if shape_of[k].zone == zone], sizes) for row in rows]
            + [_title_width(picture, zone)]
        )
        for zone in zones
    }
    spans: dict[int, tuple[float, float]] = {}
    left = MARGIN
    for zone in zones:
        spans[zone] = (left, left + widths[zone])
        left += widths[zone] + 2 * GAP
    boxes: dict[str, Box] = {}
    y = MARGIN + 3.4 * LINE
    for number, row in enumerate(rows):
        height = max(sizes[key][1] for key in row)
        for zone in zones:
            members = [key for key in row if shape_of[key].zone == zone]
            x = sum(spans[zone]) / 2.0 - _row_width(members, sizes) / 2.0
            for key in members:
                width, tall = sizes[key]
                centre = x + width / 2.0
                boxes[key] = Box(shape_of[key], centre, y + height / 2.0, width, tall, wrapped[key])
                x += width + GAP
        last = number == len(rows) - 1
        same_layer = not last and layers[rows[number + 1][0]] == layers[row[0]]
        y += height + (0.45 * LAYER_GAP if same_layer else LAYER_GAP)
    width = max(left - 2 * GAP + MARGIN, _text_width(picture.title, 8.4) + 2 * MARGIN, 430.0)
    return Layout(boxes, spans, width, y - LAYER_GAP + MARGIN + 3 * LINE)


def _text_width(text: str, letter: float = LETTER) -> float:
    """The width of a line of text."""
    return len(text) * letter


def _title_width(picture: Picture, zone: int) -> float:
    """The room a zone needs for its title."""
    return _text_width(picture.zones.get(zone, "")) + GAP


def _wrap(shape: Shape) -> tuple[str, ...]:
    """The label in short lines, the state last."""
    lines = textwrap.wrap(shape.label, WRAP) or [shape.label]
    return (*lines, f"= {shape.note}") if shape.note else tuple(lines)


def _size(lines: Sequence[str]) -> tuple[float, float]:
    """(width, height) of a box around lines of text."""
    return max(54.0, max(map(_text_width, lines)) + 20.0), len(lines) * LINE + 14.0


def _row_width(keys: Sequence[str], sizes: Mapping[str, tuple[float, float]]) -> float:
    """The width of boxes side by side."""
    return sum(sizes[key][0] for key in keys) + GAP * max(len(keys) - 1, 0)


def _layers(picture: Picture) -> dict[str, int]:
    """Shape → layer: below all its causes, diseases below risk factors, findings below diseases."""
    causes: dict[str, list[str]] = {shape.id: [] for shape in picture.shapes}
    for source, effect in picture.arrows:
        causes[effect].append(source)
    layer: dict[str, int] = {}
    waiting = list(picture.shapes)
    lowest_disease = 0
    for role in ("first", "finding"):
        todo = [s for s in waiting if (s.role == "finding") == (role == "finding")]
        for _ in range(len(todo) + 1):
            for shape in todo:
                base = lowest_disease + 1 if role == "finding" else BASE[shape.role]
                above = [layer[c] + 1 for c in causes[shape.id] if c in layer]
                layer[shape.id] = max([base, *above])
        lowest_disease = max(layer.values(), default=0)
    # Duals stand at the same height.
    for shape in picture.shapes:
        if shape.zone == 2 and shape.node in layer:
            top = max(layer[shape.id], layer[shape.node])
            layer[shape.id] = layer[shape.node] = top
    used = sorted(set(layer.values()))
    return {key: used.index(value) for key, value in layer.items()}


def _ordered(picture: Picture, layers: Mapping[str, int]) -> list[list[str]]:
    """The shapes of each layer, ordered by the mean place of their neighbours, sweep by sweep."""
    zone = {shape.id: shape.zone for shape in picture.shapes}
    near: dict[str, list[str]] = {shape.id: [] for shape in picture.shapes}
    for source, effect in picture.arrows:
        near[source].append(effect)
        near[effect].append(source)
    count = max(layers.values(), default=0) + 1
    rows = [[s.id for s in picture.shapes if layers[s.id] == depth] for depth in range(count)]
    place: dict[str, float] = {}
    for row in rows:
        for position, key in enumerate(sorted(row, key=lambda k: zone[k])):
            place[key] = position / max(len(row) - 1, 1)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            mean = {
                key: sum(place[n] for n in near[key]) / len(near[key]) if near[key] else place[key]
                for key in row
            }
            row.sort(key=lambda key: (zone[key], mean[key]))
            for position, key in enumerate(row):
                place[key] = position / max(len(row) - 1, 1)
    for row in rows:
        # A dual stands where its factual partner stands, so that the worlds can be compared.
        shown = {key: place.get(key.removesuffix("*"), place[key]) for key in row}
        row.sort(key=lambda key: (zone[key], shown[key]))
    return rows


def _rows(order: Sequence[Sequence[str]], shapes: Mapping[str, Shape]) -> list[list[str]]:
    """Layers as rows; a layer with many shapes in a zone takes several, filled in turn."""
    rows = []
    for layer in order:
        zones: dict[int, list[str]] = {}
        for key in layer:
            zones.setdefault(shapes[key].zone, []).append(key)
        need = max(math.ceil(len(members) / PER_ROW) for members in zones.values())
        for number in range(need):
            row = [
                key
                for zone in sorted(zones)
                for position, key in enumerate(zones[zone])
                if position % need == number
            ]
            if row:
                rows.append(row)
    return rows
