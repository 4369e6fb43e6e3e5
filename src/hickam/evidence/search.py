"""What a network has for a doctor's own words: the one lookup of command line, service and page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from hickam.evidence.fold import fold
from hickam.evidence.lookup import SURENESS, Hit, How
from hickam.evidence.vocabulary import Vocabulary, vocabularies
from hickam.evidence.wording import general
from hickam.model.described import Described

LAYERS = ("finding", "risk factor", "disease")
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
        return self.means or (self.alone and self.how is How.START and not self.narrower)

    @property
    def sure(self) -> bool:
        """Whether the text means this, if perhaps something else as well."""
        return SURENESS[self.how] <= SURENESS[How.MEANING]

    @property
    def means(self) -> bool:
        """Whether the text means this and nothing else."""
        return self.alone and self.sure

    @property
    def said(self) -> str:
        """What is to be said about the match: how it differs from what was typed."""
        if self.left_out and self.how in (How.EITHER, How.QUALIFIED, How.BROADER):
            return "without " + ", ".join(f"“{word}”" for word in self.left_out)
        return {
            How.EITHER: "one thing it may mean",
            How.BROADER: "more general",
            How.TYPING: "did you mean this?",
            How.PART: "other words",
        }.get(self.how, "")


def search(
    network: Described, text: str, kinds: Iterable[str] = LAYERS, *, limit: int | None = 12
) -> list[Match]:
    """The best matches, the surest first and the commonest first among equals.

    What matches the whole text hides what matches only part of it or a correction of it. If
    nothing is called "no fever", fever is found and said to be denied.
    """
    words = {kind: vocabularies(network)[kind] for kind in kinds}
    found = _search(words, text, whole=True)
    denied = "" if found else general().denied(text)
    if denied:
        found = _search(words, denied)
    elif not found:
        found = _search(words, text)
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
            alone=best == 1,
            narrower=hit.narrower,
        )
    return list(matches.values())


def _search(
    words: dict[str, Vocabulary], text: str, *, whole: bool = False
) -> list[tuple[str, Hit]]:
    """The hits of the first stage that has any; only of the first stage if `whole`."""
    order = {kind: number for number, kind in enumerate(words)}
    staged = zip_longest(*(words[kind].lookup.stages(text) for kind in words), fillvalue=[])
    for stage in staged:
        found = [(kind, hit) for kind, hits in zip(words, stage, strict=True) for hit in hits]
        if found or whole:
            place = [(SURENESS[hit.how], hit.order, order[kind]) for kind, hit in found]
            return [found[at] for at in sorted(range(len(found)), key=place.__getitem__)]
    return []


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
