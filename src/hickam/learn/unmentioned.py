"""The words by which a user says what an empty cell means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from hickam.issues import Issue, did_you_mean, error, raise_errors
from hickam.language.fold import fold
from hickam.language.vocabulary import vocabularies
from hickam.learn.numbers import Numbers
from hickam.model.is_a import kinds_of

LAYERS = {"risk factor": "risks", "disease": "diseases", "finding": "findings"}
KINDS = "kinds"
MEANINGS = ("absent", "unknown", "model")
HOW = (
    "give --unmentioned absent (it is not there), absent:0.8 (80 % of what is there is written "
    "down), unknown (left out) or model:0.8,0.1 (the shares of yes and of no that are written "
    "down); NAME=… for one column"
)


class Choice(NamedTuple):
    """What an empty cell means."""

    meaning: str  # one of `MEANINGS`
    present: float | None = None  # share of what is present that is written down; None: learnt
    absent: float | None = None


def choices_of(numbers: Numbers, said: Iterable[str]) -> tuple[Choice | None, dict[int, Choice]]:
    """(the choice for all columns, node → its own); a layer's word stands for all its nodes."""
    issues: list[Issue] = []
    usual: Choice | None = None
    layers: dict[int, Choice] = {}
    named: dict[int, Choice] = {}
    for text in said:
        name, _, meaning = text.rpartition("=")
        choice = _choice(meaning)
        if choice is None:
            issues.append(error(f"--unmentioned '{text:.80}'", "is not understood", HOW))
        elif not name:
            usual = choice
        else:
            nodes = _named(numbers, name, issues)
            (named if len(nodes) == 1 else layers).update(dict.fromkeys(nodes, choice))
    raise_errors(issues)
    return usual, {**layers, **named}


def _choice(text: str) -> Choice | None:
    """A choice, or None where the text is none."""
    meaning, colon, given = text.strip().casefold().partition(":")
    try:
        rates = tuple(float(part) for part in given.split(",")) if colon else ()
    except ValueError:
        return None
    wanted = {"absent": (0, 1), "unknown": (0,), "model": (0, 2)}.get(meaning, ())
    if len(rates) not in wanted or not all(0.0 <= rate <= 1.0 for rate in rates):
        return None
    if rates and rates[0] == 0.0:
        return None
    return Choice(meaning, *rates)


def _named(numbers: Numbers, name: str, issues: list[Issue]) -> list[int]:
    """The nodes of a name: one, all of a layer, or all findings that are kinds or have them."""
    words, folded = vocabularies(numbers.network), fold(name)
    sizes = [len(words[layer].entries) for layer in LAYERS]
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    found = [
        start + at
        for layer, start in zip(LAYERS, starts, strict=False)
        for at in words[layer].words.get(folded, ())
    ]
    if name in numbers.ids:
        found = [numbers.ids.index(name)]
    if not found and folded in LAYERS.values():
        at = list(LAYERS.values()).index(folded)
        return list(range(starts[at], starts[at + 1]))
    if not found and folded == KINDS:
        kinds = kinds_of(numbers.network)
        return sorted(numbers.first_finding + one for one in {*kinds.above, *kinds.below})
    if len(found) != 1:
        what = "may be any of several" if found else "is no column of the network"
        known = [numbers.ids[node] for node in found] or [*numbers.ids, *LAYERS.values(), KINDS]
        issues.append(error(f"--unmentioned '{name:.60}'", what, did_you_mean(name, known)))
    return found[:1]
