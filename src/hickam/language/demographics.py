"""The age and sex of a patient, and how long something has lasted, in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hickam.language.context import rules

FEMALE = r"female|woman|lady|girl|lass|f|schoolgirl|housewife|♀|gal|fem"
MALE = r"male|man|gentleman|gent|boy|lad|bloke|guy|m|schoolboy|♂|fella|chap"
SEX = rf"(?:(?P<female>{FEMALE})|(?P<male>{MALE}))"
UNITS = {"y": 1.0, "/12": 1 / 12, "m": 1 / 12, "/52": 7 / 365.25, "w": 7 / 365.25}
UNITS |= {"/7": 1 / 365.25, "d": 1 / 365.25}
UNIT = r"(?P<unit>/12|/52|/7|\s?-?\s?(?:years?|yrs?|months?|mths?|mnths?|mo|weeks?|wks?|days?|y))"
AGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?P<age>\d+){UNIT}[\s-]*(?:of age|old)(?:[\s-]*(?:baby\s+)?{SEX}\b)?",
        rf"\b(?P<age>\d+)\s?-?\s?(?P<unit>yo|y/o|y\.o\.?)\b(?:[\s-]*{SEX}\b)?",
        rf"\b(?P<age>\d+){UNIT}[\s-]+(?:baby\s+)?{SEX}\b",
        rf"\baged?\s+(?P<age>\d+){UNIT}\b",
        rf"(?<![\w'’]){SEX}\s*[,(]\s*(?P<age>\d+){UNIT}(?=\s*[,)])",
        rf"(?<![\w'’]){SEX}\b[\s,(]*(?:(?:aged|of|age|is|who is)\s+)?"
        r"(?P<age>\d+)(?P<unit>/12|/52)?"
        r"(?:\s?(?:years?|yrs?|y)(?:\s+old)?)?\b(?![/%]|\.\d|\s?(?:weeks?|wks?|months?|days?|hours?)\b)",
        rf"\b(?P<age>\d{{1,3}})\s?/?\s?{SEX}\b(?!\s?/|&)",
        r"(?:^|\n\s*)(?:(?P<female>f)|(?P<male>m))(?P<age>\d{2})\b(?![/.])",
        r"(?:^|\n\s*)(?:(?P<female>mrs|ms|miss)|(?P<male>mr))\.?\s+\w+,?\s+\(?(?P<age>\d{1,3})\b"
        r"(?![/.]\d|\s?(?:weeks?|months?|days?)\b)",
        r"\b(?:aged?|just turned|i am|im|i['’]?m|he is|she is|hes|shes)\s+(?P<age>\d{1,3})\b"
        r"(?![/%]|\.\d|\s?(?:weeks|wks|/40|days|months))",
        r"\bold\b[^.\n]{0,30}?\bnow\s+(?:aged\s+)?(?P<age>\d{1,3})(?=\s*(?:[,.;)\n]|$))",
        r"(?:^|[.,]\s+|\n\s*)(?P<age>\d{1,3})\s?y(?:ea)?rs?\b(?=[,.]|$)",
        r"(?:^|\.\s+|\n\s*)(?P<age>\d{1,3})(?=\s*(?:,|\.|$|by the way|and\b))(?![.,]\d)",
    )
)
THINGS = (
    r"injur(?:y|ies)|scars?|fractures?|operations?|surgery|replacements?|implants?|pacemaker|grafts?|"
    r"wounds?|burns?|repairs?|stents?|prosthes[ie]s|lesions?|moles?|accidents?|strokes?|tattoos?"
)
THEN = re.compile(  # before an age that was, or is of who comes with the patient
    r"\b(?:since|when|until|till|at|before|after|by|saw|from(?=\s+(?:the\s+)?age))\s+"
    r"(?:(?:he|she|i|they|was|were|the|age|of|aged|about|around|an?|her|his|my)\s+)*$",
    re.IGNORECASE,
)
SAID = re.compile(rf"(?<![\w'’/&]){SEX}(?![\w'’/&])", re.IGNORECASE)
SHE = re.compile(r"\b(?P<female>she|her|hers|herself)\b|\b(?P<male>he|his|him|himself)\b", re.I)
ONLY = re.compile(  # what only one sex has
    r"\b(?P<female>(?:my|her|last|between|irregular|heavy) periods?|pregnant|"
    r"breast-?feeding|womb|smear|postpartum|"
    r"(?:mum|mom|mother) of (?:\d|two|three|four)|"
    r"first baby|morning after pill|menopause|vagina|lmp|the change|gravida|para)\b|"
    r"\b(?P<male>testicles?|testis|my (?:left |right )?nuts?|scrotum|prostate|"
    r"penis|get it up|erections?|foreskin)\b",
    re.IGNORECASE,
)
COUNT = r"(?:\d+(?:\.\d+)?(?:\s?(?:-|to)\s?\d+)?)"
WORDED = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple(?: of)?|many|some)"
)
LONG = r"(?:days?|weeks?|wks?|months?|mths?|mos?|years?|hours?|minutes?|seconds?|nights?|fortnight)"
DURATION = re.compile(
    r"(?i:\b(?:for|over|past|last|about|around|since|of|in|during|within|after|approx|the)\s+)*"
    rf"(?:(?<![\d/])(?:~|>|<|\bx\s?)?\b(?:{COUNT}(?<!\d\d\d)[\s-]?(?:(?i:{LONG})|yrs?|hrs?|mins?|secs?|d|w|h)\b"
    rf"|[1-3]?\d/(?:7|52|12)\b)|\b(?i:{WORDED})[\s-](?i:{LONG}|yrs?|hrs?|mins?)\b)"
    r"(?i:[\s-]+(?:ago|back)\b)?(?i:[\s-]+(?:h/o|(?:history|hx)(?:\s+of)?)\b)?"
)


class Found(NamedTuple):
    """A stretch of a text that says an age or a sex."""

    start: int
    end: int
    age: float | None = None  # in years
    sex: str | None = None


def person_said(text: str) -> list[Found]:
    """The stretches of a text that say the patient's age and sex, the surest age first.

    >>> person_said("67f with cough")
    [Found(start=0, end=3, age=67.0, sex='female')]
    """
    told = [found for pattern in AGES for found in _ages(pattern, text)]
    others = [found for found in told if _of_another(text, found)]
    ages = [found for found in told if not _touches(found, others)]
    age = next((found for found in ages if found.age is not None and found.age <= OLDEST), None)
    if age is not None and age.sex is not None:
        return [age]
    sexes = [
        Found(found.start(), found.end(), sex=_sex(found))
        for found in SAID.finditer(text)
        if (len(found[0]) > 1 or found.start() < EARLY)
        and not any(one.start < found.end() and found.start() < one.end for one in others)
    ]
    sexes = [
        found for found in sexes if age is None or found.start >= age.end or found.end <= age.start
    ]
    return [*([age] if age else []), *sexes[:1]]


def _touches(found: Found, others: list[Found]) -> bool:
    """Whether a stretch shares a character with another."""
    return any(one.start < found.end and found.start < one.end for one in others)


def _of_another(text: str, found: Found) -> bool:
    """Whether an age is that of another person, of an old injury, or of a time that is over."""
    if THEN.search(text, 0, found.start) and not NOW.search(text[found.start : found.end]):
        return True
    old = text[: found.end].casefold().endswith("old")
    after = old and re.match(
        rf"(?i)[\s-]*((?:[^\W\d]+\s+){{0,2}}?)(?:{THINGS})\b", text[found.end :]
    )
    if after and not re.search(r"(?i)\b(?:with|has|had|and|who)\b", after[1]):
        return True
    whose = re.match(r"\s*([^\W\d]+)(?!\s+of\b)\b", text[found.end :])
    return whose is not None and whose[1].casefold() in rules()["someone else after"]


OLDEST = 120.0
NOW = re.compile(r"(?i)\bnow\b")
EARLY = 12  # characters from the start in which a single letter is a sex


def spoken_of(text: str) -> str | None:
    """The sex of the only kind of person that pronouns, or what only one sex has, speak of."""
    for pattern in (ONLY, SHE):
        told = {_sex(found) for found in pattern.finditer(text)}
        if len(told) == 1:
            return told.pop()
    return None


def _ages(pattern: re.Pattern[str], text: str) -> Iterator[Found]:
    """The ages that a pattern finds."""
    for found in pattern.finditer(text):
        groups = found.groupdict()
        unit = (groups.get("unit") or "y").strip(" -").casefold()
        times = UNITS.get(unit) or UNITS[unit[0]]
        yield Found(
            found.start("age") if groups.get("unit") is None and not _sex(found) else found.start(),
            found.end(),
            float(found["age"]) * times,
            _sex(found),
        )


def _sex(found: re.Match[str]) -> str | None:
    """The sex that a pattern found."""
    groups = found.groupdict()
    return "female" if groups.get("female") else "male" if groups.get("male") else None


def durations(text: str) -> list[tuple[int, int]]:
    """(start, end) of what says how long or when by number."""
    return [found.span() for found in DURATION.finditer(text)]
