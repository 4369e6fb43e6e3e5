"""What is entered for an observation with values: one of them, or a number with its unit."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from typing import NamedTuple

from hickam.issues import Issue, did_you_mean, error
from hickam.language.fold import fold
from hickam.model.network import Category, Scale

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(.*?)\s*$", re.DOTALL)
PAIR = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)(?!\d*/)\s*(.*?)\s*$", re.DOTALL)
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+")
LONGEST = 200  # characters of what may be a value or a number
SHOWN = 40


class Reading(NamedTuple):
    """An observation as read: its value, if it has values, and its number in its own unit."""

    value: str | None
    number: float | None = None
    words: str = ""


def read_value(category: Category, entered: object) -> Reading | Issue:
    """What was entered for a category, or the issue that says what can be.

    >>> from hickam.model.network import Scale
    >>> scale = Scale("C", cuts=(38.0,), units={"F": (5 / 9, -160 / 9)}, range=(25.0, 45.0))
    >>> heat = Category("t", "Temperature", ("normal", "high"), (0.9, 0.1), {}, scale=scale)
    >>> read_value(heat, "102.2 °F")
    Reading(value='high', number=39.0, words='39 C (high)')
    >>> str(read_value(heat, 102.2))
    'Temperature 102.2 is not between 25 and 45 C; did you mean 102.2 F?'
    """
    if isinstance(entered, int) and abs(entered) > 1e300:  # beyond what floats and text can hold
        entered = math.inf
    for name in category.values if not isinstance(entered, bool) else ():
        if fold(name) == fold(str(entered)[:LONGEST]):
            return Reading(name, words=name)
    where = f"{category.name} {_shown(entered)}"
    if category.scale is None:
        fix = did_you_mean(str(entered), category.values)
        return error(where, "is not one of its values", fix)
    scale, values = category.scale, category.values
    first, second = _parted(scale, entered)
    number = _number(scale, first, where, values)
    if isinstance(number, Issue):
        return number
    place = bisect_right(scale.cuts, number)
    shown = f"{number:.6g}"
    if second is not None:
        other = _number(scale, second, where, values)
        if isinstance(other, Issue):
            return other
        shown += f"/{other:.6g}"
        place = _farther(place, bisect_right(scale.second_cuts, other), len(values))
    value = values[place] if values else None
    words = f"{shown} {scale.unit}".strip()
    return Reading(value, number, f"{words} ({value})" if value else words)


def ratio_at(points: tuple[tuple[float, float], ...], number: float) -> float:
    """The likelihood ratio of a curve: straight between points in the logarithm, level beyond.

    >>> ratio_at(((38.0, 1.0), (40.0, 4.0)), 39.0)
    2.0
    """
    after = bisect_right([at for at, _ in points], number)
    if after == 0 or after == len(points):
        return points[min(after, len(points) - 1)][1]
    (left, low), (right, high) = points[after - 1], points[after]
    share = (number - left) / (right - left)
    return math.exp((1.0 - share) * math.log(low) + share * math.log(high))


def _parted(scale: Scale, entered: object) -> tuple[object, object | None]:
    """What was entered as its number, or as its two numbers where two make a reading: 140/90."""
    found = PAIR.match(entered[:LONGEST]) if isinstance(entered, str) else None
    if found is None or not scale.second_cuts:
        return entered, None
    return f"{found[1]} {found[3]}", f"{found[2]} {found[3]}"


def _farther(first: int, second: int, values: int) -> int:
    """Of two positions the one farther from the middle of the values; of equals the first."""
    middle = (values - 1) / 2
    return second if abs(second - middle) > abs(first - middle) else first


def _number(scale: Scale, entered: object, where: str, values: tuple[str, ...]) -> float | Issue:
    """The number in the scale's own unit."""
    choices = {_folded(scale.unit): (1.0, 0.0), "": (1.0, 0.0)}
    choices |= {_folded(unit): turn for unit, turn in scale.units.items()}
    example = f"{_example(scale):g} {scale.unit}".strip()
    fix = f"write a number such as {example}" + (
        f" or one of {', '.join(values)}" if values else ""
    )
    unit = ""
    if isinstance(entered, str):
        found = NUMBER.match(entered) if len(entered) <= LONGEST else None
        if DECIMAL_COMMA.match(entered):
            return error(where, "has a decimal comma", "write a decimal point")
        if found is None:
            return error(where, "is not a number", fix)
        number, unit = float(found[1]), found[2]
    elif isinstance(entered, (int, float)) and not isinstance(entered, bool):
        number = float(entered)
    else:
        return error(where, "is not a number", fix)
    if _folded(unit) not in choices:
        known = [name for name in (scale.unit, *scale.units) if name]
        hint = f"write one of {', '.join(known)}" if known else "write the number alone"
        return error(where, f"has the unit '{unit:.20}'", hint)
    if not math.isfinite(number):
        return error(where, "is not a finite number", fix)
    times, plus = choices[_folded(unit)]
    turned = number * times + plus
    if scale.range is None or scale.range[0] <= turned <= scale.range[1]:
        return turned
    low, high = scale.range
    what = f"is not between {low:g} and {high:g} {scale.unit}".rstrip()
    for name, (times, plus) in scale.units.items():
        if not unit and low <= number * times + plus <= high:
            return error(where, what, f"did you mean {number:g} {name}?")
    return error(where, what, fix)


def _example(scale: Scale) -> float:
    """A number that can be."""
    if scale.cuts:
        return scale.cuts[len(scale.cuts) // 2]
    return scale.range[0] if scale.range else next(iter(scale.curves.values()))[0][0]


def _folded(unit: str) -> str:
    """A unit without what no reader tells apart: letter case, spaces, the degree sign."""
    return "".join(unit.replace("°", "").replace("μ", "u").replace("µ", "u").split()).casefold()


def _shown(entered: object) -> str:
    """What was entered, short."""
    return f"{entered!r:.{SHOWN}}"
