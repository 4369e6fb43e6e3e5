"""The observations with values of a case: each read, and the findings that it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hickam.evidence.case import Case
from hickam.issues import Issue, error
from hickam.language.reading import Reading, read_value
from hickam.language.vocabulary import Vocabulary, find_each
from hickam.model.described import Described
from hickam.model.network import Category

Readings = Sequence[tuple[Category, Reading]]


def readings_of(
    network: Described, words: Mapping[str, Vocabulary], case: Case, issues: list[Issue]
) -> Readings:
    """Each observation with values, read; one that is given twice is an issue."""
    found: dict[int, Reading] = {}
    places = find_each(words, "category", case.categories, issues)
    for entered, place in zip(case.categories.values(), places, strict=True):
        if place is None:
            continue
        reading = read_value(network.categories[place], entered)
        if isinstance(reading, Issue):
            issues.append(reading)
        elif place in found:
            where = f"category '{network.categories[place].id}'"
            issues.append(error(where, "is given twice, under two of its names", "keep one"))
        else:
            found[place] = reading
    return [(network.categories[place], reading) for place, reading in found.items()]


def add_meant(
    network: Described,
    readings: Readings,
    present: list[int],
    absent: list[int],
    issues: list[Issue],
) -> None:
    """Add the findings that readings say are present or absent; contradictions become issues."""
    for category, reading in readings:
        on, off = category.means.get(reading.value or "", ((), ()))
        if category.of:
            on = (*on, category.of)
        sides = ((on, present, absent, "present"), (off, absent, present, "absent"))
        for meant, own, other, word in sides:
            for name in meant:
                position = network.index[name]
                if position in other:
                    denied = "absent" if word == "present" else "present"
                    where = f"{category.name} {reading.words}"
                    what = f"means that '{name}' is {word}, and it is said to be {denied}"
                    issues.append(error(where, what, "keep one of the two"))
                elif position not in own:
                    own.append(position)
