"""The scale of a measurement as a document gives it: unit, cut-offs, range, likelihood curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from typing import Any

from hickam.issues import Hints, Issue, Kind, error
from hickam.model.network import Scale

SCALE_KEYS = ("unit", "units", "range", "cuts", "second_cuts", "curves")
LARGEST_RATIO = 1e6  # of one point of a curve
MOST_POINTS = 1000  # of one curve
Path = tuple[str | int, ...]


def read_scale(
    item: Mapping[str, Any],
    values: tuple[str, ...],
    given: Collection[str],
    where: str,
    path: Path,
    diseases: Mapping[str, int],
    issues: list[Issue],
) -> Scale | None:
    """The scale of a category that is measured, or None for one that is chosen."""
    if not any(key in item for key in SCALE_KEYS):
        return None
    unit = item.get("unit", "")
    if not isinstance(unit, str) or isinstance(item.get("unit", ""), bool):
        issues.append(error(where, f"has the unit {unit!r:.40}", "write text", (*path, "unit")))
        unit = ""
    return Scale(
        unit.strip(),
        _cuts(item, "cuts", values, where, path, issues),
        _cuts(item, "second_cuts", values, where, path, issues) if "second_cuts" in item else (),
        _units(item, where, path, issues),
        _range(item, where, path, issues),
        _curves(item, given, where, path, diseases, issues),
    )


def _cuts(
    item: Mapping[str, Any],
    key: str,
    values: tuple[str, ...],
    where: str,
    path: Path,
    issues: list[Issue],
) -> tuple[float, ...]:
    """The numbers at which the next value begins."""
    cuts = item.get(key) or []
    wanted = max(len(values) - 1, 0)
    good = isinstance(cuts, list) and all(_is_number(cut) for cut in cuts)
    if not good or len(cuts) != wanted or any(a >= b for a, b in itertools.pairwise(cuts)):
        fix = f"list {wanted} rising numbers: where each value but the first begins"
        what = f"has no {key.replace('_', ' ')} between its values"
        issues.append(error(where, what, fix, (*path, key)))
        return ()
    return tuple(float(cut) for cut in cuts)


def _units(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> dict[str, tuple[float, float]]:
    """Other unit → (times, plus) that turn a number in it into our own unit."""
    listed = item.get("units") or {}
    fix = "write {other unit: {times: …, plus: …}}"
    if not isinstance(listed, Mapping):
        issues.append(error(where, "has units that are not a mapping", fix, (*path, "units")))
        return {}
    found = {}
    for unit, turn in listed.items():
        place = (*path, "units", str(unit))
        parts = turn if isinstance(turn, Mapping) else {"times": turn}
        times, plus = parts.get("times", 1.0), parts.get("plus", 0.0)
        known = set(parts) <= {"times", "plus"}
        if not (known and _is_number(times) and _is_number(plus) and times != 0.0):
            issues.append(error(f"{where}: unit '{unit}'", "cannot be converted", fix, place))
            continue
        found[str(unit)] = (float(times), float(plus))
    return found


def _range(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[float, float] | None:
    """The numbers that can be, from and to."""
    span = item.get("range")
    if span is None:
        return None
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(_is_number(end) for end in span)
        and span[0] < span[1]
    ):
        return float(span[0]), float(span[1])
    issues.append(error(where, f"has the range {span!r:.40}", "write [from, to]", (*path, "range")))
    return None


def _curves(
    item: Mapping[str, Any],
    given: Collection[str],
    where: str,
    path: Path,
    diseases: Mapping[str, int],
    issues: list[Issue],
) -> dict[str, tuple[tuple[float, float], ...]]:
    """Disease → its likelihood ratio at rising numbers."""
    listed = item.get("curves") or {}
    if not isinstance(listed, Mapping):
        fix = "write {disease: {number: likelihood ratio, …}}"
        issues.append(error(where, "has curves that are not a mapping", fix, (*path, "curves")))
        return {}
    found = {}
    hints = Hints(diseases)
    for disease, points in listed.items():
        place, name = (*path, "curves", str(disease)), f"{where}: curve of '{disease}'"
        if disease not in diseases:
            fix = hints.fix(str(disease))
            issues.append(error(name, "is for no disease of the network", fix, place))
        elif disease in given:
            fix = "keep one of the two, or the reading counts twice"
            issues.append(error(name, "stands beside its 'given'", fix, place))
        elif isinstance(points, (Mapping, list)) and len(points) > MOST_POINTS:
            what = f"has {len(points):,} points (at most {MOST_POINTS:,})"
            issues.append(error(name, what, "", place, Kind.TOO_LARGE))
        else:
            curve = _points(points)
            if curve is None:
                fix = f"write {{38: 1, 40: 5}}: rising numbers, ratios up to {LARGEST_RATIO:g}"
                issues.append(error(name, "is not a curve of likelihood ratios", fix, place))
            else:
                found[str(disease)] = curve
    return found


def _points(points: object) -> tuple[tuple[float, float], ...] | None:
    """(number, ratio) pairs with rising numbers, from a mapping or a list of pairs."""
    if isinstance(points, Mapping):
        pairs = [(_number(at), ratio) for at, ratio in points.items()]
    elif isinstance(points, list) and all(isinstance(p, list) and len(p) == 2 for p in points):
        pairs = [(_number(at), ratio) for at, ratio in points]
    else:
        return None
    good = pairs and all(
        at is not None and _is_number(ratio) and 1.0 / LARGEST_RATIO <= ratio <= LARGEST_RATIO
        for at, ratio in pairs
    )
    if not good:
        return None
    found = tuple((float(at), float(ratio)) for at, ratio in pairs if at is not None)
    rising = all(a[0] < b[0] for a, b in itertools.pairwise(found))
    return found if rising else None


def _number(value: object) -> float | None:
    """A number, also one that JSON had to write as the text of a key."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if _is_number(value) else None  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
