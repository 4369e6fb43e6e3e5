"""Probabilities as people write them: numbers, "1 in 200", "5 %", λ, or words on a scale."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from hickam.issues import Issue, error

# Strength of a cause, in the words of the Human Phenotype Ontology's frequency terms; the number
# is the middle of each term's range.
FREQUENCY_WORDS: dict[str, float] = {
    "always": 1.0,
    "very frequent": 0.9,
    "frequent": 0.55,
    "occasional": 0.17,
    "rare": 0.025,
    "never": 0.0,
}

# How common a condition is, in the words of the CIOMS frequency convention; the number is the
# geometric middle of each class (the outer classes taken one decade wide).
RARENESS_WORDS: dict[str, float] = {
    "very common": 0.3,
    "common": 0.03,
    "uncommon": 0.003,
    "rare": 0.0003,
    "very rare": 0.00003,
}

RARENESS_CLASSES = tuple(RARENESS_WORDS)

_ONE_IN = re.compile(r"^\s*([0-9.eE+]+)\s*(?:in|/)\s*([0-9.,_ eE+]+?)\s*$")
_DECIMAL_COMMA = re.compile(r"^[+-]?\d*,\d+(?:e[+-]?\d+)?\s*%?$")
_PERCENT = re.compile(r"^\s*([0-9.eE+-]+)\s*%\s*$")


class Chance(NamedTuple):
    """A probability and its complement, both kept because a small one must not be rounded away."""

    acts: float
    fails: float


CERTAINLY_NOT = Chance(0.0, 1.0)


class BadNumber(ValueError):
    """Not a probability; the message says what was expected."""


def read_chance(value: object, words: dict[str, float]) -> Chance:
    """The probability that a value stands for.

    >>> read_chance("1 in 4", RARENESS_WORDS)
    Chance(acts=0.25, fails=0.75)
    >>> read_chance({"fails": 0.25}, FREQUENCY_WORDS)
    Chance(acts=0.75, fails=0.25)
    >>> read_chance("occasional", FREQUENCY_WORDS).acts
    0.17
    """
    if isinstance(value, dict):
        if ("fails" in value) == ("probability" in value):
            raise BadNumber("needs exactly one of 'probability' and 'fails'")
        if "fails" in value:
            chance = read_chance(value["fails"], words)
            return Chance(chance.fails, chance.acts)
        return read_chance(value["probability"], words)
    number = _read_number(value, words)
    if not 0.0 <= number <= 1.0:
        raise BadNumber(f"is {number:g}, outside [0, 1]")
    return Chance(number, 1.0 - number)


def checked_chance(
    value: object,
    words: dict[str, float],
    where: str,
    path: tuple[str | int, ...],
    issues: list[Issue],
) -> Chance:
    """The probability that a value stands for, or an issue and 0."""
    try:
        return read_chance(value, words)
    except BadNumber as bad:
        issues.append(error(where, str(bad), "", path))
        return CERTAINLY_NOT


def read_source(value: object) -> str | None:
    """The source that a value carries, if it carries one."""
    if isinstance(value, dict) and value.get("source") is not None:
        return str(value["source"])
    return None


def _read_number(value: object, words: dict[str, float]) -> float:
    """The plain number behind a number, a ratio, a percentage or a word."""
    if isinstance(value, bool) or value is None:
        raise BadNumber(f"is {_shown(value)}, not a probability")
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise BadNumber(f"is {_shown(value)}, not a finite number")
        return float(value)
    if not isinstance(value, str):
        raise BadNumber(f"is {_shown(value)}, not a probability")
    text = value.strip().casefold().replace("_", " ")
    if text in words:
        return words[text]
    if _DECIMAL_COMMA.match(text):
        point = text.replace(",", ".")
        raise BadNumber(f"is {_shown(value)} with a decimal comma; write {point[:40]}")
    try:
        if match := _ONE_IN.match(text):
            return float(match[1]) / float(re.sub("[,_ ]", "", match[2]))
        if match := _PERCENT.match(text):
            return float(match[1]) / 100.0
        number = float(text)
    except (ValueError, ZeroDivisionError):
        raise BadNumber(
            f"is {_shown(value)}; write a number in [0, 1], '1 in n', a percentage, "
            f"or one of: {', '.join(words)}"
        ) from None
    if not math.isfinite(number):
        raise BadNumber(f"is {_shown(value)}, not a finite number")
    return number


def _shown(value: object) -> str:
    """A value as it may appear in a message: short and quoted."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
