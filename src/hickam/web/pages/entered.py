"""What is entered in a field: one thing or a list of them, and what a network has for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from hickam.evidence.stated import several_states
from hickam.issues import InvalidInput, error
from hickam.language.fold import fold
from hickam.language.vocabulary import vocabularies
from hickam.model.kinds import Model
from hickam.web.pages.state import State
from hickam.web.search import Match, search

LONGEST = 2_000  # characters of a text
LONGEST_THING = 200  # characters of one thing in it
MOST = 100  # things in a text
MOST_PIECES = 10  # of a name with commas in it
CHOICES = {"finding": ("present", "absent"), "risk factor": ("yes", "no")}
APART = re.compile(r"[;\n\t]+")
COMMA = re.compile(r"(?:,(?!\d)|(?<!\d),)(?:\s*and\b)?")  # but not that of 39,2
QUOTES = " \"'“”[]"
Look = Callable[[str], list[Match]]


@dataclass(frozen=True, slots=True)
class Heard:
    """One thing that was entered, what the network has for it, and whether that is sure."""

    text: str
    matches: list[Match]
    sure: bool
    named_disease: str = ""


@dataclass(frozen=True, slots=True)
class Entered:
    """All that a text lists, and the case with what is sure of it: as it is said, or opposite."""

    heard: tuple[Heard, ...] = ()
    said: State | None = None
    opposite: State | None = None


def entered(
    network: Model, state: State, text: str, kinds: Sequence[str] = tuple(CHOICES)
) -> Entered:
    """What a text adds to a case. What follows a denied thing is sure only if denied itself."""
    if len(text) > LONGEST:
        raise InvalidInput([error("the text", f"has more than {LONGEST:,} characters", FEWER)])
    look = cache(lambda thing: search(network, thing, kinds))
    heard: list[Heard] = []
    for part in APART.split(text):
        denied = False
        for thing, whole in _things(network, part, kinds, look):
            matches = look(thing) if len(thing) <= LONGEST_THING else []
            sure = whole and _sure(network, matches)
            denied = denied or (sure and matches[0].negated)
            sure = sure and matches[0].negated is denied
            disease = _disease(network, thing, kinds) if not matches or not matches[0].sure else ""
            heard.append(Heard(thing, matches, sure, disease))
            if len(heard) > MOST:
                raise InvalidInput([error("the text", f"lists more than {MOST} things", FEWER)])
    said, opposite = (_with(state, heard, opposite=other) for other in (False, True))
    return Entered(tuple(heard), said, opposite)


def _things(
    network: Model, part: str, kinds: Sequence[str], look: Look
) -> Iterator[tuple[str, bool]]:
    """The things that a text lists, each with whether its words stand as they are.

    Commas list, but for those inside a name. Two words that only together mean something, such as
    "cough, productive", are one thing that is asked about. Ids need only spaces between them.
    """
    words = [vocabularies(network)[kind] for kind in kinds]
    ids = [each for each in (token.strip(QUOTES) for token in re.split(r"[\s,]+", part)) if each]
    name = any(layer.knows(part.strip(QUOTES)) for layer in words)
    if not name and all(any(each in layer.places for layer in words) for each in ids):
        yield from ((each, True) for each in ids)
        return
    pieces = [each for each in (piece.strip(QUOTES) for piece in COMMA.split(part)) if each]
    while pieces:
        lengths = range(min(len(pieces), MOST_PIECES), 1, -1)
        count = next((n for n in lengths if _named(network, pieces[:n])), 1)
        together = ", ".join(pieces[:2])
        inverted = count == 1 < len(pieces) and not all(_certain(look(p)) for p in pieces[:2])
        inverted = inverted and len(together) <= LONGEST_THING and _certain(look(together))
        count = 2 if inverted else count
        yield ", ".join(pieces[:count]), not inverted
        del pieces[:count]


def _named(network: Model, pieces: Sequence[str]) -> bool:
    """Whether a name of the network has just these pieces, with commas between."""
    return fold(", ".join(pieces)) in _with_commas(network)


@lru_cache(maxsize=32)
def _with_commas(network: Model) -> frozenset[str]:
    """The names and synonyms that have commas in them."""
    names = (name for entry in network.entries.values() for name in (entry.name, *entry.synonyms))
    listed = (COMMA.split(name) for name in names if "," in name)
    return frozenset(fold(", ".join(map(str.strip, pieces))) for pieces in listed)


def _certain(matches: Sequence[Match]) -> bool:
    return bool(matches) and matches[0].certain


def _sure(network: Model, matches: Sequence[Match]) -> bool:
    """Whether the first match can be taken without asking."""
    return _certain(matches) and not (
        matches[0].kind == "risk factor" and several_states(network, matches[0].id)
    )


def _disease(network: Model, thing: str, kinds: Sequence[str]) -> str:
    """The name of the disease that something surely means, where no disease can be entered."""
    if "disease" in kinds or len(thing) > LONGEST_THING:
        return ""
    found = search(network, thing, ("disease",), limit=1)
    return found[0].name if _certain(found) else ""


def _with(state: State, heard: Sequence[Heard], *, opposite: bool) -> State | None:
    """The case with all that is sure; None if nothing is."""
    for each in heard:
        if not each.sure:
            continue
        match = each.matches[0]
        if match.kind in CHOICES:
            state = state.put(CHOICES[match.kind][match.negated is not opposite], match.id)
        elif match.id not in state.listed:
            state = replace(state, listed=(*state.listed, match.id))
    return state if any(each.sure for each in heard) else None


FEWER = "enter fewer findings at once"
