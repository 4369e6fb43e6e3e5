"""Diseases of one name, told apart by a number: what little is written of one, others complete.

"Bethlem myopathy 1C" has five annotations and "Bethlem myopathy 1A" forty-eight. Such kin share
most of what they show, so each disease is lent the mean of its kin, the more the less is known of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

ASIDE = re.compile(r"\(.*?\)")
WORD = re.compile(r"[a-z0-9-]+")
NUMBER = re.compile(
    r"\d+[a-z]*|[ivx]+[a-z]?|[a-z]|type|autosomal|recessive|dominant|x-linked"
    r"|with|and|or|without|due|to"
)
LEAST = 0.01  # lent frequencies below are left out

Frequencies = Mapping[str, Mapping[int, float]]


def stem(name: str) -> str:
    """A disease's name without what tells it from its kin.

    >>> stem("Charcot-Marie-Tooth disease, axonal, type 2A") == stem(
    ...     "Charcot-Marie-Tooth disease, axonal, type 2B")
    True
    """
    words = WORD.findall(ASIDE.sub("", name.lower()))
    return " ".join(word for word in words if not NUMBER.fullmatch(word))


def kin_of(names: Mapping[str, str], diseases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Disease → the others with the same stem; those without any are left out."""
    families: dict[str, list[str]] = {}
    for disease in diseases:
        if not disease.startswith("ORPHA:"):
            families.setdefault(stem(names[disease]), []).append(disease)
    families.pop("", None)
    return {
        disease: tuple(other for other in family if other != disease)
        for family in families.values()
        if len(family) > 1
        for disease in family
    }


def lend(frequencies: Frequencies, kin: Mapping[str, tuple[str, ...]], worth: float) -> Frequencies:
    """The frequencies, each raised to worth / (worth + own annotations) of the mean of the kin."""
    if not worth:
        return frequencies
    return {
        disease: lent(
            own, [frequencies[k] for k in kin.get(disease, ()) if k in frequencies], worth
        )
        for disease, own in frequencies.items()
    }


def lent(
    own: Mapping[int, float], others: list[Mapping[int, float]], worth: float
) -> Mapping[int, float]:
    """The frequencies of one disease, with what its kin lend."""
    if not others:
        return own
    total: dict[int, float] = {}
    for other in others:
        for term, value in other.items():
            total[term] = total.get(term, 0.0) + value
    share = worth / (worth + len(own)) / len(others)
    found = dict(own)
    for term, value in total.items():
        if share * value >= LEAST and share * value > found.get(term, 0.0):
            found[term] = share * value
    return dict(sorted(found.items()))
