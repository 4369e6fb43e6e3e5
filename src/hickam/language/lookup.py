"""The entries of one layer that a text may mean, and how surely."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from heapq import nsmallest
from itertools import product

from hickam.language.fold import fold
from hickam.language.heads import heads
from hickam.language.name_index import NAME, SYNONYM, NameIndex
from hickam.language.shorthand import written_out
from hickam.language.typos import Typos
from hickam.language.wording import WORD, Wording, spelled, stem, words_of

LITERALLY = -4  # the order of a name that begins as the text does
REMEMBERED = 4096  # texts whose answer is kept
MOST_STARTING = 500  # names with words that begin as those of a text
SHORTEST_HEAD = (
    4  # letters of a stem that may stand for the whole text: those of care and caries are 3
)
SHORTEST_PLURAL = 4  # letters of a name that may be in the plural
SHORTEST_SINGULAR = 8  # letters of a plural name whose singular means the same: not contacts
SHORTEST_START = 3  # letters of a word that is being typed
ALIKE = 0.75  # words in common, by weight, from which a name is nearer than the text's head
ALIKE_AT_ALL = 0.66  # the same of a name that is offered at all: what shares less is mostly wrong
ALIKE_PHRASE = 0.85  # the same of a phrase that means a name
PRODUCTS = frozenset({"blood", "bloody", "bile", "stool", "faeces", "pus"})
MOST_UNKNOWN = 4  # words of a text whose typing is corrected
MOST_CORRECTIONS = 8  # ways to correct the typing of a text


class How(StrEnum):
    """How a name matches a text."""

    EXACT = "exact"  # it is the id or name
    SYNONYM = "synonym"  # it is a synonym of the network
    ABBREVIATION = "abbreviation"  # it is written out
    FORM = "form"  # the same words in another spelling, form or order
    MEANING = "meaning"  # the word list says that they mean the same
    MEASURED = "measured"  # the number in the text means it
    EITHER = "either"  # one of several things that the text may mean, by the word list
    BROADER = "broader"  # the text is a kind of it, by the word list or without what it adds
    START = "start"  # each word begins a word of the name
    WITHIN = "within"  # the name says what the text means, and more
    QUALIFIED = "qualified"  # once severity, duration and side are left out
    TYPING = "typing"  # once its typing is corrected
    PART = "part"  # it shares some words


SURENESS = {how: place for place, how in enumerate(How)}  # the surest first


@dataclass(frozen=True, slots=True)
class Hit:
    """One name that may be meant, and what of the text it leaves out."""

    how: How
    order: tuple[float, ...]  # of hits that match in the same way, the best is least
    position: int  # of the entry in its layer
    spelling: str  # the name or synonym that matches
    left_out: tuple[str, ...] = ()
    by_name: bool = True  # not by a synonym
    narrower: bool = False  # the name has all words of the text, and more

    def alike(self, other: Hit) -> bool:
        """Whether it matches as surely as another: in the same way, by a name as the other."""
        return self.how is other.how and self.by_name == other.by_name


def plurals(name: str) -> tuple[str, ...]:
    """A name in the plural, a long one in the singular; none of an abbreviation."""
    if len(name) < SHORTEST_PLURAL:
        return ()
    singular = (name[:-1],) if name.endswith("s") and len(name) > SHORTEST_SINGULAR else ()
    return (f"{name}s", f"{name}es", f"{name[:-1]}ies", *singular)


class Lookup:
    """The names of one layer, indexed when first asked.

    `names` are (position, rank, spelling). `common` tells how common each entry is, which settles
    ties; it is asked once, when first needed.
    """

    def __init__(
        self,
        names: Sequence[tuple[int, int, str]],
        common: Callable[[], Sequence[float]],
        wording: Wording,
    ) -> None:
        self._names = names
        self._ask_common = common
        self._wording = wording
        self._answers: dict[str, tuple[int, ...]] = {}

    @cached_property
    def _common(self) -> Sequence[float]:
        return self._ask_common()

    @cached_property
    def _index(self) -> NameIndex:
        # a hundred thousand small objects that all stay: looking for garbage among them is a third
        # of the time
        collecting = gc.isenabled()
        gc.disable()
        try:
            return NameIndex(self._names, self._wording)
        finally:
            if collecting:
                gc.enable()

    @cached_property
    def _typos(self) -> Typos:
        """The words of the names and of the word list, in one spelling."""
        return Typos(spelled(word) for word in (*self._index.holders, *self._wording.known))

    def sure(self, text: str) -> tuple[int, ...]:
        """The positions of the entries that a text means, of the surest kind only."""
        if text not in self._answers:
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()
            self._answers[text] = tuple(hit.position for hit in self.surest(text))
        return self._answers[text]

    def surest(self, text: str) -> list[Hit]:
        """One hit of each entry that a text means, of the surest kind only."""
        found = self._surely(text) or self._surely(written_out(text))
        alike = {hit.position: hit for hit in reversed(found) if hit.alike(found[0])}
        return list(reversed(alike.values()))

    def knows(self, word: str) -> bool:
        """Whether a word is in some name, in any form, or in the word list."""
        return self._index.knows(word)

    def near(self, text: str, most: int = 3) -> list[str]:
        """The names that may be meant by a text that surely means none."""
        hits = self.best(text)
        best: dict[int, str] = {}
        for hit in hits:
            if hit.how is hits[0].how and (
                hit.how is How.EITHER or hit.order[0] == hits[0].order[0]
            ):
                best.setdefault(hit.position, hit.spelling)
        return list(best.values())[:most]

    def best(self, text: str) -> list[Hit]:
        """The hits of the first stage that has any."""
        return next((hits for hits in self.stages(text) if hits), [])

    def stages(self, text: str) -> Iterator[list[Hit]]:
        """Hits stage by stage; what is not sure never says the opposite of the text."""
        sides = self._wording.sides(words_of(text))
        for stage in self._stages(text):
            yield [
                hit
                for hit in stage
                if not sides
                or SURENESS[hit.how] <= SURENESS[How.MEANING]
                or not self._wording.opposed(sides, words_of(hit.spelling))
            ]

    def _stages(self, text: str) -> Iterator[list[Hit]]:
        """Hits of the whole text, then without its qualifiers, corrected, and by shared words."""
        if not self._equal(text):
            text = written_out(text)
        whole = [*self._whole(text), *self._either(text), *self._broader(text)]
        bare, left_out = self._unqualified(text)
        equal = self._surely(bare) if left_out else []
        qualified = [replace(hit, how=How.QUALIFIED) for hit in equal if hit.alike(equal[0])]
        qualified += [replace(hit, how=How.PART) for hit in equal if not hit.alike(equal[0])]
        either = self._asked(bare) or self._broader(bare) if left_out else []
        without = [replace(hit, left_out=left_out) for hit in qualified or either]
        if all(hit.order[0] > LITERALLY for hit in whole if hit.how is How.START) and all(
            SURENESS[hit.how] >= SURENESS[How.START] for hit in whole
        ):  # sudden back pain is a back pain before it is a sudden tearing chest or back pain
            if without:
                whole = [*without, *(replace(hit, how=How.PART) for hit in whole)]
            elif self._wording.circumstance(text) and " " in text.strip():
                return  # it says how, and not what
        yield sorted(whole, key=lambda hit: SURENESS[hit.how])
        yield without
        if self._wording.listed(bare):
            return  # a thing of its own that is not here: a cherry red spot is no red spot
        corrected = [
            Hit(
                How.TYPING,
                (SURENESS[hit.how], number, *hit.order),
                hit.position,
                hit.spelling,
                left,
            )
            for number, (words, left) in enumerate(self._corrected(text))
            for hit in self._whole(words)
        ]
        yield sorted(corrected, key=lambda hit: hit.order)
        sharing = self._sharing(text)
        alike = [hit for hit in sharing if -hit.order[0] >= ALIKE]
        yield alike
        paraphrased = self._sharing(text, paraphrased=True)
        yield [hit for hit in paraphrased if -hit.order[0] >= ALIKE_PHRASE]
        yield self._headed(text)
        begun = self._starting(bare) if self._unfinished(bare) else []
        yield [replace(hit, how=How.PART, left_out=left_out) for hit in begun]
        shared = [hit for hit in (*sharing, *paraphrased) if -hit.order[0] >= ALIKE_AT_ALL]
        yield sorted(shared, key=lambda hit: hit.order)

    def _unfinished(self, text: str) -> bool:
        """Whether the last word of a text is none yet, as of one that is being typed."""
        last = words_of(text)[-1:]
        return any(len(word) >= SHORTEST_START and not self._index.knows(word) for word in last)

    def _headed(self, text: str) -> list[Hit]:
        """The names that are equal to the head of a text, of the longest that has any."""
        shouted = {word.casefold() for word in WORD.findall(text) if word.isupper()}
        for head, left_out in heads(text, self._wording):
            bare, aside = self._unqualified(head)
            if self._wording.circumstance(bare) or not PRODUCTS.isdisjoint(left_out):
                continue  # "down" is no head of "numb down below"; what is vomited is not left out
            short = len(stem(bare)) < SHORTEST_HEAD
            if short and not (bare in shouted and bare in self._wording.abbreviations):
                continue
            said = bare.upper() if short else bare
            equal = self._surely(head) or self._surely(said)
            equal = [hit for hit in equal if hit.alike(equal[0])]
            found = [replace(hit, how=How.BROADER) for hit in equal or self._broader(said)]
            if not self._wording.sites_in(left_out):  # what swells is lost, so any of them is wrong
                found = found or self._asked(said)
            found = self._in_place(found, head, left_out)
            if found:
                left = tuple(w for w in (*aside, *left_out) if w not in self._wording.fillers)
                told = {hit.position for hit in found}
                also = [h for h in self._named_also(left_out) if h.position not in told]
                sides = ((found, left), (also, tuple(words_of(bare))))
                return [
                    replace(hit, left_out=lost, order=(part, *hit.order))
                    for part, (hits, lost) in enumerate(sides)
                    for hit in hits
                ]
        return []

    def _in_place(self, found: list[Hit], head: str, left_out: Sequence[str]) -> list[Hit]:
        """The hits of a head that speak of no other part of the body than what it leaves out."""
        wording = self._wording
        place = wording.sites_in(left_out)
        if not place or wording.sites_in(words_of(head)):
            return found
        called = self._called
        others = [wording.sites_in(words_of(f"{h.spelling} {called[h.position]}")) for h in found]
        return [
            hit
            for hit, sites in zip(found, others, strict=True)
            if not sites or wording.same_place(place, sites)
        ]

    @cached_property
    def _called(self) -> dict[int, str]:
        """Position → name."""
        return {position: spelling for position, rank, spelling in self._names if rank == NAME}

    def _named_also(self, words: Sequence[str]) -> list[Hit]:
        """The names that are equal to what the head of a text leaves out."""
        bare, _ = self._unqualified(" ".join(words))
        says = len(stem(bare)) >= SHORTEST_HEAD and not self._wording.circumstance(bare)
        equal = self._surely(bare) if says else []
        return [replace(hit, how=How.BROADER) for hit in equal]

    def _whole(self, text: str) -> list[Hit]:
        """Hits of all words of a text."""
        return [*self._equal(text), *self._starting(text)]

    def _equal(self, text: str) -> list[Hit]:
        """The names that are equal to a text in one way or another."""
        index, wording = self._index, self._wording
        found: list[Hit] = []
        for number, reading in enumerate(wording.readings(text)):
            if not reading.words or (found and not reading.expanded):
                continue
            stems = wording.stems(reading.words)
            before = len(found)
            how = How.ABBREVIATION if reading.expanded else How.FORM
            for name in index.by_stems.get(frozenset(stems), ()):
                told = how if reading.expanded else self._told(name, text)
                found.append(self._hit(name, told, number))
            for compound in index.compounds(reading.words):
                for name in index.by_stems.get(frozenset(wording.stems(compound)), ()):
                    found.append(self._hit(name, how, number))
            how = How.ABBREVIATION if reading.expanded else How.MEANING
            meaning = frozenset(wording.meaning(stems))
            for names in (index.by_meaning, index.by_stems):
                found += [self._hit(name, how, number) for name in names.get(meaning, ())]
            only = wording.only_word(words_of(text) if reading.expanded else reading.words)
            found[before:] = [self._earned(hit, only) for hit in found[before:]]
        if wording.either(text):  # what it is called here, and nothing that is only like it
            found = [hit for hit in found if hit.how in (How.EXACT, How.SYNONYM)]
        return sorted(found, key=lambda hit: (SURENESS[hit.how], hit.order))

    def _either(self, text: str) -> list[Hit]:
        """The names of what a text may mean by the word list, in the order of the list."""
        return [
            replace(hit, how=How.EITHER, order=(number, *hit.order))
            for number, phrase in enumerate(self._wording.either(text))
            for hit in self._equal(phrase)
        ]

    def _broader(self, text: str) -> list[Hit]:
        """The names of what a text is a kind of by the word list, in the order of the list."""
        return [
            replace(hit, how=How.BROADER, order=(number, SURENESS[hit.how], *hit.order))
            for number, phrase in enumerate(self._wording.broader(text))
            for hit in self._named_so(phrase)
        ]

    def _named_so(self, phrase: str) -> list[Hit]:
        """The names that are equal to a phrase in the surest way in which any is."""
        equal = self._surely(phrase)
        return [hit for hit in equal if hit.alike(equal[0])]

    def _surely(self, text: str) -> list[Hit]:
        """The names that a text means for sure."""
        return [hit for hit in self._equal(text) if SURENESS[hit.how] <= SURENESS[How.MEANING]]

    def _asked(self, text: str) -> list[Hit]:
        """The names of what a text may mean, to be asked."""
        return self._either(text) or [hit for hit in self._equal(text) if hit.how is How.EITHER]

    def _earned(self, hit: Hit, word: str) -> Hit:
        """A hit as sure as the only word of a text that says something makes it, if there is one.

        A word alone means a name in another form only where it is its plural or in the word list
        as it is written. So does a name of one word mean what a text does.
        """
        sure, wording = True, self._wording
        if hit.how is How.SYNONYM:
            sure = not wording.asked(word)
            word = ""
        elif hit.how is How.EXACT:
            return hit
        if word:
            name = spelled(fold(hit.spelling).replace(" ", ""))
            sure = wording.alone(word) and wording.alike(word, hit.spelling)
            sure = sure or spelled(word) in (name, *plurals(name))
        if hit.how is How.MEANING:
            named = wording.only_word(words_of(hit.spelling))
            sure = sure and (not named or wording.alone(named))
        return hit if sure else replace(hit, how=How.EITHER, order=(0.0, *hit.order))

    def _told(self, name: int, text: str) -> How:
        """How a name with the words of a text matches it."""
        _, rank, spelling = self._names[name]
        if fold(spelling) != fold(text):
            return How.FORM
        return How.SYNONYM if rank == SYNONYM else How.EXACT

    def _hit(self, name: int, how: How, *order: float, narrower: bool = False) -> Hit:
        position, rank, spelling = self._names[name]
        settled = (float(rank != NAME), -self._common[position], float(len(spelling)))
        by_name = rank == NAME
        return Hit(how, (*order, *settled), position, spelling, by_name=by_name, narrower=narrower)

    def _starting(self, text: str) -> list[Hit]:
        """The names in which each word of a text begins a word: whole words first, then common."""
        index, wording = self._index, self._wording
        found: list[Hit] = []
        folded = fold(text)
        for reading in wording.readings(text):
            words = [word for word in reading.words if word not in wording.fillers]
            words = words or list(reading.words)
            typed = index.all_with(words, index.with_word)
            formed = index.all_with(words, index.with_form)
            begun = index.all_with(words, index.with_start)
            meant = index.with_meaning(wording.meaning(wording.stems(reading.words)))
            formed |= meant
            ways = {name: 1 + (name in formed) + (name in typed) for name in begun | formed}
            names, common = self._names, self._common
            if " " in folded:
                for name in ways:
                    if fold(names[name][2]).startswith(folded):
                        ways[name] = -LITERALLY
            best = nsmallest(
                MOST_STARTING,
                (
                    (-ways[name], -common[names[name][0]], len(names[name][2]), name)
                    for name in ways
                    if index.sizes[name] >= len(words) or name in meant
                ),
            )
            typing = How.WITHIN if reading.expanded else How.START
            for way, _, _, name in best:
                how = typing if name in begun else How.WITHIN
                found.append(self._hit(name, how, way, narrower=name in formed))
        return sorted(found, key=lambda hit: (SURENESS[hit.how], hit.order))

    def _unqualified(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text without its qualifiers, and those."""
        words = words_of(text)
        marks = self._wording.aside(words, self._wording.qualifiers)
        kept = [word for word, aside in zip(words, marks, strict=True) if not aside]
        left = tuple(word for word, aside in zip(words, marks, strict=True) if aside)
        says = any(word not in self._wording.fillers for word in kept)
        return (" ".join(kept), left) if says else (text, ())

    def _corrected(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The text with unknown words in place of which known ones may be meant."""
        bare, left_out = self._unqualified(text)
        words = words_of(bare)
        known = [word in self._wording.fillers or self._index.knows(word) for word in words]
        if known.count(False) > MOST_UNKNOWN:
            return
        choices = [
            [word] if is_known else self._typos.near(spelled(word)) or [word]
            for word, is_known in zip(words, known, strict=True)
        ]
        for number, some in enumerate(product(*choices)):
            if number >= MOST_CORRECTIONS:
                return
            if list(some) != words:
                yield " ".join(some), left_out

    def _sharing(self, text: str, *, paraphrased: bool = False) -> list[Hit]:
        """The names that share most of their words with a text, or phrases that mean them do."""
        index, wording = self._index, self._wording
        found = []
        for reading in wording.readings(self._unqualified(text)[0]):
            stems = wording.stems(reading.words)
            sites = wording.sites_in(reading.words)
            if paraphrased:
                shares = index.paraphrased(frozenset(wording.familiar(stems)))
            else:
                shares = index.sharing(frozenset(wording.meaning(stems)))
            for share, name in shares:
                others = wording.sites_in(words_of(self._names[name][2]))
                if sites and others and not wording.same_place(sites, others):
                    continue
                hit = self._hit(name, How.PART, -share)
                found.append(hit)
        return sorted(found, key=lambda hit: hit.order)
