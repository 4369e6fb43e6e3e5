"""An observation with values in a text, `HR 128` or `WCC normal` → what was observed, and read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from hickam.issues import Issue
from hickam.language.context import rules
from hickam.language.demographics import durations
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
    rf"[\s=:@<>~≈]*(?:(?<=[\s=:@<>~≈])|(?=\d\d))(?P<number>{NUMBER}(?:\s?(?:/|over)\s?\d{{2,3}})?)"
    r"\s*(?P<unit>(?:x?10\^?9)?[^\s\d]*)(?P<rest>.*)$"
)
LIMIT = re.compile(rf"(?P<name>.+?)\s+(?P<side>over|above|below|under)\s+(?P<number>{NUMBER})$")
UNITS_AS_WRITTEN = {
    **dict.fromkeys(("bpm", "beats/min", "breaths/min", "beats per minute", "per minute"), "/min"),
    **dict.fromkeys(("breaths per minute", "per min", "beats a minute"), "/min"),
    **dict.fromkeys(("c", "degrees c", "degrees celsius", "celsius", "degrees"), "°C"),
    **dict.fromkeys(("f", "degrees f", "degrees fahrenheit", "fahrenheit"), "°F"),
    **dict.fromkeys(("x10^9/l", "10^9/l", "x109/l", "x10⁹/l"), "10⁹/L"),
    **{"percent": "%", "per cent": "%", "mm hg": "mmHg"},
}
ANY_UNIT = r"[a-zµμ]+\s?/\s?[a-zµμ]+\b|\[?[mnpkµμu]?(?:g|mol|l)\b|litres?\b|kpa\b"
OXYGEN = re.compile(r"(?i)o2$|oxygen$")
FLOW = re.compile(r"(?i)\s?l(?:it(?:re|er)s?)?(?:\s?/\s?min)?$")
AGAIN = re.compile(  # a number alone: one more value of what was measured before it
    r"(?<![\w./:])(?P<number>\d+(?:\.\d+)?(?:\s?/\s?\d{2,3})?)(?:\s?(?:%|°?\s?[CF]\b))?(?=\s*(?:$|[^\w\s:/.]"
    r"|\.(?!\d)|now\b|today|tonight|yesterday|this|last|later|earlier|before|previous|at\b|on\b|in\b|"
    r"then\b|after|initially|when\b|by\b|and\b|but\b|or\b|to\b|since|lying|standing|sitting))",
    re.IGNORECASE,
)
LEADS_TO = re.compile(  # before such a number; before a baseline is none
    r"(?i)(?:[-–—,(/→>&]|\b(?:was|were|to|and|or|at|rising|falling|repeat|is|on|of|initially|now|then|later|previously)|^)$"
)
BASELINE = {"usual", "usually", "normally"}
STOP = re.compile(r"[.!;](?:\s|$)|\n")
HOW_TAKEN = (
    r"on|in|at|c|ra|oa|room|air|resting|rest|tympanic|oral|axillary|regular|reg|irreg|"
    r"irregular|today|now|degrees|celsius|litres?|o2|oxygen|\d+ ?l|mmhg|kg/m2?|cc|mls?|of|best|"
    r"predicted|pred|last|this|morning|from [\d.]+"
)
AS_TAKEN = re.compile(
    rf"(?i)(?:[^\w%°]|\b(?:{HOW_TAKEN})\b)*$"
)  # how it was taken, after the number
TAKEN_ON = re.compile(rf"(?i)(?:[^\S\n]+(?:{HOW_TAKEN})\b)*")


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
    position = _named(network, found["name"]) if found and " from" not in found["name"] else None
    if found is None or position is None:
        said = _said(network).get(_key(text)) if not any(map(str.isdigit, text)) else None
        if said is None:
            return None
        return Observed(network.categories[said[0]], said[1], Reading(said[1], words=said[1]))
    category = network.categories[position]
    unit, rest = found["unit"], found["rest"]
    if unit == "from":  # 3.2 from 1.0
        unit, rest = "", unit + rest
    long = " ".join(f"{unit} {rest}".casefold().split())
    if long in UNITS_AS_WRITTEN:  # degrees Fahrenheit, mm Hg
        unit, rest = long, ""
    unit = UNITS_AS_WRITTEN.get(unit.casefold().replace("° ", ""), unit)
    pair = "/".join(part.strip() for part in re.split("/|over", found["number"]))
    others = category.scale.units if category.scale and not unit else ()
    ways = [(unit, rest), *((other, rest) for other in others)]
    if unit.casefold().replace("μ", "µ") not in {one.casefold() for one in _units(network)}:
        ways.append(("", f"{unit} {rest}"))
    for measure, after in ways:  # 102.6 with no unit is in the one in which it is possible
        entered = f"{pair} {measure}" if measure[:1].isdigit() else pair + measure
        reading = read_value(category, entered)
        if AS_TAKEN.match(after) and not isinstance(reading, Issue):
            return Observed(category, entered, reading)
    return None


class Quantity(NamedTuple):
    """The name of what was measured with its number and unit, in a text."""

    start: int
    number: int  # where the number begins
    end: int
    sure: bool = True  # whether it is one value that can be
    may_matter: bool = True


def quantities(network: Described, text: str) -> list[Quantity]:
    """What is measured in a text; of what has several values, each is one that is not sure.

    >>> import hickam
    >>> [one.sure for one in quantities(hickam.load("clinic"), "T 101.8 F, HR 80 (was 130)")]
    [True, False, False]
    """
    pattern = _pattern(network)
    if pattern is None:
        return []
    long = durations(text)
    named = [
        found
        for found in pattern.finditer(text)
        if found["unit"] or not any(a < found.end() and found.start("number") < b for a, b in long)
    ]
    done: list[Quantity] = []
    for found, after in zip_longest(named, named[1:]):
        value = observed(network, found[0])
        limit = after.start() if after else len(text)
        stop = STOP.search(text, found.end(), limit)
        part = (found.end(), stop.start() if stop else limit)
        again = list(_again(value, text, part, long))
        flow = bool(OXYGEN.match(found["name"]) and FLOW.match(found["unit"] or ""))
        sure = value is not None and not again
        if value is None and not found["unit"] and "@" in found[0]:
            continue  # at that age
        aside = None if sure else TAKEN_ON.match(text, found.end(), limit)
        end = aside.end() if aside else found.end()
        done.append(Quantity(found.start(), found.start("number"), end, sure, not flow))
        done += again
    return done


def _again(
    value: Observed | None,
    text: str,
    part: tuple[int, int],
    long: list[tuple[int, int]],
) -> Iterator[Quantity]:
    """The numbers in a part of a text that may be values of what was measured before it."""
    if value is None:
        return
    for other in AGAIN.finditer(text[: part[1]], part[0]):
        before = text[part[0] : other.start()].strip().casefold()
        last = before.split()[-1:]
        led = LEADS_TO.search(before) or (last and last[0] in rules()["plain"].keys() - BASELINE)
        if not led or any(a < other.end() and other.start() < b for a, b in long):
            continue
        if isinstance(read_value(value.category, "".join(other[0].split())), Issue):
            continue
        if value.entered.split("/")[-1] != other["number"]:
            yield Quantity(other.start(), other.start(), other.end(), False)


@lru_cache(maxsize=32)
def _units(network: Described) -> AbstractSet[str]:
    """The units of all that has a scale."""
    scales = [category.scale for category in network.categories if category.scale is not None]
    found = {unit for scale in scales for unit in (scale.unit, *scale.units) if unit}
    return found | {unit.replace("µ", "u") for unit in found}


@lru_cache(maxsize=32)
def _pattern(network: Described) -> re.Pattern[str] | None:
    """A name of what has a scale, and its number with any unit."""
    scaled = [category for category in network.categories if category.scale is not None]
    if not scaled:
        return None
    names = {name for c in scaled for name in (c.name, c.id.replace("_", " "), *c.synonyms)}
    units = _units(network) | UNITS_AS_WRITTEN.keys() - {"degrees"}
    written = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(
        rf"(?<![\w'’-])(?P<name>{listed})"
        r"(?:[^\S\n]+(?:gone|up|down|at|of|was|is|now|to|only|around|about)(?=\s))*"
        r"(?:[^\S\n]*[=:@<>~≈]+[^\S\n]*|[^\S\n]+|(?=\d\d))"
        r"(?P<number>\d+(?:[.,]\d+)?(?:[^\S\n]?(?:/|over)[^\S\n]?\d{2,3}(?!\d))?)"
        rf"(?P<unit>[^\S\n]?(?:(?:{written})(?![\w/])|{ANY_UNIT})|(?:[^\W\d]|[°%]\s?[CF]?)+(?![\w/]))?"
        r"(?![\d/]|[.,]\d)",
        re.IGNORECASE,
    )


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
