"""What is denied, feared, over or someone else's in a text: rules in the manner of ConText.

The rules are the page `context.txt`. A rule reaches over the words of its own sentence only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from hickam.language.thesaurus import sections
from hickam.language.wording import APOSTROPHES, LONGEST, general

TOKEN = re.compile(
    r"[-–−+]ve\b|\d+(?:[.,]\d+)?(?:/\d+(?:\.\d+)?)?%?|[^\W\d_]+(?:['’&+/.][^\W\d_]+)*[^\W_]*|"
    r"[^\W_]+|[↑↓⇑⇓▲▼#?&/]|(?<=\s)\+(?=\s)"
)
SIGNS = {
    "↑": "raised",
    "⇑": "raised",
    "▲": "raised",
    "↓": "reduced",
    "⇓": "reduced",
    "▼": "reduced",
}
SIGNS |= {"#": "fracture", "-ve": "negative", "–ve": "negative", "+ve": "positive"}
JOINED = re.compile(r"([^\W\d_]{3,})[/.]([^\W\d_]{3,})(?:[/.]([^\W\d_]{3,}))?$")
DOUBTFUL = re.compile(  # a box, a cross or a minus sign: what stands beside it may be ruled out
    r"[(\[]\s*[-–−]?\s*[)\]]|[∅Ø☐□✗✘❌✕❎⊖⊝]|(?<=[^\W\d_])[-–−](?=[,;.)\s]|$)|"
    r"(?<=[^\W\d_]\s)0(?=[,;.\n]|$)|=\s*0(?![.,]?\d)|(?<![^\s(,;])0(?=\s[^\W\d_])|"
    r"(?<=\s)[-–−](?=[,;.)]|\s*$|\s*\n)|(?<=[^\s\d\-][ ,;])[-–−](?=[^\W\d_])"
)
PERIODS = re.compile(r"\d+/(7|52|12)$")
UNITS = {"7": "days", "52": "weeks", "12": "months"}
SENTENCE = re.compile(r"[.!;]\s|[.!;]$|\n|[.!;](?=[A-Z][a-z])|\s[-–—]\s?(?=[A-Z])|•|\*")
CLAUSE = re.compile(r"[,:()\[\]\"“”]|\s[-–—]\s|→|--|\?\s")
ANSWER = re.compile(r"[:(\[=→]|-|–|—")
POINTS = ("-", "–", "—", "•", "*", "·")
AND = frozenset(("and", "&", "+", "or", "nor", "/", "with", "w", "plus", "w/", "also", "as"))
MOST_PHRASES = 6
ABSENT, POSSIBLE, PAST, OVER, SOMEONE, WHEN, UNSURE = (
    *("absent", "possible", "past", "over", "someone else", "worse or better"),
    "absent or not",
)


@dataclass(slots=True)
class Token:
    """A word of a text, where it stands, and what rules say about it."""

    start: int
    end: int
    said: str  # as it is written
    word: str  # as it is compared
    sentence: int
    clause: int
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)  # rule → its own words
    rule: str = ""  # the rule that it is part of
    section: str = ""  # of the heading before it


@lru_cache(maxsize=1)
def rules() -> Mapping[str, Mapping[str, str]]:
    """Section of the page of rules → phrase → what it is listed for."""
    from importlib.resources import files

    text = files(__package__).joinpath("context.txt").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for section, entries in sections(text).items():
        told = found.setdefault(section, {})
        for entry in entries:
            name, mark, phrases = entry.partition(": ")
            for phrase in (phrases if mark else entry).split("|"):
                told[" ".join(phrase.split())] = name if mark else section
    return found


def tokens_of(text: str) -> list[Token]:
    """The words of a text with their sentences and clauses, each with what the rules say of it."""
    found: list[Token] = []
    sentence = clause = end = 0
    for match in TOKEN.finditer(text):
        for start, said in _parted(match):
            gap = text[end:start]
            if SENTENCE.search(gap) and not _goes_on(text, found, start):
                sentence, clause = sentence + 1, clause + 1
            elif CLAUSE.search(gap) or (found and found[-1].word == "?-"):
                clause += 1
            word = SIGNS.get(said, said.casefold().translate(APOSTROPHES))
            if said == "?" and start and text[start - 1].isalnum():
                word = "?-"  # what stands before it is in doubt, not what follows
            end = start + len(said)
            found.append(Token(start, end, said, word, sentence, clause))
    _answered(text, found)
    section, end = "", 0
    before: list[Token] = []
    for part in sentences(found):
        _denies_nothing(before, part)
        before = part
        line = text.rfind("\n", 0, part[0].start) + 1
        opens = not text[line : part[0].start].strip(" -")
        below = section == "someone else" and opens and "\n\n" not in text[end : part[0].start]
        section = _rule(text, part, "" if opens else section)
        end = part[-1].end
        if below and not part[0].section:  # it may go on with what the family has
            _doubt(part)
    for sign in DOUBTFUL.finditer(text):
        _doubt_beside(text, found, sign)
    return found


def _goes_on(text: str, found: Sequence[Token], start: int) -> bool:
    """Whether a line does not end its sentence: behind a comma, and behind what denies nothing.

    A denial above a list of points goes on to the end of the list.
    """
    gap = text[found[-1].end : start] if found else ""
    if "\n" not in gap or "\n\n" in gap or gap.lstrip()[:1] in (".", ";", "!"):
        return False
    own = list(takewhile(lambda token: token.sentence == found[-1].sentence, reversed(found)))[::-1]
    words = [token.word for token in own]
    if gap.lstrip(" ").startswith(",") or words[-1] in AND:
        return True
    for first, stop, phrase in _phrases(words, rules()["absent after"]):
        if stop == len(own):
            return not first or ":" in gap or phrase not in rules()["answers"]
        below = text[own[stop - 1].end : own[stop].start]
        if "\n" in below:
            return ":" in below or gap.rstrip()[-1:] in POINTS
    return False


def _denies_nothing(before: Sequence[Token], tokens: Sequence[Token]) -> None:
    """Doubt what stands before a denial that nothing follows: it may answer it."""
    words = [token.word for token in tokens]
    for start, stop, _ in _phrases(words, rules()["absent after"]):
        opens = not start or tokens[start - 1].clause != tokens[start].clause
        rest = [t.word for t in tokens[stop:] if t.clause == tokens[start].clause]
        if opens and not tokens[start].rule and rules()["says little"].keys() >= set(rest):
            near = tokens[:start] or before
            _doubt(t for t in near if t.clause == near[-1].clause)


def _answered(text: str, tokens: Sequence[Token]) -> None:
    """Mark what an answer is about, as in fever: no. Behind an answer begins another sentence."""
    clauses: list[list[Token]] = []
    shift = 0
    for token in tokens:
        own = clauses[-1][0] if clauses else None
        if own is None or own.clause != token.clause:
            clauses.append([])
        clauses[-1].append(token)
    asked: list[list[Token]] = []  # of the sentence, since its last answer
    for clause in clauses:
        first = clause[0]
        ends = bool(asked) and asked[-1][0].sentence != first.sentence + shift
        for token in clause:
            token.sentence += shift
        if ends:
            asked = []
        told = rules()["answers"].get(" ".join(token.word for token in clause))
        before = asked[-1][-1] if asked else None
        marked = before and (
            before.word == "?-" or ANSWER.search(text[before.end : first.start]) is not None
        )
        if not told or not marked:
            asked.append(clause)
            continue
        for token in clause:
            token.rule = ABSENT
        for other in asked:
            for token in other:
                if token.word == "?-":
                    token.word, token.rule = "?", POSSIBLE
                if told == "no":
                    sure = other is asked[-1] and AND.isdisjoint(
                        t.word for t in other if t.word != "or"
                    )
                    token.marks[ABSENT if sure else UNSURE] = (first.start, clause[-1].end)
        asked, shift = [], shift + 1


def _doubt(tokens: Iterable[Token]) -> None:
    """Mark words of which it is not clear whether what they say is there."""
    for token in tokens:
        token.marks[UNSURE] = (-1, -1)


def _doubt_beside(text: str, tokens: Sequence[Token], sign: re.Match[str]) -> None:
    """Mark the sentences on both sides of a sign, up to the end of its line."""
    before = [t for t in tokens if t.end <= sign.end()][-1:]
    after = [t for t in tokens if t.start >= sign.start()][:1]
    near = {
        token.sentence
        for token in before + after
        if not SENTENCE.search(text[min(token.end, sign.end()) : max(token.start, sign.start())])
    }
    _doubt(token for token in tokens if token.sentence in near)


def phrases_of(text: str) -> list[str]:
    """The phrases that a short text lists; empty if it is one.

    >>> phrases_of("tummy pain and vomiting"), phrases_of("tummy pain")
    (['tummy pain', 'vomiting'], [])
    """
    found: list[list[str]] = [[]]
    clause = 0
    for token in tokens_of(text[:LONGEST]):
        if token.clause != clause or token.word in AND:
            found.append([])
        clause = token.clause
        if token.word not in AND:
            found[-1].append(token.said)
    listed = [" ".join(words) for words in found if words]
    return listed if 1 < len(listed) <= MOST_PHRASES else []


def _parted(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """(start, word) of a match; longer words behind a stroke or a stop are words of their own."""
    joined = JOINED.match(match[0])
    if joined is None:
        yield match.start(), match[0]
        return
    for part in re.finditer(r"\w+|[/.]", match[0]):
        if part[0] != ".":
            yield match.start() + part.start(), part[0]


def sentences(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens sentence by sentence."""
    part: list[Token] = []
    for token in tokens:
        if part and token.sentence != part[0].sentence:
            yield part
            part = []
        part.append(token)
    if part:
        yield part


