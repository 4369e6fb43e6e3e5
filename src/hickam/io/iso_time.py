"""Ages and times as phenopackets write them → years and words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

DURATION = re.compile(
    r"P(?:(?P<years>\d{1,6}(?:\.\d{1,9})?)Y)?(?:(?P<months>\d{1,6}(?:\.\d{1,9})?)M)?"
    r"(?:(?P<weeks>\d{1,6}(?:\.\d{1,9})?)W)?(?:(?P<days>\d{1,6}(?:\.\d{1,9})?)D)?"
    r"(?:T(?:\d{1,6}(?:\.\d{1,9})?[HMS]){1,3})?"
)
PER_YEAR = {"years": 1.0, "months": 12.0, "weeks": 365.25 / 7.0, "days": 365.25}
SHOWN = 60  # characters of a label


def years_in(duration: object) -> float | None:
    """The years in an ISO 8601 duration, None if it is none; hours and less count nothing.

    >>> years_in("P3Y6M"), years_in("P2W") == 14 / 365.25, years_in("six")
    (3.5, True, None)
    """
    found = DURATION.fullmatch(duration.strip()) if isinstance(duration, str) else None
    if found is None or found[0] == "P":
        return None
    return sum(float(found[unit] or 0.0) / each for unit, each in PER_YEAR.items())


def age_at(time: object) -> float | None:
    """The age in years at a time element: of a range its middle, before birth 0.

    >>> ends = {"start": {"iso8601duration": "P10Y"}, "end": {"iso8601duration": "P20Y"}}
    >>> age_at({"ageRange": ends})
    15.0
    """
    if not isinstance(time, Mapping):
        return None
    if isinstance(field_of(time, "gestationalAge"), Mapping):
        return 0.0
    spans = field_of(time, "ageRange")
    if isinstance(spans, Mapping):
        ends = [years_in(_duration(spans.get(end))) for end in ("start", "end")]
        known = [end for end in ends if end is not None]
        return sum(known) / len(known) if known else None
    return years_in(_duration(time.get("age")))


def time_in_words(time: object) -> str:
    """A time element as a person says it; empty if it says nothing.

    >>> time_in_words({"age": {"iso8601duration": "P1Y6M"}})
    'at 1.5 years'
    >>> time_in_words({"ontologyClass": {"id": "HP:0003593", "label": "Infantile onset"}})
    'Infantile onset'
    """
    if not isinstance(time, Mapping):
        return ""
    named = field_of(time, "ontologyClass")
    if isinstance(named, Mapping):
        return str(named.get("label") or named.get("id") or "")[:SHOWN]
    if isinstance(field_of(time, "gestationalAge"), Mapping):
        return "before birth"
    age = age_at(time)
    if age is None:
        return ""
    return f"at {age:.3g} years" if age >= 1.0 else f"at {12.0 * age:.2g} months"


def _duration(age: object) -> object:
    """The duration of an age, which version 1 writes as plain text under `age`."""
    if not isinstance(age, Mapping):
        return age
    return field_of(age, "iso8601duration") or age.get("age")


def field_of(document: Mapping[str, Any], name: str) -> Any:
    """A field by its JSON name or by its name in the schema, as protocol buffers allow.

    >>> field_of({"age_range": 1}, "ageRange")
    1
    """
    return document[name] if name in document else document.get(_in_schema(name))


@lru_cache(maxsize=256)
def _in_schema(name: str) -> str:
    """A field's name in the schema."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
