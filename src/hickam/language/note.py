"""A text as spans that tile it: what it says is there, absent, past, … and what is not understood.

Every character is in one span. A reading is sure or it is none: what is only near is not read, and
its span says so, so that nothing is lost and nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from unicodedata import category

from hickam.issues import Issue, invalid
from hickam.language import context
from hickam.language.context import Token, rules, tokens_of
from hickam.language.demographics import durations, person_said, spoken_of
from hickam.language.lookup import SURENESS, How
from hickam.language.measured import beyond, observed, quantities
from hickam.language.vocabulary import Vocabulary, vocabularies
from hickam.language.wider import wider
from hickam.language.wording import SEVERAL, general, words_of
from hickam.model.described import Described

LONGEST_NOTE = 20_000  # characters of a note that is read
LONGEST = 8  # words of a phrase that is looked up, without those that say nothing
REACH = 12  # words with them


class Status(StrEnum):
    """What a stretch of a text says."""

    PRESENT = "present"
    ABSENT = "absent"
    RISK = "risk factor"
    READING = "reading"
    PAST = "past"
    SOMEONE = "someone else's"
    POSSIBLE = "possible"
    PERSON = "age or sex"
    DURATION = "duration"
    UNREAD = "not understood"
    NOTHING = ""  # punctuation, and words that are listed as saying nothing here


@dataclass(frozen=True, slots=True)
class Meant:
    """One thing of a network that a phrase means."""

    kind: str  # "finding", "risk factor", "disease" or "category"
    id: str
    there: bool = True
    entered: str = ""  # of a category: the value
    how: How = How.EXACT


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, what it says, and whether something that matters may be in it."""

    start: int
    end: int
    status: Status
    meant: tuple[Meant, ...] = ()
    left_out: tuple[str, ...] = ()  # words about it for which the network has nothing
    may_matter: bool = False  # not understood, and not of everyday words only


@dataclass(frozen=True, slots=True)
class Note:
    """A text with its spans, and who it is about."""

    text: str
    spans: tuple[Span, ...]
    age: float | None = None  # in years
    sex: str | None = None

    def of(self, *statuses: Status) -> list[Span]:
        """The spans with one of some statuses."""
        return [span for span in self.spans if span.status in statuses]

    def said(self, span: Span) -> str:
        """The words of a span."""
        return self.text[span.start : span.end]

    @property
    def lost(self) -> list[Span]:
        """What is not understood and may be a finding."""
        return [span for span in self.spans if span.may_matter]


@dataclass(slots=True)
class Match:
    """A phrase that means something: its words by their places, and what it means."""

    places: range
    meant: tuple[Meant, ...]
    status: Status = Status.PRESENT
    left_out: tuple[str, ...] = ()


def read_note(network: Described, text: str) -> Note:
    """The spans of a text.

    >>> import hickam
    >>> note = read_note(hickam.load("clinic"), "67f, headache ?tension. No fever")
    >>> [(note.said(span), str(span.status)) for span in note.spans if span.status]
    [('67f', 'age or sex'), ('headache', 'present'), ('tension', 'possible'), ('fever', 'absent')]
    """
    if len(text) > LONGEST_NOTE:
        what = f"has {len(text):,} characters, more than the {LONGEST_NOTE:,} that are read"
        raise invalid("the note", what, "give the part about this illness")
    measures = quantities(network, text)
    tokens = _joined(text, [(one.number, one.end) for one in measures if one.sure])
    unsure = [one for one in measures if not one.sure]
    spans = [Span(m.start, m.end, Status.UNREAD, may_matter=m.may_matter) for m in unsure]
    others = text
    for one in measures:
        others = others[: one.start] + "_" * (one.end - one.start) + others[one.end :]
    people = person_said(others)
    for found in people:
        spans.append(Span(found.start, found.end, Status.PERSON))
    for start, end in durations(others):
        if not any(start < span.end and span.start < end for span in spans):
            spans.append(Span(start, end, Status.DURATION))
    taken = [(span.start, span.end) for span in spans]
    free = [t for t in tokens if not any(start < t.end and t.start < end for start, end in taken)]
    for sentence in context.sentences(free):
        spans += _Reader(network, text, sentence).spans()
    spans += _symbols(text, [*taken, *((token.start, token.end) for token in tokens)])
    spans = _agreeing(_of_patient(spans, tokens))
    age = next((found.age for found in people if found.age is not None), None)
    sex = next((found.sex for found in people if found.sex), None) or spoken_of(text)
    return Note(text, tuple(_tiled(text, _apart(spans))), age, sex)


