"""What a network has for a doctor's own words: the one lookup of command line, service and page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from hickam.language.context import phrases_of
from hickam.language.fold import fold
from hickam.language.lookup import SURENESS, Hit, How
from hickam.language.measured import measured
from hickam.language.shorthand import written_out
from hickam.language.vocabulary import Vocabulary, vocabularies
from hickam.language.wording import general
from hickam.model.described import Described

LAYERS = ("finding", "risk factor", "disease")
QUALIFIED_TOO = 2  # stages of a lookup: the whole text, then without its qualifiers
HEADS_TOO = 6  # and corrected, by most of its words or of a paraphrase, by its head
WHOLE = {how for how in How if SURENESS[how] <= SURENESS[How.BROADER]} | {How.QUALIFIED}
EVERYTHING = ("risk factor", "disease", "finding", "category", "other")


@dataclass(frozen=True, slots=True)
class Match:
    """One entry that a search found, and how it matches what was typed."""

    kind: str
    id: str
    name: str
    synonym: str = ""  # what matched, if the name did not
    how: How = How.EXACT
    left_out: tuple[str, ...] = ()  # words of the text that say nothing here, such as "severe"
    negated: bool = False  # the text says that it is not there
    alone: bool = True  # nothing else matches as surely
    narrower: bool = False  # it says what was typed, and more

    @property
    def certain(self) -> bool:
        """Whether it can be taken for what was meant without asking."""
        return self.alone and self.sure

    @property
    def sure(self) -> bool:
        """Whether the text means this, if perhaps something else as well."""
        return SURENESS[self.how] <= SURENESS[How.MEASURED]

    @property
    def said(self) -> str:
        """What is to be said about the match: how it differs from what was typed."""
        if self.left_out and self.how in (How.EITHER, How.QUALIFIED, How.BROADER):
            return "without " + ", ".join(f"“{word}”" for word in self.left_out)
        return {
            How.MEASURED: "by its number",
            How.EITHER: "one thing it may mean",
            How.BROADER: "more general",
            How.TYPING: "did you mean this?",
            How.PART: "other words",
        }.get(self.how, "")


def search(
    network: Described, text: str, kinds: Sequence[str] = LAYERS, *, limit: int | None = 12
) -> list[Match]:
    """The best matches, the surest first and the commonest first among equals.

    What matches the whole text hides what matches only part of it or a correction of it. If
    nothing is called "no fever", fever is found and said to be denied.
    """
    words = {kind: vocabularies(network)[kind] for kind in kinds}
    numbered = any(map(str.isdigit, text))
    numbered = numbered and not ("finding" in words and words["finding"].knows(text))
    if "finding" in words and numbered and (numbers := measured(network, text)):
        return _measured(network, numbers)
    found = _search(words, text, QUALIFIED_TOO)
    spoken = found and SURENESS[found[0][1].how] <= SURENESS[How.BROADER]  # as a whole
    if "finding" in words and not spoken and (values := measured(network, text)):
        return _measured(network, values)  # WCC normal
    denied = "" if spoken else general().denied(written_out(text))
    if denied:
        absent = _search(words, denied, QUALIFIED_TOO)
        if absent and (not found or _sure(absent[0][1])):
            found = absent
        else:
            found = found or _search(words, text, HEADS_TOO)  # not eating or drinking: not eating
            denied = "" if found else denied
    found = found or _search(words, denied or text)
    if not found and not denied:
        listed = phrases_of(text)
        each = [match for part in listed for match in search(network, part, kinds, limit=limit)]
        # of several things, each, where it says enough: "white and floppy" is no white cells
        return [replace(match, alone=False) for match in each if match.how in WHOLE][:limit]
    best = _alike(found)
    matches: dict[tuple[str, str], Match] = {}
    for kind, hit in found:
        if limit is not None and len(matches) >= limit:
            break
        node = words[kind].ids[hit.position]
        if (kind, node) in matches:
            continue
        name = _name(network, words[kind], node)
        told = fold(hit.spelling) in (fold(name), fold(node))
        matches[kind, node] = Match(
            kind=kind,
            id=node,
            name=name,
            synonym="" if told else hit.spelling,
            how=hit.how,
            left_out=hit.left_out,
            negated=bool(denied),
            alone=best == 1 and hit.alike(found[0][1]),
            narrower=hit.narrower,
        )
    return list(matches.values())


def _search(
    words: dict[str, Vocabulary], text: str, most: int | None = None
) -> list[tuple[str, Hit]]:
    """The hits of the first stage that has any, of at most so many stages.

    What a patient is known to have is looked for among the risk factors first.
    """
    order = {kind: number for number, kind in enumerate(words)}
    past = general().past(text)
    staged = zip_longest(*(words[kind].lookup.stages(text) for kind in words), fillvalue=[])
    for stage in islice(staged, most):
        found = [(kind, hit) for kind, hits in zip(words, stage, strict=True) for hit in hits]
        if found:
            place = [
                (SURENESS[hit.how], past and kind != "risk factor", hit.order, order[kind])
                for kind, hit in found
            ]
            return [found[at] for at in sorted(range(len(found)), key=place.__getitem__)]
    return []


def _sure(hit: Hit) -> bool:
    """Whether a text means what it hits."""
    return SURENESS[hit.how] <= SURENESS[How.MEANING]


def _measured(network: Described, numbers: dict[str, bool]) -> list[Match]:
    """The findings that a measurement means, those that are there first; one alone is certain."""
    one = sum(numbers.values()) == 1
    return [
        Match(
            kind="finding",
            id=node,
            name=network.label(node),
            how=How.MEASURED,
            negated=not there,
            alone=one and there,
        )
        for node, there in sorted(numbers.items(), key=lambda item: not item[1])
    ]


def _alike(found: list[tuple[str, Hit]]) -> int:
    """How many entries match in the way of the first; beginnings are told apart by commonness."""
    if not found:
        return 0
    how = found[0][1].how
    if how in (How.START, How.WITHIN):
        return 1
    return len({(kind, hit.position) for kind, hit in found if hit.alike(found[0][1])})


def _name(network: Described, words: Vocabulary, node: str) -> str:
    """The display name of an entry."""
    if words.kind == "category":
        return next(category.name for category in network.categories if category.id == node)
    return network.label(node)