def _rule(text: str, tokens: list[Token], section: str) -> str:
    """Mark the tokens of a sentence by the rules that reach them; the section that goes on.

    A heading at the start of a line goes on to its end, any other to the end of its sentence.
    """
    words = [_compared(token.word) for token in tokens]
    page = rules()
    section = _headings(text, tokens, words, section)
    ends = [start for start, _, _ in _phrases(words, page["ends"])]
    persons_end = [start for start, _, _ in _phrases(words, page["someone ends"])]
    denials = list(_phrases(words, page["absent after"]))
    for start, stop, _ in denials:
        if any(at == stop for at, _, _ in denials):
            _doubt(t for t in tokens if t.clause == tokens[start].clause)  # not without
        others = (*ends, *(at for at, *_ in denials if at >= stop))
        _deny(
            tokens,
            words,
            start,
            stop,
            min([at for at in others if at >= stop], default=len(tokens)),
        )
    for mark in (POSSIBLE, PAST, OVER, WHEN):
        listed = page.get(f"{mark} after", page.get(mark, {}))
        if mark == POSSIBLE:
            listed = {**listed, **page["advice"]}
        for start, stop, phrase in _phrases(words, listed):
            if mark == PAST and start and LENGTH.match(words[start - 1]) and phrase in HISTORY:
                continue  # 3 days history of
            reach = _within(tokens, stop, _end(ends, stop, len(tokens)))
            if phrase in page["advice"]:  # return if it does so, or so
                reach = range(stop, len(tokens))
            elif phrase == "if":
                _doubt(tokens[stop:])
            while mark == WHEN and reach and _lists_on(tokens, words, reach.stop):
                more = _within(tokens, reach.stop + 1, len(tokens))
                reach = range(stop, max(more.stop, reach.stop + 1))
            _mark(tokens, mark, start, stop, reach)
    for at, token in enumerate(tokens):
        opens = at == 0 or tokens[at - 1].clause != token.clause
        if at and words[at - 1] in page["doing after"] and words[at].endswith("ing"):
            if words[at] not in page["findings in ing"]:
                _mark(tokens, WHEN, at - 1, at, _within(tokens, at, len(tokens)))
        elif opens and general().manner(token.word):
            _mark(tokens, WHEN, at, at + 1, _within(tokens, at + 1, len(tokens)))
    for mark in (ABSENT, POSSIBLE, PAST, OVER):
        for start, stop, phrase in _phrases(words, page[f"{mark} before"]):
            first = next(at for at in range(start + 1) if tokens[at].clause == tokens[start].clause)
            begun = not page["begun"].keys().isdisjoint(words[first:start])
            last = stop == len(tokens) or tokens[stop].clause != tokens[start].clause
            alone = (
                mark == ABSENT and bool(tokens[start].rule) and not last
            )  # it denies what follows
            if phrase.endswith("gone") and not last:
                continue  # it has gone up, or to the arm
            if start == first or alone or (begun and phrase.endswith(TIMES)):
                continue
            if mark == ABSENT:
                joined = [at for at in range(first, start) if words[at] in AND]
                first = joined[-1] + 1 if joined else first
            _mark(tokens, mark, start, stop, range(first, start))
    for start, stop, _ in _phrases(words, page["someone else after"]):
        near = {*words[max(0, start - 2) : start], *words[stop : stop + 2]}
        beside = not page["beside"].keys().isdisjoint(words[max(0, start - 2) : start])
        if (near.isdisjoint(page["reports"]) and not beside) or words[start] in ("fh", "fhx"):
            _mark(tokens, SOMEONE, start, stop, range(stop, _end(persons_end, stop, len(tokens))))
    _turned(tokens, words, (at for start, stop, _ in denials for at in range(start, stop)))
    return section


