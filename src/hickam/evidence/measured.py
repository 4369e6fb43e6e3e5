"""A measurement in a text, `HR 128` or `BP 180/110 mmHg` → the findings that its value means."""

from __future__ import annotations

import re
from functools import lru_cache

from hickam.evidence.reading import read_value
from hickam.evidence.vocabulary import vocabularies
from hickam.issues import Issue
from hickam.model.described import Described

LONGEST = 60  # characters of a text that is a measurement
MEASUREMENT = re.compile(
    r"\s*(?P<name>(?:[^\W\d][\w.-]*\s+)*?[^\W\d]+2?)[\s=:@<>~≈]*"
    r"(?:(?<=[\s=:@<>~≈])|(?=\d\d))(?P<number>\d+(?:\.\d+)?(?:\s?/\s?\d{2,3})?)\s*(?P<unit>[^\s\d]*)(?P<rest>.*)$"
)
UNITS_AS_WRITTEN = {"bpm": "/min", "percent": "%", "c": "°C", "f": "°F", "degrees": "°C"}
AS_TAKEN = re.compile(  # how it was taken, after the number
    r"(?i)(?:\W|\b(?:on|in|at|c|ra|oa|room|air|resting|rest|tympanic|oral|axillary|regular|reg|irreg|"
    r"irregular|today|now|degrees|celsius|litres?|o2|oxygen|\d+ ?l|mmhg)\b)*$"
)


def measured(network: Described, text: str) -> dict[str, bool]:
    """Finding → whether it is there, by a measurement that the network knows; empty if none is.

    >>> import hickam
    >>> measured(hickam.load("clinic"), "temp 39.2")
    {'fever': True}
    """
    found = MEASUREMENT.match(text) if len(text) <= LONGEST else None
    position = _named(network, found["name"]) if found else None
    if found is None or position is None:
        return {}
    category = network.categories[position]
    unit, rest = found["unit"], found["rest"]
    unit = UNITS_AS_WRITTEN.get(unit.casefold(), unit)
    others = category.scale.units if category.scale and not unit else ()
    ways = ((unit, rest), ("", f"{unit} {rest}"), *((other, rest) for other in others))
    for measure, after in ways:  # 102.6 with no unit is in the one in which it is possible
        reading = read_value(category, found["number"] + measure)
        if AS_TAKEN.match(after) and not isinstance(reading, Issue):
            present, absent = category.means.get(reading.value or "", ((), ()))
            return {**dict.fromkeys(present, True), **dict.fromkeys(absent, False)}
    return {}


@lru_cache(maxsize=512)
def _named(network: Described, name: str) -> int | None:
    """The position of the category with a scale that a text means."""
    scaled = {at for at, category in enumerate(network.categories) if category.scale is not None}
    if not scaled:
        return None
    found = [at for at in vocabularies(network)["category"].lookup.sure(name) if at in scaled]
    return found[0] if len(found) == 1 else None
