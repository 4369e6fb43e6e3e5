"""Names as users write them → positions in a network's layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hickam.issues import InvalidInput, Issue, Kind, did_you_mean, error
from hickam.language.commonness import commonness
from hickam.language.fold import fold
from hickam.model.described import Described
from hickam.model.kinds import general_of
from hickam.model.network import Ints
from hickam.nearest import Nearest, shortened

if TYPE_CHECKING:
    from hickam.language.lookup import Lookup

NAME, SYNONYM, ID = range(3)  # ranks of the names of an entry
NAME_SHOWN = 60  # characters of what is no name
LAYER_WORDS = {"other": "node outside the layers"}
LAYERS = ("risk factor", "disease", "finding")
GIVEN_AS = {
    "finding": "give it among the findings, as present (-p) or absent (-a)",
    "risk factor": "give it among the risk factors (-r)",
    "disease": "if the patient is known to have it now, give it a large likelihood ratio "
    '(--likelihood "{name}=1000")',
}
FEW = 8  # names that are listed where none is near
SPELT_ALIKE = 0.8  # letters in common, as `nearest` measures: less is another word
HINTED = 10  # unknown names of one question that are answered with the nearest known ones


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Every id, name and synonym of one layer, folded for comparison.

    An id as it is spelled wins over any folded word; then an id wins over a name and a name over a
    synonym, so an ambiguous word is one that several entries of equal rank share.
    """

    kind: str
    entries: Sequence[tuple[str, str, Sequence[str]]]  # [position] id, name and synonyms
    common: Callable[[], Sequence[float]]  # [position] how common, to settle ties

    @cached_property
    def ids(self) -> Sequence[str]:
        """[position] the id."""
        return [node for node, _, _ in self.entries]

    @cached_property
    def names(self) -> Sequence[tuple[int, int, str]]:
        """(position, rank, spelling) of every id, name and synonym."""
        return [
            (position, rank, spelling)
            for position, (node, name, synonyms) in enumerate(self.entries)
            for rank, spelling in ((NAME, name), *((SYNONYM, s) for s in synonyms), (ID, node))
        ]

    @property
    def words(self) -> Mapping[str, tuple[int, ...]]:
        """Folded word → positions; folded when a word first is no id."""
        return self._folded[0]

    @property
    def spelled(self) -> Mapping[str, str]:
        """Folded word → as the network spells it."""
        return self._folded[1]

    @cached_property
    def _folded(self) -> tuple[Mapping[str, tuple[int, ...]], Mapping[str, str]]:
        """The folded words, with their positions and their spelling."""
        ranked: tuple[dict[str, list[int]], ...] = ({}, {}, {})
        spelled: dict[str, str] = {}
        for position, (node, name, synonyms) in enumerate(self.entries):
            for rank, spellings in enumerate(((node,), (name,), synonyms)):
                for word in spellings:
                    folded = fold(word)
                    holders = ranked[rank].setdefault(folded, [])
                    if position not in holders:
                        holders.append(position)
                    spelled.setdefault(folded, word)
        words: dict[str, tuple[int, ...]] = {}
        for holders_of in ranked:
            for folded, positions in holders_of.items():
                words.setdefault(folded, tuple(positions))
        return words, spelled

    @cached_property
    def index(self) -> Nearest:
        """The names as spelled, to find near ones."""
        return Nearest(self.spelled.values())

    @cached_property
    def lookup(self) -> Lookup:
        """What finds names by a doctor's own words; imported and indexed when first asked."""
        from hickam.language.lookup import Lookup
        from hickam.language.wording import general

        return Lookup(self.names, self.common, general())

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Id → position."""
        return {node: position for position, node in enumerate(self.ids)}

    def find(self, word: object, *, hint: bool = True) -> int | Issue:
        """The position of a word, or the issue that explains why there is none.

        Without a `hint` the issue does not look for near names.
        """
        if not isinstance(word, str):
            where = f"{self.kind} {word!r:.{NAME_SHOWN}}"
            return error(where, "is not a name", "write the id or name as text")
        exact = self.places.get(word)
        positions = self.words.get(fold(word), ()) if exact is None else (exact,)
        positions = positions or self.lookup.sure(word) or self._known_to_have(word)
        if len(positions) == 1:
            return positions[0]
        where = f"{self.kind} '{shortened(word)}'"
        if positions:
            ids = ", ".join(f"'{self.ids[position]}'" for position in positions[:HINTED])
            fix = f"use one of the ids {ids}"
            return error(where, "is ambiguous", fix, kind=Kind.AMBIGUOUS_NAME)
        fix = self.suggest(word) if hint else ""
        return error(where, "is not in the network", fix, kind=Kind.UNKNOWN_NAME)

    def _known_to_have(self, word: str) -> tuple[int, ...]:
        """Among risk factors a disease is one that the patient is known to have."""
        if self.kind != "risk factor":
            return ()
        found = (self.words.get(fold(f"{known} {word}"), ()) for known in ("known", "previous"))
        return next((positions for positions in found if positions), ())

    def suggest(self, word: str) -> str:
        """A fix that names what may be meant by a word that is no name here."""
        from hickam.language.wording import general

        denied = general().denied(word)
        missing = self.lookup.sure(denied) if denied else ()
        if len(missing) == 1:
            return f"it says that '{self.ids[missing[0]]}' is not there: give that as absent"
        if general().circumstance(word) and not self.lookup.sure(word):
            return "it says when or how, not what: name the complaint"
        near = self.lookup.near(denied or word)
        if not near and len(self.index.choices) <= FEW:
            return did_you_mean(word, self.index)
        if not near and len(word.split()) == 1 and not general().knows(word.casefold()):
            near = self.index.close(word, SPELT_ALIKE)
        if not near:
            return "nothing here is near it: try a plainer word"
        offered = " or ".join(f"'{shortened(name)}'" for name in near)
        return (
            f"it says that something is not there: give {offered} as absent"
            if denied
            else (f"did you mean {offered}?")
        )

    def knows(self, word: str) -> bool:
        """Whether a word is an id, name or synonym here, ambiguous or not."""
        return word in self.places or fold(word) in self.words


@lru_cache(maxsize=16)
def places_of(words: Vocabulary, names: tuple[object, ...]) -> Ints | None:
    """[name] the positions of names that are all ids, else None.

    Cases of one source often name all risk factors: their names are looked up once for all.
    """
    if not words.places.keys() >= set(names):
        return None
    found = np.array([words.places[name] for name in names], dtype=np.int64)  # type: ignore[index]
    found.setflags(write=False)
    return found


def find_each(
    words: Mapping[str, Vocabulary], kind: str, names: Iterable[object], issues: list[Issue]
) -> list[int | None]:
    """The position of each name in one layer; where there is none, None and one more issue.

    A name that another layer knows is said to be there. Only the first unknown names get hints, so
    that a long list of them costs little.
    """
    found: list[int | None] = []
    names, places = list(names), words[kind].places
    if {str}.issuperset(map(type, names)):
        found = list(map(places.get, names))  # type: ignore[arg-type]
        if None not in found:  # nearly always: most cases are written in ids
            return found
        found = []
    for name in names:
        position = words[kind].find(name, hint=False)
        if not isinstance(position, Issue):
            found.append(position)
            continue
        if position.kind is Kind.UNKNOWN_NAME and len(issues) < HINTED:
            position = elsewhere(words, kind, str(name), position.where) or replace(
                position, fix=words[kind].suggest(str(name))
            )
        issues.append(position)
        found.append(None)
    return found


def elsewhere(words: Mapping[str, Vocabulary], kind: str, name: str, where: str) -> Issue | None:
    """The issue that says in which other layer a name is and how it is given, if it is in one.

    A disease in the past or with what is said about it ("previous stroke") is that disease.
    """
    others = [other for other in words if other != kind]
    known = next((other for other in others if words[other].knows(name)), None)
    if known is None:
        layers = [other for other in others if other in LAYERS]
        known = next((other for other in layers if words[other].lookup.sure(name)), None)
    entry = name
    if known is None and "disease" in others and not words[kind].lookup.best(name):
        known, entry = _disease_in(words["disease"], name)
    if known is None:
        return None
    what = f"is a {LAYER_WORDS.get(known, known)} of this network, not a {kind}"
    fix = GIVEN_AS.get(known, "").format(name=shortened(entry))
    return error(where, what, fix, kind=Kind.WRONG_LAYER)


def _disease_in(diseases: Vocabulary, name: str) -> tuple[str | None, str]:
    """("disease", its name) where a text is one once what is said about it is left out."""
    from hickam.language.lookup import How

    hits = diseases.lookup.best(name)
    if hits and hits[0].how in (How.QUALIFIED, How.BROADER) and hits[0].left_out:
        return "disease", hits[0].spelling
    return None, name


def find_all(
    words: Vocabulary, names: Iterable[object], issues: Sequence[Issue] = ()
) -> tuple[int, ...]:
    """The positions of names, each once, in the order first given.

    Raises one `InvalidInput` for all names that are not found and any issues known before.
    """
    problems = list(issues)
    found = find_each({words.kind: words}, words.kind, names, problems)
    if problems:
        raise InvalidInput(problems)
    return tuple(dict.fromkeys(position for position in found if position is not None))


def vocabulary(
    kind: str,
    entries: Iterable[tuple[str, str, Sequence[str]]],
    common: Callable[[], Sequence[float]] | None = None,
) -> Vocabulary:
    """The vocabulary of (id, name, synonyms) entries in their order."""
    listed = list(entries)
    return Vocabulary(kind, listed, common or (lambda: [0.0] * len(listed)))


@lru_cache(maxsize=32)
def vocabularies(network: Described) -> dict[str, Vocabulary]:
    """The vocabularies of a network: 'risk factor', 'disease', 'finding', 'category', 'other'.

    "other" holds the nodes of a general model that are in no layer.
    """
    layers = {
        "risk factor": network.risk_factors,
        "disease": network.diseases,
        "finding": network.findings,
    }
    found = {kind: _of_nodes(kind, network, layer) for kind, layer in layers.items()}
    found["category"] = vocabulary(
        "category", ((c.id, c.name, c.synonyms) for c in network.categories)
    )
    in_layers = {node for layer in layers.values() for node in layer}
    others = [node for node in _shown(network) if node not in in_layers]
    found["other"] = _of_nodes("other", network, others)
    return found


@lru_cache(maxsize=32)
def node_vocabulary(network: Described) -> Vocabulary:
    """The one vocabulary of all nodes, whatever their layer."""
    return _of_nodes("node", network, _shown(network))


def _shown(network: Described) -> list[str]:
    """Every node that is not only a part of another one's mechanism."""
    model = general_of(network)
    if model is None:
        return list(network.entries)
    from hickam.model.node import PART

    return [node for node in network.entries if model.nodes[node].role != PART]


def _of_nodes(kind: str, network: Described, nodes: Iterable[str]) -> Vocabulary:
    """The vocabulary of some nodes of a network."""
    entries = (network.entries[node] for node in nodes)
    common = commonness(network, kind) if kind in LAYERS else None
    return vocabulary(kind, ((entry.id, entry.name, entry.synonyms) for entry in entries), common)