def _turned(tokens: Sequence[Token], words: Sequence[str], denials: Iterable[int]) -> None:
    """Doubt a clause whose denial is of a change or of a time: not better, never before today."""
    page = rules()
    doubted = {tokens[start].clause for start, _, _ in _phrases(words, page["no end"])}
    turns = [start for start, _, _ in _phrases(words, page["turns"])]
    for at in (*denials, *(at for at, word in enumerate(words) if word == "never")):
        if any(turn > at and tokens[turn].clause == tokens[at].clause for turn in turns):
            doubted.add(tokens[at].clause)
    if "too" in words and not FIRST.isdisjoint(words) and any(SOMEONE in t.marks for t in tokens):
        doubted |= {token.clause for token in tokens}
    _doubt(token for token in tokens if token.clause in doubted)


FIRST = frozenset(("i", "im", "ive", "me"))
TIMES = ("ago", "back", "year", "child", "kid", "childhood", "baby", "younger", "past")
LENGTH = re.compile(r"(?:(?:day|week|wk|month|mo|mth|year|yr|hour|hr|min|minute|night)s?|[dwy])$")
HISTORY = frozenset(("history of", "hx of", "hx", "h/o", "history"))


def _compared(word: str) -> str:
    """A word as the rules have it: 3/52 is weeks."""
    period = PERIODS.match(word)
    return UNITS[period[1]] if period else word


