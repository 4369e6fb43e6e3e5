"""A picture as SVG text."""

from __future__ import annotations

from xml.sax.saxutils import escape

from hickam.report.pictures import Picture
from hickam.report.pictures_layout import LINE, MARGIN, Box, Layout, lay_out

FILL = {"plain": "#ffffff", "evidence": "#cfe2ff", "intervention": "#f8d7da"}
STROKE = {"plain": "#495057", "evidence": "#0b5ed7", "intervention": "#b02a37"}
ROUNDING = {"risk factor": 2.0, "other": 2.0, "disease": 999.0, "finding": 8.0}
ZONE_FILL = {0: "#f8f9fa", 1: "#ffffff", 2: "#fdf8f0"}


def to_svg(picture: Picture) -> str:
    """The picture as one self-contained SVG document."""
    layout = lay_out(picture)
    width, height = round(layout.width), round(layout.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="Helvetica, Arial, sans-serif" '
        'font-size="12">',
        f"<title>{escape(picture.title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#6c757d"/></marker>'
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="{MARGIN}" font-size="15" font-weight="bold">'
        f"{escape(picture.title)}</text>",
    ]
    parts += _zones(picture, layout)
    parts += [_dash(layout.boxes[a], layout.boxes[b]) for a, b in picture.dashes]
    parts += [_arrow(layout.boxes[a], layout.boxes[b]) for a, b in picture.arrows]
    parts += [_box(box) for box in layout.boxes.values()]
    parts += _legend(picture, layout)
    return "\n".join([*parts, "</svg>\n"])


def _zones(picture: Picture, layout: Layout) -> list[str]:
    """The backgrounds and titles of the worlds."""
    parts = []
    bottom = layout.height - 2.6 * LINE
    top = MARGIN + 0.8 * LINE
    for zone, (left, right) in layout.zones.items():
        title = picture.zones.get(zone)
        if not title:
            continue
        parts.append(
            f'<rect x="{left - 9:.1f}" y="{top:.1f}" width="{right - left + 18:.1f}" '
            f'height="{bottom - top:.1f}" rx="8" fill="{ZONE_FILL[zone]}" stroke="#dee2e6"/>'
        )
        middle = (left + right) / 2.0
        parts.append(
            f'<text x="{middle:.1f}" y="{top + 1.3 * LINE:.1f}" text-anchor="middle" '
            f'fill="#495057" font-style="italic">{escape(title)}</text>'
        )
    return parts


def _border(box: Box, other: Box) -> tuple[float, float]:
    """The point of a box's border on the line to another box."""
    dx, dy = other.x - box.x, other.y - box.y
    if dx == dy == 0.0:
        return box.x, box.y
    scale = min(
        box.width / 2.0 / abs(dx) if dx else 1e9,
        box.height / 2.0 / abs(dy) if dy else 1e9,
    )
    return box.x + dx * scale, box.y + dy * scale


def _arrow(source: Box, effect: Box) -> str:
    """An arrow from a cause to an effect, red where it starts at an intervention."""
    if effect.y > source.y:
        start = (source.x, source.y + source.height / 2.0)
        end = (effect.x, effect.y - effect.height / 2.0)
    else:
        start, end = _border(source, effect), _border(effect, source)
    colour = STROKE["intervention"] if source.shape.colour == "intervention" else "#6c757d"
    middle = (start[1] + end[1]) / 2.0
    return (
        f'<path d="M{start[0]:.1f},{start[1]:.1f} C{start[0]:.1f},{middle:.1f} '
        f'{end[0]:.1f},{middle:.1f} {end[0]:.1f},{end[1]:.1f}" fill="none" stroke="{colour}" '
        'stroke-width="1.1" stroke-opacity="0.75" marker-end="url(#tip)"/>'
    )


def _dash(first: Box, second: Box) -> str:
    """A dashed arc, below the boxes, between duals that share their noise."""
    bottoms = (first.y + first.height / 2.0, second.y + second.height / 2.0)
    low = max(bottoms) + min(34.0, 14.0 + 0.02 * abs(second.x - first.x))
    return (
        f'<path d="M{first.x:.1f},{bottoms[0]:.1f} C{first.x:.1f},{low:.1f} '
        f'{second.x:.1f},{low:.1f} {second.x:.1f},{bottoms[1]:.1f}" fill="none" '
        'stroke="#868e96" stroke-dasharray="5 4"/>'
    )


def _box(box: Box) -> str:
    """One shape with its label."""
    colour = box.shape.colour
    radius = min(ROUNDING[box.shape.role], box.height / 2.0)
    parts = [
        f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.1f}" '
        f'fill="{FILL[colour]}" stroke="{STROKE[colour]}" stroke-width="1.4"/>'
    ]
    top = box.y - (len(box.lines) - 1) * LINE / 2.0 + 4.2
    for number, line in enumerate(box.lines):
        style = ' font-style="italic"' if box.shape.note and number == len(box.lines) - 1 else ""
        parts.append(
            f'<text x="{box.x:.1f}" y="{top + number * LINE:.1f}" text-anchor="middle"{style}>'
            f"{escape(line)}</text>"
        )
    return "".join(parts)


def _legend(picture: Picture, layout: Layout) -> list[str]:
    """What the colours mean, and what is not drawn."""
    y = layout.height - 1.1 * LINE
    entries = [("evidence", "observed")]
    if any(shape.colour == "intervention" for shape in picture.shapes):
        entries.append(("intervention", "set by intervention"))
    parts, x = [], MARGIN
    for colour, text in entries:
        parts.append(
            f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="14" height="12" rx="3" '
            f'fill="{FILL[colour]}" stroke="{STROKE[colour]}"/>'
            f'<text x="{x + 20:.1f}" y="{y:.1f}" fill="#495057">{text}</text>'
        )
        x += 34 + 6.4 * len(text)
    if picture.dashes:
        parts.append(
            f'<path d="M{x:.1f},{y - 4:.1f} h26" stroke="#868e96" stroke-dasharray="5 4"/>'
            f'<text x="{x + 32:.1f}" y="{y:.1f}" fill="#495057">same noise</text>'
        )
        x += 112
    if picture.note:
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="#495057">{escape(picture.note)}</text>')
    return parts