def _symbols(text: str, known: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The symbols that nothing reads, such as pictures: any of them may say something."""
    for found in re.finditer(r"[^\w\s°•●○■▪▫◦►▶™®©♀♂]+", text):
        start, end = found.span()
        strange = any(category(mark) in ("So", "Co", "Cn") for mark in found[0])
        if strange and not any(first < end and start < last for first, last in known):
            yield Span(start, end, Status.UNREAD, may_matter=True)


def _of_patient(spans: Sequence[Span], tokens: Sequence[Token]) -> list[Span]:
    """The spans, with what someone else has as not understood where that one may be the patient.

    That may be so in a note that begins with them, or that tells nothing of anyone else.
    """
    persons = rules()["someone else after"]
    begins = any(token.word in persons and not token.section for token in tokens[:3])
    told = any(span.meant and span.status in (Status.PRESENT, Status.READING) for span in spans)
    sections = [(t.start, t.end) for t in tokens if t.section == "someone else"]
    if told and not begins:
        return list(spans)
    return [
        replace(span, status=Status.UNREAD, may_matter=True)
        if span.status is Status.SOMEONE
        and not any(a < span.end and span.start < b for a, b in sections)
        else span
        for span in spans
    ]


def _agreeing(spans: Sequence[Span]) -> list[Span]:
    """The spans, with what is denied and said to be there as well as not understood."""
    there = {one.id for span in spans for one in span.meant if one.there}
    return [
        replace(span, status=Status.UNREAD, meant=(), may_matter=True)
        if span.status is Status.ABSENT and any(one.id in there for one in span.meant)
        else span
        for span in spans
    ]


def _joined(text: str, stretches: Sequence[tuple[int, int]]) -> list[Token]:
    """The words of a text, those of a number with its unit as one: no part of it is read alone."""
    found: list[Token] = []
    for token in tokens_of(text):
        whole = next((s for s in stretches if s[0] <= token.start < s[1]), None)
        if whole is None:
            found.append(token)
        elif token.start == whole[0]:
            found.append(replace(token, end=whole[1], said=text[slice(*whole)]))
    return found


def _tiled(text: str, spans: list[Span]) -> Iterator[Span]:
    """The spans in order, with what is between them."""
    end = 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.start > end:
            yield Span(end, span.start, Status.NOTHING)
        yield span
        end = span.end
    if end < len(text):
        yield Span(end, len(text), Status.NOTHING)


class _Reader:
    """Reads one sentence."""

    def __init__(self, network: Described, text: str, tokens: list[Token]) -> None:
        self.network, self.text, self.tokens = network, text, tokens
        self.words, self.wording = vocabularies(network), general()
        self.empty = self.wording.fillers | self.wording.light

    def spans(self) -> list[Span]:
        """The spans of the sentence; what is between them says nothing."""
        matches = self._matches()
        taken: dict[int, Match] = {}
        for match in matches:
            for place in match.places:
                taken.setdefault(place, match)
        found: list[Span] = []
        done: set[int] = set()
        for match in matches:
            group = [
                m
                for m in matches
                if m.places[0] <= match.places[-1] and match.places[0] <= m.places[-1]
            ]
            if id(match) in done:
                continue
            done.update(map(id, group))
            first = self.tokens[min(m.places[0] for m in group)]
            last = self.tokens[max(m.places[-1] for m in group)]
            meant = tuple(dict.fromkeys(one for m in group for one in m.meant))
            left = tuple(dict.fromkeys(word for m in group for word in m.left_out))
            status = group[0].status
            lost = status is Status.UNREAD
            meant = () if lost else meant
            found.append(Span(first.start, last.end, status, meant, left, may_matter=lost))
        found += self._unread(taken)
        return _apart(found)

    def _unread(self, taken: Mapping[int, Match]) -> list[Span]:
        """The stretches of words that no phrase takes and that say something."""
        found: list[Span] = []
        run: list[Token] = []
        for at, token in enumerate([*self.tokens, None]):
            inside = token is not None and at not in taken
            if run and (not inside or token is None or token.clause != run[-1].clause):
                while run and self._says_nothing(run[-1]):
                    run.pop()
                while run and self._says_nothing(run[0]):
                    run.pop(0)
                if run:
                    found.append(self._not_understood(run))
                run = []
            if inside and token is not None:
                run.append(token)
        return found

    def _not_understood(self, run: Sequence[Token]) -> Span:
        """The span of words that are not understood."""
        plain = rules()["plain"]
        words = [t.word for t in run if not self._says_nothing(t)]
        marks = {mark for token in run for mark in token.marks}
        status = Status.UNREAD
        clause = [token.word for token in self.tokens if token.clause == run[0].clause]
        denied = not marks.isdisjoint((context.ABSENT, context.UNSURE, context.OVER))
        denied = denied or not rules()["lost"].keys().isdisjoint(clause)
        may_matter = any(
            word not in plain
            and not word[0].isdigit()
            and (denied or not (len(word) > TINY and self.wording.sites_in([word])))
            for word in words
        ) or not rules()["matters"].keys().isdisjoint(words)
        for mark, of_mark in ASIDE.items():
            if mark in marks and not (may_matter and denied):
                status, may_matter = of_mark, False
        return Span(run[0].start, run[-1].end, status, may_matter=may_matter)

    def _says_nothing(self, token: Token) -> bool:
        """Whether a word is listed as one that says nothing here."""
        word = token.word
        return (
            bool(token.rule)
            or word in self.empty
            or word in self.wording.clauses
            or (word,) in self.wording.qualifiers
            or not any(map(str.isalnum, word))
            or word in context.AND
        )

    # what phrases mean

    def _matches(self) -> list[Match]:
        """The phrases that mean something, each in the status that rules give it."""
        found: list[Match] = []
        for places, meant, left_out in self._candidates():
            if any(not self._beside(places, match.places) for match in found):
                continue
            status = Status.PRESENT if meant else Status.UNREAD
            said = Match(places, meant, status, left_out)
            match = self._judged(said) if meant else said
            if match is not None:
                found.append(match)
        found += self._shared(found)
        found += self._wider({at for match in found for at in match.places})
        return sorted(found, key=lambda match: match.places[0])

    def _shared(self, found: Sequence[Match]) -> list[Match]:
        """Phrases that share a word with the one that they are listed with: anal or back pain."""
        taken = {at for match in found for at in match.places}
        more: list[Match] = []
        for match in found:
            first, last = match.places[0], match.places[-1]
            before = self._run(first - 2, -1, taken)
            while before and self._aside(self.tokens[before[0]]):
                before.pop(0)
            after = self._run(last + 2, 1, taken)
            ways = []
            if before and self.tokens[first - 1].word in context.AND:
                ways.append((before, [*before, last]))
            if after and self.tokens[last + 1].word in context.AND:
                ways.append((after, [first, *after]))
            for own, places in ways if len(match.places) > 1 else ():
                said = " ".join(self.tokens[at].said for at in places)
                denied = context.ABSENT in self.tokens[own[0]].marks
                meant = _means(self.network, said, denied=denied)
                one = self._judged(Match(range(own[0], own[-1] + 1), meant)) if meant else None
                if one is not None and taken.isdisjoint(own):
                    more.append(one)
                    taken.update(own)
        return more

    def _wider(self, taken: AbstractSet[int]) -> Iterator[Match]:
        """A short clause that is a kind of one finding, where nothing in it is read otherwise."""
        clauses: dict[int, list[int]] = {}
        for at, token in enumerate(self.tokens):
            clauses.setdefault(token.clause, []).append(at)
        for places in clauses.values():
            run = [self.tokens[at] for at in places]
            told = any(token.rule or token.marks or token.section for token in run)
            if told or len(run) > SHORT or not taken.isdisjoint(places):
                continue
            match = wider(self.network, self.text[run[0].start : run[-1].end])
            if match is not None:
                meant = (Meant("finding", match.id, how=How.BROADER),)
                yield Match(range(places[0], places[-1] + 1), meant, left_out=match.left_out)

    def _run(self, at: int, step: int, taken: AbstractSet[int]) -> list[int]:
        """The places of words that are not read, from one on in a direction, in their order."""
        found: list[int] = []
        while 0 <= at < len(self.tokens) and at not in taken and len(found) < MOST_SHARED:
            token = self.tokens[at]
            if token.rule or token.word in context.AND or not self._known(token.word):
                break
            if token.clause != self.tokens[at - step].clause:
                break
            found.append(at)
            at += step
        return sorted(found)

    def _beside(self, places: range, others: range) -> bool:
        """Whether a phrase says something besides one that is read already.

        Two may share a word where more than a noun stands in both: chest pain radiating to the arm.
        """
        shared = range(max(places[0], others[0]), min(places[-1], others[-1]) + 1)
        if not shared:
            return True
        if shared == places and places[0] == others[0]:  # pain, in a pain that goes somewhere
            return self._goes_on(places[-1] + 1)
        return shared not in (places, others) and self._goes_on(shared[-1] + 1)

    def _goes_on(self, at: int) -> bool:
        """Whether a word says more about the one before it: radiating, on, after."""
        word = self.tokens[at].word if at < len(self.tokens) else ""
        return word in self.wording.clauses or word.endswith("ing")

    def _candidates(self) -> list[tuple[range, tuple[Meant, ...], tuple[str, ...]]]:
        """The phrases that mean something, readings and then the longest first."""
        found: list[tuple[int, int, range, tuple[Meant, ...], tuple[str, ...]]] = []
        size = len(self.tokens)
        for start in range(size):
            if self._opens_nothing(self.tokens[start]):
                continue
            for stop in range(min(size, start + REACH), start, -1):
                run = self.tokens[start:stop]
                if run[-1].clause != run[0].clause or self._opens_nothing(run[-1]):
                    continue
                if any(token.said == "?" for token in run):
                    continue
                says = sum(not self._says_nothing(token) or bool(token.rule) for token in run)
                if says > LONGEST:
                    continue
                for meant, left_out in self._phrase(run):
                    measured = any(one.kind == "category" for one in meant)
                    said = says - len(left_out)
                    found.append((-measured, -said, range(start, stop), meant, left_out))
        found.sort(key=lambda one: (one[0], one[1], len(one[2]), -one[2][0]))
        return [(places, meant, left_out) for *_, places, meant, left_out in found]

    def _opens_nothing(self, token: Token) -> bool:
        """Whether no phrase begins or ends with a word."""
        word = token.word
        if word in self.wording.fillers or word in context.AND or not any(map(str.isalnum, word)):
            return True
        return not (word[0].isdigit() or bool(token.rule) or self._known(word))

    def _known(self, word: str) -> bool:
        """Whether any name or the word list has a word."""
        return _knows(self.network, word)

    def _phrase(self, run: Sequence[Token]) -> Iterator[tuple[tuple[Meant, ...], tuple[str, ...]]]:
        """What the words of a phrase mean, as they stand or without their qualifiers."""
        text = self.text[run[0].start : run[-1].end]
        across = any(
            t.word in context.AND or (t.rule == context.ABSENT and not t.marks) for t in run
        )
        meant = _means(self.network, text, denied=context.ABSENT in run[0].marks)
        if across and self._each_means(run):
            return
        if across and not self.wording.as_written(text):
            meant = tuple(one for one in meant if one.how in NAMED or not one.there)
        if meant and all(one.how not in NAMED for one in meant) and self._side_by_side(run):
            return
        if meant:
            yield meant, ()
            return
        if self.wording.either(text):
            yield (), ()  # it may mean several things: no part of it is read
            return
        kept = [t for t in run if not self._aside(t)]
        inner = len(kept) < len(run) and kept and kept[0] is run[0] and kept[-1] is run[-1]
        if inner and not across:
            meant = _means(self.network, " ".join(t.said for t in kept))
            if meant:
                yield meant, tuple(t.said for t in run if t not in kept)

    def _each_means(self, run: Sequence[Token]) -> bool:
        """Whether every part of a list means something by itself."""
        parts: list[list[str]] = [[]]
        for token in run:
            if token.word in context.AND:
                parts.append([])
            else:
                parts[-1].append(token.said)
        return len(parts) > 1 and all(_means(self.network, " ".join(part)) for part in parts)

    def _side_by_side(self, run: Sequence[Token]) -> bool:
        """Whether a phrase is two names with nothing between them: chest pain cough."""
        if self.wording.as_written(self.text[run[0].start : run[-1].end]):
            return False
        for at in range(1, len(run)):
            parts = run[:at], run[at:]
            if not any(self._says_nothing(part[end]) for part in parts for end in (0, -1)):
                said = (self.text[part[0].start : part[-1].end] for part in parts)
                if all(any(o.how in NAMED for o in _means(self.network, one)) for one in said):
                    return True
        return False

    def _aside(self, token: Token) -> bool:
        """Whether a word within a phrase may be left out of it: how bad, which side."""
        return (token.word,) in self.wording.qualifiers and token.word not in self.wording.clauses

    # what the words around them say

    def _judged(self, match: Match) -> Match | None:
        """A phrase in the status that the words around it give it; None where it is not sure."""
        own = (self.tokens[match.places[0]].start, self.tokens[match.places[-1]].end)
        whole = self.wording.as_written(self.text[slice(*own)])
        marks = {
            mark
            for at in match.places
            for mark, (start, end) in self.tokens[at].marks.items()
            if not (own[0] <= start and end <= own[1]) or (mark == context.WHEN and not whole)
        }
        section = self.tokens[match.places[0]].section
        over = (context.PAST, context.OVER)
        if all(self.tokens[at].rule in over for at in match.places):
            return None  # it says of something else that it is over
        if context.UNSURE in marks:
            return None
        if context.OVER in marks and context.ABSENT not in marks:
            return replace(match, status=Status.PAST, meant=())
        if context.POSSIBLE in marks or section == "possible":
            return replace(match, status=Status.POSSIBLE, meant=())
        if context.SOMEONE in marks or section == "someone else":
            return self._of_family(match, absent=context.ABSENT in marks)
        if context.ABSENT in marks:
            return self._denied(match)
        if context.WHEN in marks:
            return None
        if context.PAST in marks or section == "past":
            return self._past(match)
        if any(one.kind == "category" for one in match.meant):
            return replace(match, status=Status.READING)
        chosen = self._chosen(match.meant, risks_first=section == "risk")
        if not chosen:
            return replace(match, status=Status.POSSIBLE, meant=())
        if all(not one.there for one in chosen):
            return replace(match, status=Status.ABSENT, meant=chosen)
        if chosen[0].kind == "risk factor":
            known = any(one.kind == "disease" for one in match.meant) and not section
            before = self.network.label(chosen[0].id).startswith("Previous")
            if known and before:  # a stroke that is not said to be of before is one of today
                return replace(match, status=Status.POSSIBLE, meant=())
            return replace(match, status=Status.RISK, meant=chosen)
        if self._elsewhere(match, chosen):
            return None
        return replace(match, meant=chosen, left_out=(*match.left_out, *self._around(match)))

    def _chosen(self, meant: Sequence[Meant], *, risks_first: bool) -> tuple[Meant, ...]:
        """Of what a phrase means in several layers, what is meant by it here."""
        by_kind: dict[str, list[Meant]] = {}
        for one in meant:
            by_kind.setdefault(one.kind, []).append(one)
        named = any(one.how in NAMED for one in by_kind.get("disease", []))
        findings = [  # what is called as a disease is here is no finding that goes with it
            one
            for one in by_kind.get("finding", [])
            if not (named and one.how in (How.FORM, How.MEANING))
        ]
        risks = by_kind.get("risk factor", [])
        if findings and risks:
            nearer = SURENESS[risks[0].how] - SURENESS[findings[0].how]
            known = nearer < 0 or (nearer == 0 and "disease" in by_kind)
            return tuple(risks if risks_first or known else findings)
        return tuple(findings or risks)

    def _past(self, match: Match) -> Match:
        """What was: a risk factor if the network has one for it."""
        risks = tuple(one for one in match.meant if one.kind == "risk factor")
        if not risks:
            risks = self._risk(f"{how} {self._said(match)}" for how in ("previous", "recent"))
        if risks:
            return replace(match, status=Status.RISK, meant=risks)
        return replace(match, status=Status.PAST, meant=())

    def _of_family(self, match: Match, *, absent: bool) -> Match:
        """What someone else has: a risk factor of the patient if the network has one for it."""
        said = self._said(match)
        names = [said, *self.wording.broader(said)]
        for one in match.meant:
            called = self.network.label(one.id) if one.kind != "category" else ""
            names.append(called.casefold().removeprefix("known ").removeprefix("previous "))
        forms = (f"{start}{name}{end}" for name in names for start, end in FAMILY if name)
        risks = () if absent else self._risk(forms)
        if risks:
            return replace(match, status=Status.RISK, meant=risks)
        return replace(match, status=Status.SOMEONE, meant=())

    def _said(self, match: Match) -> str:
        """The words of a phrase."""
        return " ".join(self.tokens[at].said for at in match.places)

    def _risk(self, forms: Iterable[str]) -> tuple[Meant, ...]:
        """The risk factor that the first of some texts to mean one means."""
        risks = self.words["risk factor"]
        found = (risks.lookup.surest(form) for form in forms)
        hits = next((hits for hits in found if len(hits) == 1), [])
        return tuple(Meant("risk factor", risks.ids[hit.position], how=hit.how) for hit in hits)

    def _denied(self, match: Match) -> Match | None:
        """What is not there; None where only a kind of it is denied."""
        if match.left_out or self._narrowed(match):
            return None
        meant = match.meant
        numbered = any(self.tokens[at].word[0].isdigit() for at in match.places)
        if numbered or any(not one.there or one.kind == "category" for one in meant):
            return None  # not normal, no fever of 39
        chosen = self._chosen(meant, risks_first=False)
        if not chosen or any(one.how is How.BROADER for one in chosen):
            kinds = self._kinds(match)
            if kinds:
                return replace(match, status=Status.ABSENT, meant=kinds)
            return replace(match, status=Status.ABSENT, meant=())
        rules_out = {
            self.text[slice(*t.marks.get(context.ABSENT, (0, 0)))] for t in self._own(match)
        }
        if chosen[0].kind == "risk factor" and RULED_OUT & {said.casefold() for said in rules_out}:
            return replace(match, status=Status.ABSENT, meant=())  # it is not so today
        there = tuple(replace(one, there=False) for one in chosen)
        return replace(match, status=Status.ABSENT, meant=there)

    def _own(self, match: Match) -> list[Token]:
        """The words of a phrase, as tokens."""
        return [self.tokens[at] for at in match.places]

    def _kinds(self, match: Match) -> tuple[Meant, ...]:
        """All that are kinds of what is denied."""
        return tuple(one for one in match.meant if one.how is How.EITHER)

    def _narrowed(self, match: Match) -> bool:
        """Whether words around a phrase say more about it than when."""
        for token in (*self._before(match), *self._after(match)):
            if not (token.rule or token.word in rules()["says little"] or token.word in self.empty):
                return True
        return False

    def _before(self, match: Match) -> list[Token]:
        """The words before a phrase that are about it."""
        found: list[Token] = []
        for at in range(match.places[0] - 1, -1, -1):
            token = self.tokens[at]
            if token.clause != self.tokens[match.places[0]].clause or token.word in context.AND:
                break
            if token.rule:
                break
            found.insert(0, token)
        return found

    def _after(self, match: Match) -> list[Token]:
        """The words after a phrase that are about it."""
        found: list[Token] = []
        for token in self.tokens[match.places[-1] + 1 :]:
            if token.clause != self.tokens[match.places[0]].clause or token.word in context.AND:
                break
            if (token.rule and context.ABSENT not in token.marks) or token.word in rules()["ends"]:
                break
            found.append(token)
        return found

    def _around(self, match: Match) -> tuple[str, ...]:
        """The words around a phrase that say more about it: how bad, which side, what kind."""
        found = list[str]()
        for token in reversed(self._before(match)):
            if self._known(token.word) and (token.word,) not in self.wording.qualifiers:
                break
            if token.word not in self.empty:
                found.insert(0, token.said)
        behind = (t.said for t in self._after(match) if (t.word,) in self.wording.qualifiers)
        return (*found, *behind)

    def _elsewhere(self, match: Match, chosen: Sequence[Meant]) -> bool:
        """Whether the words around a phrase name another part of the body than what it means."""
        around = [t.word for t in (*self._before(match), *self._after(match))]
        place = self.wording.sites_in(around) if around else frozenset()
        if not place:
            return False
        for one in chosen:
            own = self.wording.sites_in(words_of(self.network.label(one.id)))
            if own and not self.wording.same_place(place, own):
                return True
        return False


SHORT = 6  # words of a clause that may be a kind of one finding
TINY = 2  # letters of a word that may be an abbreviation of anything
RULED_OUT = {"ruled out", "excluded", "rules out", "ruled out for"}
MOST_SHARED = 3  # words that share the word of another phrase
KINDS = ("finding", "risk factor")
NAMED = (How.EXACT, How.SYNONYM)
FAMILY = (("family history of ", ""), ("", " in the family"))
ASIDE = {
    context.WHEN: Status.UNREAD,
    context.PAST: Status.PAST,
    context.OVER: Status.PAST,
    context.SOMEONE: Status.SOMEONE,
    context.POSSIBLE: Status.POSSIBLE,
}


def _apart(spans: list[Span]) -> list[Span]:
    """Spans in order that do not overlap: the earlier keeps what two share."""
    found: list[Span] = []
    end = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        start = max(span.start, end)
        if start < span.end:
            found.append(replace(span, start=start))
            end = span.end
    return found


@lru_cache(maxsize=1 << 15)
def _knows(network: Described, word: str) -> bool:
    """Whether any layer has a word, in any form, or the word list."""
    return any(words.lookup.knows(word) for words in vocabularies(network).values())


@lru_cache(maxsize=1 << 15)
def _means(network: Described, text: str, *, denied: bool = False) -> tuple[Meant, ...]:
    """All that a phrase means for sure, in any layer; what it says is not there is not `there`.

    What is `denied` may be a word that alone says too little, and all kinds of what it means.
    """
    words, wording = vocabularies(network), general()
    numbered = any(map(str.isdigit, text))
    if numbered and (value := observed(network, text)) is not None:
        return (Meant("category", value.category.id, entered=value.entered, how=How.MEASURED),)
    for kind in KINDS if numbered else ():
        limit = beyond(words[kind], text)
        if limit is not None:
            return (Meant(kind, words[kind].ids[limit[0]], there=limit[1], how=How.MEASURED),)
    found = [
        one for kind in (*KINDS, "disease") for one in _surest(words[kind], text, denied=denied)
    ]
    if found and {one.kind for one in found} == {"disease"}:
        known = words["risk factor"].find(text, hint=False)  # that the patient is known to have
        if not isinstance(known, Issue):
            found.append(Meant("risk factor", words["risk factor"].ids[known], how=How.MEANING))
        else:
            wide = wording.broader(text)
            found += [one for each in wide[:1] for one in _surest(words["risk factor"], each)]
    if found:
        return tuple(found)
    if not numbered and not wording.asked(text) and (value := observed(network, text)) is not None:
        return (Meant("category", value.category.id, entered=value.entered, how=How.MEASURED),)
    denials = wording.denied(text) if wording.is_denial(text) else ""
    for absent in filter(None, (denials, wording.denied_within(text), *wording.unusual(text))):
        for kind in KINDS if absent == denials else KINDS[:1]:
            one = _surest(words[kind], absent)
            if len(one) == 1:
                return (replace(one[0], there=False),)
    kinds = wording.kinds(text) if denied else ()
    found = [
        replace(one, how=How.EITHER) for each in kinds for one in _surest(words["finding"], each)
    ]
    vague = wording.only_word(words_of(text)) and not wording.as_written(text)
    asked = vague or wording.asked(text) or wording.either(text)
    broader = [] if asked else wording.broader(text)
    for kind in KINDS if len(broader) == 1 and not found else ():
        one = _surest(words[kind], broader[0])
        if len(one) == 1:
            return (replace(one[0], how=How.BROADER),)
    return tuple(found)


def _surest(words: Vocabulary, text: str, *, denied: bool = False) -> list[Meant]:
    """The entries of a layer that a text means, in the surest way in which it means any."""
    hits = [] if general().only_qualifies(text) else words.lookup.surest(text)
    if len(hits) > 1 and SEVERAL.isdisjoint(text):
        return []
    if general().asked(text):
        several = len(general().abbreviations.get(text.casefold(), ())) > 1
        asked = denied and not several
        told = [hit for hit in words.lookup.best(text) if hit.how is How.EITHER] if asked else []
        told = hits or list({hit.position: hit for hit in told}.values())
        hits = told if denied and len(told) == 1 else [h for h in hits if h.how is How.EXACT]
    return [Meant(words.kind, words.ids[hit.position], how=hit.how) for hit in hits]
