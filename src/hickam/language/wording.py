"""Text as people write it → the words that it comes down to, whatever their spelling and form."""

from __future__ import annotations

import re
import unicodedata
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from hickam.language.thesaurus import WordList, word_list

LONGEST = 200  # characters of a text that are read
MOST_WORDS = 24  # of a text
MOST_EXPANSIONS = 16  # ways to read the abbreviations of a text

WORD = re.compile(r"[^\W_]+(?:[&+/][^\W_]+)*")  # n&v and h/o are one word
PLURAL = re.compile(r"\b[A-Z]{2,5}s\b")
NEGATIVE = re.compile(r"(?<!\w)[-–−]ve\b")
APOSTROPHES = str.maketrans("", "", "'’‘`´")
SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"^(?=.{6})(.*?)[ao]e", r"\1e"),  # haem-, dyspnoea; not toe
        (r"(?<=..)our", "or"),  # tumour, odour
        (r"(?<=[iy])z(?=[aei])", "s"),  # -ize, -ization
        (r"(?<=[bt])re$", "er"),  # fibre, goitre
        (r"leuc", "leuk"),
        (r"sulph", "sulf"),
    )
)
SPELT_TWICE = re.compile(r"[ao]e|our|z|re$|leuc|sulph")  # most words are not
ENDINGS = (
    *(("ability", "able"), ("iness", "y"), ("ness", ""), ("ation", "at"), ("sion", "s")),
    *(("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("s", "")),
)
FORMS = ("ing", "ed", "ion", "ive", "ity", "ic", "ly", "ish")
UNLIKE = (
    "spotting",
    "hives",
    "peaky",
    "tearing",
    "pregnancies",
)  # words that mean something else than their stem
VERBS = ("ing", "ed")
JOINING = frozenset(("and", "or", "with"))
UNUSUAL = ("raised", "abnormal", "low")  # what a normal one is not
SEVERAL = frozenset("&+/")  # in an abbreviation of several things
SHORTEST = 3  # letters that a stem keeps


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, without accents and apostrophes.

    >>> words_of("Crohn's; N&V, +ve β-hCG")
    ['crohns', 'n&v', 'positive', 'β', 'hcg']
    """
    text = text[:LONGEST].casefold()
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text.translate(APOSTROPHES))
        text = "".join(c for c in parts if not unicodedata.combining(c))
    text = text.replace("'", "").replace("`", "")
    if "ve" in text:
        text = NEGATIVE.sub(" negative ", text.replace("+ve", " positive "))
    return WORD.findall(text)[:MOST_WORDS]


@lru_cache(maxsize=1 << 16)
def spelled(word: str) -> str:
    """A word in one spelling, whether British or American.

    >>> spelled("diarrhoea") == spelled("diarrhea")
    True
    """
    if SPELT_TWICE.search(word):
        for pattern, plain in SPELLINGS:
            word = pattern.sub(plain, word)
    return word


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """What the forms of a word have in common, in one spelling.

    >>> {stem(word) for word in ("vomits", "vomiting", "vomited", "vomit", "vomitting")}
    {'vomit'}
    >>> stem("dizzy") == stem("dizziness")
    True
    """
    if not word.isalpha() or word in UNLIKE:
        return word
    for ending, plain in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            if ending == "s" and word[-2] in "usi":
                break
            word = word[: -len(ending)] + plain
            if ending not in ("ness", "iness"):
                break
    word = spelled(word)
    for ending in FORMS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST + (ending not in VERBS):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":  # vomitting
                word = word[:-1]
            break
    return word.rstrip("eyi") if len(word.rstrip("eyi")) >= SHORTEST else word


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text: its words, and the abbreviations that were written out."""

    words: tuple[str, ...]
    expanded: bool = False


class Wording:
    """What a word list says about texts; see `thesaurus`."""

    def __init__(self, listed: WordList) -> None:
        self.fillers = frozenset(listed.fillers)
        self.light = frozenset(listed.light)
        self.clauses = frozenset(listed.clauses)
        self.parting = frozenset(listed.parting)
        self.kept = frozenset(listed.kept)
        self._as_known = frozenset(tuple(words_of(seen)) for seen in listed.as_known)
        self._manner = frozenset(listed.manner)
        self._normal = frozenset(tuple(words_of(normal)) for normal in listed.normal)
        self.circumstances = frozenset(listed.circumstances)
        self._kinds, self._either = (
            {
                frozenset(words_of(start)) - self.fillers: phrases
                for starts, phrases in listed_so.items()
                for start in starts.split(", ")
            }
            for listed_so in (listed.kinds, {**listed.either, **listed.kinds})
        )
        self.abbreviations = {
            " ".join(words_of(short)): [tuple(words_of(long)) for long in longs]
            for short, longs in listed.abbreviations.items()
        }
        self.capitals = frozenset(
            short.casefold() for short in listed.abbreviations if short.isupper()
        )
        self.known = {word for ways in self.abbreviations.values() for way in ways for word in way}
        self.known.update(word for short in self.abbreviations for word in short.split())
        self.qualifiers = frozenset(tuple(words_of(q)) for q in listed.qualifiers)
        self.negations = frozenset(tuple(words_of(n)) for n in listed.negations)
        self._history = tuple(tuple(words_of(h)) for h in listed.history)
        self._denials = {
            " ".join(words_of(word)): denied
            for words, (denied, *_) in listed.denials.items()
            for word in words.split(", ")
        }
        self.known.update(word for denial in self._denials for word in denial.split())
        self._as_written = {
            self._bare(words_of(phrase))
            for phrases in (*listed.same, *(kinds.split(", ") for kinds in listed.broader))
            for phrase in phrases
        }
        self._longest_aside = max(map(len, self.qualifiers | self.negations), default=1)
        self._families = _Rewriting()
        for number, phrases in enumerate(listed.families):
            for phrase in phrases:
                words = words_of(phrase)
                self.known.update(words)
                self._families.add(self.stems(words), f"~{number}")
        self._sites = frozenset(map(self._site, listed.sites))
        self._wholes: dict[str, set[str]] = {}  # part of the body → what it is a part of
        for whole, members in listed.parts_of.items():
            for member in members:
                held = self._wholes.setdefault(self._site(member), set())
                held.add(self._site(whole))
        self._same = _Rewriting()
        self.phrases: dict[str, list[tuple[str, ...]]] = {}  # set of phrases → their stems
        for number, phrases in enumerate(listed.same):
            listed_stems = self.phrases.setdefault(f"={number}", [])
            for phrase in phrases:
                words = words_of(phrase)
                self.known.update(words)
                listed_stems.append(self.familiar(self.stems(words)))
                self._same.add(listed_stems[-1], f"={number}")
        self._broader = {
            frozenset(self.meaning(self.stems(words_of(kind)))): broad
            for kinds, broad in listed.broader.items()
            for kind in kinds.split(", ")
        }
        self._known_stems = {stem(word) for word in self.known}
        self._asked = frozenset(map(spelled, listed.asked))
        self._alone = {spelled(short): "" for short in self.abbreviations}  # → the set it is in
        for number, phrases in enumerate(listed.same):
            for word in filter(None, (self.only_word(words_of(phrase)) for phrase in phrases)):
                self._alone[spelled(word)] = f"={number}"
        for word in self._asked & self._alone.keys():
            del self._alone[word]
        self._opposites: dict[str, set[tuple[int, int]]] = {}  # stem → (group, side)
        for group, sides in enumerate(listed.opposites):
            for side, phrase in enumerate(sides):
                for word in words_of(phrase):
                    self._opposites.setdefault(stem(word), set()).add((group, side))

    def stems(self, words: Sequence[str]) -> tuple[str, ...]:
        """The stems of the words that say something; all of them if none does."""
        fillers = self.fillers
        found = tuple([stem(word) for word in words if word not in fillers])
        return found or tuple(map(stem, words))

    def knows(self, word: str) -> bool:
        """Whether a word is in the list, in any form."""
        return stem(word) in self._known_stems

    def only_word(self, words: Sequence[str]) -> str:
        """The word that says something, if it is the only one; else nothing."""
        said = [word for word in words if word not in self.fillers] or words
        return said[0] if len(said) == 1 else ""

    def asked(self, text: str) -> bool:
        """Whether a text is one word that alone says too little."""
        return spelled(self.only_word(words_of(text))) in self._asked

    def only_qualifies(self, text: str) -> bool:
        """Whether a text is one phrase that says only how something is: long standing."""
        return tuple(words_of(text)) in self.qualifiers

    def is_denial(self, text: str) -> bool:
        """Whether the list has a text as saying that something is not there: afebrile."""
        return " ".join(words_of(text)) in self._denials

    def _bare(self, words: Sequence[str]) -> str:
        """Words without those that say nothing, in their order and one spelling."""
        empty = self.fillers - JOINING
        return " ".join(spelled(word) for word in words if word not in empty)

    def as_written(self, text: str) -> bool:
        """Whether the list has a phrase as it is written, its words in this order."""
        return self._bare(words_of(text)) in self._as_written

    def unusual(self, text: str) -> tuple[str, ...]:
        """What is not there in a text that says of something that it is normal."""
        normal = self.normal(text)
        if not normal:
            return ()
        said = (self._denials.get(f"{normal} normal"), self._denials.get(f"normal {normal}"))
        return (*filter(None, said), *(f"{how} {normal}" for how in UNUSUAL))

    def alone(self, word: str) -> bool:
        """Whether the list has a word by itself, as it is written, and not only to be asked."""
        listed = self._alone.get(spelled(word))
        return listed == "" or (listed,) == self.meaning(self.stems([word]))

    def alike(self, word: str, name: str) -> bool:
        """Whether a word of the list is in the same set as a name; any is that is in no set."""
        listed = self._alone.get(spelled(word))
        return not listed or listed in self.meaning(self.stems(words_of(name)))

    def sides(self, words: Sequence[str]) -> frozenset[tuple[int, int]]:
        """(opposition, side) of the words that have an opposite."""
        opposites = self._opposites
        return frozenset(place for word in words for place in opposites.get(stem(word), ()))

    def opposed(self, sides: frozenset[tuple[int, int]], words: Sequence[str]) -> bool:
        """Whether words name another side of something only: right of left, days of hours.

        >>> general().opposed(general().sides(["left", "knee"]), ["right", "knee"])
        True
        """
        others = self.sides(words)
        groups = {group for group, _ in sides} & {group for group, _ in others}
        return any(
            {place for place in sides if place[0] == group}.isdisjoint(others) for group in groups
        )

    def familiar(self, stems: tuple[str, ...]) -> tuple[str, ...]:
        """Stems with one word for each family; a single word stays what it is."""
        return self._families.rewrite(stems) if len(stems) > 1 else stems

    def meaning(self, stems: tuple[str, ...]) -> tuple[str, ...]:
        """Stems with one word for each family and each set of phrases that mean the same."""
        return self._same.rewrite(self.familiar(stems))

    def sites_in(self, words: Sequence[str]) -> frozenset[str]:
        """The parts and products of the body that words speak of, one word for each family."""
        return self._sites.intersection(self._families.rewrite(self.stems(words)))

    def same_place(self, sites: frozenset[str], others: frozenset[str]) -> bool:
        """Whether two places have a part of the body in common, or a part and its whole."""
        wholes = self._wholes
        return any(
            site == other or other in wholes.get(site, ()) or site in wholes.get(other, ())
            for site in sites
            for other in others
        )

    def _site(self, name: str) -> str:
        """A part of the body as one word for its family."""
        return self._families.rewrite(self.stems(words_of(name)))[0]

    def listed(self, text: str) -> bool:
        """Whether a text is a phrase that the list knows as a thing of its own.

        >>> general().listed("cherry red spot"), general().listed("red spot on arm")
        (True, False)
        """
        stems = self.stems(words_of(text))
        meant = self.meaning(stems)
        return len(meant) == 1 and meant[0].startswith("=")

    def either(self, text: str) -> tuple[str, ...]:
        """The things of which a text may mean any, so that it surely means none.

        >>> general().either("swelling of the leg")
        ('swollen ankles', 'swelling of one leg')
        """
        readings = (words_of(text), *(reading.words for reading in self.readings(text)))
        found = (self._either.get(frozenset(words) - self.fillers, ()) for words in readings)
        return next(filter(None, found), ())

    def kinds(self, text: str) -> tuple[str, ...]:
        """All that a text may mean, where each is a kind of it: who has no tremor has none.

        >>> general().kinds("tremor")
        ('fine tremor of hands', 'tremor at rest', 'shaky hands when using them')
        """
        return self._kinds.get(frozenset(words_of(text)) - self.fillers, ())

    def broader(self, text: str) -> list[str]:
        """What a text is a kind of.

        >>> general().broader("tickly cough")
        ['cough']
        """
        found = (
            self._broader.get(frozenset(self.meaning(self.stems(reading.words))), ())
            for reading in self.readings(text)
            if reading.words
        )
        return list(dict.fromkeys(phrase for phrases in found for phrase in phrases))

    def readings(self, text: str) -> list[Reading]:
        """The text as it stands, without light words, then with abbreviations written out."""
        words = tuple(words_of(text))
        capitals = {word.casefold() for word in WORD.findall(text) if word.isupper()}
        shouted = {word.casefold() for word in PLURAL.findall(text)} if not text.islower() else ()
        choices: list[list[tuple[str, ...]]] = []
        at, expanded = 0, False
        while at < len(words):
            for size in (3, 2, 1):
                short = " ".join(words[at : at + size])
                if short in shouted and short not in self.abbreviations:
                    short = short[:-1]  # UTIs
                known = short in self.abbreviations and at + size <= len(words)
                if known and (short not in self.capitals or short in capitals):
                    choices.append(self.abbreviations[short])
                    at, expanded = at + size, True
                    break
            else:
                choices.append([tuple(re.split("[&+/]", words[at]))])
                at += 1
        plain = tuple(part for word in words for part in re.split("[&+/]", word))
        found = [Reading(plain)]
        bare = tuple(word for word in plain if word not in self.light)
        if bare != plain and any(word not in self.fillers for word in bare):
            found.append(Reading(bare))
        if expanded:
            for some in islice(product(*choices), MOST_EXPANSIONS):
                found.append(Reading(tuple(w for part in some for w in part), expanded=True))
        return found

    def denied(self, text: str) -> str:
        """What a text says is not there; empty if it denies nothing.

        >>> general().denied("no fever"), general().denied("fever")
        ('fever', '')
        """
        words = words_of(text)
        if " ".join(words) in self._denials:
            return self._denials[" ".join(words)]
        marks = self.aside(words, self.negations)
        start, end = 0, len(words)
        while start < end and marks[start]:
            start += 1
        while end > start and marks[end - 1]:
            end -= 1
        left = words[start:end]
        return " ".join(self._seen(left)) if 0 < len(left) < len(words) else ""

    def denied_within(self, text: str) -> str:
        """What a text says is not there by a word in its middle; empty if there is none.

        >>> general().denied_within("neck not stiff")
        'neck stiff'
        """
        words = words_of(text)
        marks = self.aside(words, self.negations)
        inner = [at for at in range(1, len(words) - 1) if marks[at]]
        if not inner or marks[0] or marks[-1] or inner[-1] - inner[0] >= len(inner):
            return ""
        return " ".join(self._seen([w for w, mark in zip(words, marks, strict=True) if not mark]))

    def normal(self, text: str) -> str:
        """What a text says is normal; empty if it says so of nothing.

        >>> general().normal("PSA normal"), general().normal("normal PSA")
        ('psa', 'psa')
        """
        words = words_of(text)
        for size in (3, 2, 1):
            if len(words) > size:
                if tuple(words[-size:]) in self._normal:
                    return " ".join(words[:-size])
                if tuple(words[:size]) in self._normal:
                    return " ".join(words[size:])
        return ""

    def _seen(self, words: list[str]) -> list[str]:
        """Words without those at their end that say how it is known: seen, on examination."""
        for size in (3, 2, 1):
            if len(words) > size and tuple(words[-size:]) in self._as_known:
                return words[:-size]
        return words

    def manner(self, word: str) -> bool:
        """Whether a word begins what is said about another: goes back lying down."""
        return word in self._manner

    def past(self, text: str) -> bool:
        """Whether a text begins or ends as what is known from before: history of, PMH, known.

        >>> general().past("PMH COPD"), general().past("COPD")
        (True, False)
        """
        words = tuple(words_of(text))
        return any(h in (words[: len(h)], words[-len(h) :]) for h in self._history)

    def circumstance(self, text: str) -> bool:
        """Whether a text says only when, how or how much, and not what.

        >>> general().circumstance("worse with exercise"), general().circumstance("worse cough")
        (True, False)
        """
        words = [word for word in words_of(text) if word not in self.fillers]
        marks = self.aside(words, self.qualifiers)
        return bool(words) and all(
            aside or word in self.clauses or word in self.circumstances
            for word, aside in zip(words, marks, strict=True)
        )

    def aside(self, words: Sequence[str], which: frozenset[tuple[str, ...]]) -> tuple[bool, ...]:
        """Which words are in phrases of a set (qualifiers, negations); numbers qualify too."""
        marks = [which is self.qualifiers and word[0].isdigit() for word in words]
        for at in range(len(words)):
            for size in range(1, self._longest_aside + 1):
                if tuple(words[at : at + size]) in which:
                    marks[at : at + size] = [True] * len(words[at : at + size])
        return tuple(marks)


def _shortness(rewritten: tuple[tuple[str, ...], str]) -> int:
    """What puts a longer phrase before a shorter one."""
    return -len(rewritten[0])


class _Rewriting:
    """Phrases, each with what is written in its place; the longest phrase goes first."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}  # phrases of one word
        self._longer: set[tuple[str, ...]] = set()
        self._by_start: dict[str, list[tuple[tuple[str, ...], str]]] = {}  # of the longer ones
        self._in_any_order: dict[frozenset[str], str] = {}

    def add(self, phrase: tuple[str, ...], plain: str) -> None:
        """Write something in place of a phrase; a phrase that is known already stays."""
        if len(phrase) == 1:
            self._words.setdefault(phrase[0], plain)
        elif phrase:
            listed = self._by_start.setdefault(phrase[0], [])
            if phrase not in self._longer:
                self._longer.add(phrase)
                insort(listed, (phrase, plain), key=_shortness)
            self._in_any_order.setdefault(frozenset(phrase), plain)

    def rewrite(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words with every phrase replaced; all of them in another order are a phrase too."""
        plainly = self._words
        if self._by_start.keys().isdisjoint(words):
            if plainly.keys().isdisjoint(words):
                return words
            return tuple([plainly.get(word, word) for word in words])
        whole = self._in_any_order.get(frozenset(words))
        if whole is not None:
            return (whole,)
        found: list[str] = []
        at = 0
        while at < len(words):
            for phrase, plain in self._by_start.get(words[at], ()):
                if words[at : at + len(phrase)] == phrase:
                    found.append(plain)
                    at += len(phrase)
                    break
            else:
                found.append(plainly.get(words[at], words[at]))
                at += 1
        return tuple(found)


@lru_cache(maxsize=1)
def general() -> Wording:
    """The wording of the general word list, made when it is first needed."""
    return Wording(word_list())
