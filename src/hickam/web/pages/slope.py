"""The movement between two rankings, drawn as curves between two lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROW = 100  # height of one row in drawing units


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve from a row of the left list to a row of the right one; None: not on that list."""

    disease: str
    left: int | None
    right: int | None
    path: str
    kind: str  # "rises", "falls", "stays", "leaves" or "enters"


def slope(left: Sequence[str], right: Sequence[str]) -> list[Curve]:
    """One curve for every disease on either list.

    >>> [(c.disease, c.kind) for c in slope(["a", "b"], ["b", "c"])]
    [('a', 'leaves'), ('b', 'rises'), ('c', 'enters')]
    """
    curves = []
    for disease in dict.fromkeys((*left, *right)):
        start = left.index(disease) if disease in left else None
        end = right.index(disease) if disease in right else None
        curves.append(Curve(disease, start, end, _path(start, end), _kind(start, end)))
    return curves


def _path(start: int | None, end: int | None) -> str:
    """A curve between two rows; a short stub downwards where the disease is on one list only."""
    if end is None:
        y = _middle(start)
        return f"M0 {y}C14 {y} 20 {y + 20} 22 {y + 55}"
    y1 = _middle(end)
    if start is None:
        return f"M78 {y1 + 55}C80 {y1 + 20} 86 {y1} 100 {y1}"
    y0 = _middle(start)
    return f"M0 {y0}C45 {y0} 55 {y1} 100 {y1}"


def _middle(row: int | None) -> int:
    """The height of the middle of a row."""
    return (row or 0) * ROW + ROW // 2


def _kind(start: int | None, end: int | None) -> str:
    """What the disease does from left to right."""
    if end is None:
        return "leaves"
    if start is None:
        return "enters"
    return "stays" if start == end else "rises" if end < start else "falls"
