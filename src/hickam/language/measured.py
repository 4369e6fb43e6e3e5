"""An observation with values in a text, `HR 128` or `WCC normal` → what was observed, and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hickam.issues import Issue
from hickam.language.fold import fold
from hickam.language.reading import Reading, read_value
from hickam.language.vocabulary import Vocabulary, vocabularies
from hickam.language.wording import general, words_of
from hickam.model.described import Described
from hickam.model.network import Category

LONGEST = 60  # characters of a text that is a measurement
NUMBER = r"\d+(?:\.\d+)?"
MEASUREMENT = re.compile(
    r"\s*(?:(?:resting|initial|repeat|serum|latest)\s+)?(?P<name>(?:[^\W\d][\w.-]*\s+)*?"
    r"(?:[^\W\d][\w-]*[^\W\d]2?|[^\W\d]2?|[^\W\d]\w*(?=[\s=:@<>~≈])))"
    r"(?:\s+(?:gone|up|down|at|of|was|is|now|to|only|around|about)(?=\s))*"
    rf"[\s=:@<>~≈]*(?:(?<=[\s=:@<>~≈])|(?=\d\d))(?P<number>{NUMBER}(?:\s?/\s?\d{{2,3}})?)"
    r"\s*(?P<unit>[^\s\d]*)(?P<rest>.*)$"
)
LIMIT = re.compile(rf"(?P<name>.+?)\s+(?P<side>over|above|below|under)\s+(?P<number>{NUMBER})$")
UNITS_AS_WRITTEN = {"bpm": "/min", "percent": "%", "c": "°C", "f": "°F", "degrees": "°C"}
AS_TAKEN = re.compile(  # how it was taken, after the number
    r"(?i)(?:\W|\b(?:on|in|at|c|ra|oa|room|air|resting|rest|tympanic|oral|axillary|regular|reg|irreg|"
    r"irregular|today|now|degrees|celsius|litres?|o2|oxygen|\d+ ?l|mmhg|kg/m2?|cc|mls?|of|best|"
    r"predicted|pred|last|this|morning|from [\d.]+)\b)*$"
)


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation in a text: of what, as it would be entered, and as read."""

    category: Category
    entered: str
    reading: Reading

    @property
    def meant(self) -> dict[str, bool]:
        """Finding → whether it is there, by the value."""
        present, absent = self.category.means.get(self.reading.value or "", ((), ()))
        return {**dict.fromkeys(present, True), **dict.fromkeys(absent, False)}


def measured(network: Described, text: str) -> dict[str, bool]:
    """Finding → whether it is there, by a measurement that the network knows; empty if none is.

    >>> import hickam
    >>> measured(hickam.load("clinic"), "temp 39.2")
    {'fever': True}
    """
    found = observed(network, text)
    return found.meant if found is not None else {}


def observed(network: Described, text: str) -> Observed | None:
    """The observation with a number or another of its values that a text is, if it is one.

    >>> import hickam
    >>> observed(hickam.load("clinic"), "sudden onset").reading.words
    'sudden'
    """
    if len(text) > LONGEST or not network.categories:
        return None
    found = MEASUREMENT.match(text)
    position = _named(network, found["name"]) if found else None
    if found is None or position is None:
        said = _said(network).get(_key(text)) if not any(map(str.isdigit, text)) else None
        if said is None:
            return None
        return Observed(network.categories[said[0]], said[1], Reading(said[1], words=said[1]))
    category = network.categories[position]
    unit, rest = found["unit"], found["rest"]
    if unit == "from":  # 3.2 from 1.0
        unit, rest = "", unit + rest
    unit = UNITS_AS_WRITTEN.get(unit.casefold(), unit)
    others = category.scale.units if category.scale and not unit else ()
    ways = ((unit, rest), ("", f"{unit} {rest}"), *((other, rest) for other in others))
    for measure, after in ways:  # 102.6 with no unit is in the one in which it is possible
        reading = read_value(category, found["number"] + measure)
        if AS_TAKEN.match(after) and not isinstance(reading, Issue):
            return Observed(category, found["number"] + measure, reading)
    return None


def beyond(words: Vocabulary, text: str) -> tuple[int, bool] | None:
    """The entry with a name that sets a limit, as `BMI over 30`, and whether a text is beyond it.

    >>> import hickam
    >>> beyond(vocabularies(hickam.load("clinic"))["risk factor"], "BMI 24")[1]
    False
    """
    found = MEASUREMENT.match(text) if len(text) <= LONGEST else None
    if found is None or not AS_TAKEN.match(found["unit"] + found["rest"]):
        return None
    limit = _limits(words).get(_key(found["name"]))
    if limit is None or "/" in found["number"]:
        return None
    position, above, number = limit
    return position, (float(found["number"]) > number) is above


@lru_cache(maxsize=64)
def _limits(words: Vocabulary) -> Mapping[frozenset[str], tuple[int, bool, float]]:
    """What is measured → (entry, whether it is above, limit), of the names that set one."""
    found: dict[frozenset[str], tuple[int, bool, float]] = {}
    for position, _, spelling in words.names:
        limit = LIMIT.match(spelling)
        if limit is not None:
            above = limit["side"] in ("over", "above")
            found.setdefault(_key(limit["name"]), (position, above, float(limit["number"])))
    return found


@lru_cache(maxsize=32)
def _said(network: Described) -> Mapping[frozenset[str], tuple[int, str]]:
    """A value with the name of what it is a value of → position of the category, and the value."""
    found: dict[frozenset[str], tuple[int, str]] = {}
    for position, category in enumerate(network.categories):
        for name in (category.name, category.id.replace("_", " "), *category.synonyms):
            for value in category.values:
                found.setdefault(_key(f"{value} {name}"), (position, value))
    return found


def _key(text: str) -> frozenset[str]:
    """What a text comes down to."""
    wording = general()
    return frozenset(wording.meaning(wording.stems(words_of(text))))


@lru_cache(maxsize=512)
def _named(network: Described, name: str) -> int | None:
    """The position of the category with a scale that a text means."""
    scaled = {at for at, category in enumerate(network.categories) if category.scale is not None}
    if not scaled:
        return None
    words = vocabularies(network)["category"]
    found = [at for at in words.words.get(fold(name)) or words.lookup.sure(name) if at in scaled]
    return found[0] if len(found) == 1 else None