def _phrases(words: Sequence[str], listed: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """(start, stop, phrase) of the listed phrases in words, the longest first."""
    at = 0
    while at < len(words):
        for size in range(min(5, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + size])
            if phrase in listed:
                yield at, at + size, phrase
                at += size
                break
        else:
            at += 1


def _lists_on(tokens: Sequence[Token], words: Sequence[str], at: int) -> bool:
    """Whether a clause that begins at a place lists one more thing done: sitting, coughing."""
    rest = [word for word in words[at : at + 2] if word not in AND]
    return bool(rest) and rest[0].endswith("ing") and tokens[at].sentence == tokens[at - 1].sentence


def _end(ends: Sequence[int], start: int, size: int) -> int:
    """Where a reach that begins at a place ends."""
    return next((end for end in ends if end >= start), size)


def _within(tokens: Sequence[Token], start: int, end: int) -> range:
    """The places up to an end that are in the clause of the first."""
    if start >= end:
        return range(0)
    before = max(start - 1, 0)
    stop = next((at for at in range(start, end) if tokens[at].clause != tokens[before].clause), end)
    return range(start, stop)


def _mark(tokens: list[Token], mark: str, start: int, stop: int, reach: range) -> None:
    """Mark the places of a reach, and the words of the rule itself."""
    for at in range(start, stop):
        tokens[at].rule = mark
    for at in reach:
        tokens[at].marks.setdefault(mark, (tokens[start].start, tokens[stop - 1].end))


def _deny(tokens: list[Token], words: list[str], start: int, stop: int, end: int) -> None:
    """Mark what a denial rules out: its clause for sure, a list where the list is denied as one.

    Behind "and", and behind a comma where no "or" ends the list, it may be denied or not.
    """
    whole = " ".join(words[start:stop]) in rules()["whole list"]
    listed = whole or any(word in ("or", "nor") for word in words[stop:end])
    sure = True
    for at in range(start, stop):
        tokens[at].rule = ABSENT
    for at in range(stop, end):
        token = tokens[at]
        if token.clause != tokens[max(at - 1, stop)].clause and not listed:
            sure = False  # no fever, cough
        if words[at] in ("with", "w", "w/") and token.clause != tokens[at - 1].clause:
            break  # without fever, with weight loss
        if words[at] in ("with", "w", "w/"):
            sure = False
        if words[at] in ("and", "&", "+", "plus") and not listed:
            rest = [t for t in tokens[at + 1 : end] if t.clause == token.clause]
            sure = sure and len(rest) <= PAIRED
        mark = ABSENT if sure else UNSURE
        token.marks[mark] = (tokens[start].start, tokens[stop - 1].end)


PAIRED = 2  # words behind "and" that are denied with what stands before it: no nausea and vomiting


def _headings(text: str, tokens: list[Token], words: list[str], section: str) -> str:
    """Give each token the section of the last heading before it; the section that goes on."""
    listed, until, kept = rules()["headings"], 0, section
    for at, token in enumerate(tokens):
        for size in range(min(3, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + size])
            if at < until or phrase not in listed:
                continue
            marked = text[tokens[at + size - 1].end :].lstrip(" ").startswith(":")
            if marked or (token.said.isupper() and len(phrase) > 1):
                section, until = listed[phrase], at + size
                before = text[text.rfind("\n", 0, token.start) + 1 : token.start]
                kept = section if marked and not before.strip(" -") else ""
                for own in tokens[at:until]:
                    own.rule = section
                break
        token.section = section
    return kept
