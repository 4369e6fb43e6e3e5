"""What a text among the risk factors says where it is no name: `naproxen for knee`, `BMI 34`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hickam.issues import Issue, Kind
from hickam.language.measured import beyond
from hickam.language.parts import LISTED_RISKS, parts
from hickam.language.vocabulary import Vocabulary
from hickam.language.wording import general, words_of
from hickam.model.described import Described

OVER = frozenset(  # it is no longer so, or it may not be
    (
        *("ex", "former", "formerly", "stopped", "quit", "until", "gave", "used"),
        *("never", "not", "no", "nil", "denies", "declined", "refuses", "allergic", "allergy"),
    )
)
AFTER = frozenset(  # begins what is said about it
    ("for", "since", "in", "on", "with", "at", "after", "from", "by", "last", "this", "like", "as")
)


BEFORE = frozenset(  # begins what is taken or had
    (
        *("takes", "taking", "took", "on", "uses", "using", "pops", "finished", "completed"),
        *("started", "just", "recently", "mostly", "regularly", "has", "indwelling", "kid"),
    )
)


def risks_said(
    network: Described, words: Mapping[str, Vocabulary], text: str
) -> tuple[dict[str, bool], list[str]]:
    """Risk factor → whether it is so, and sentences that tell, if a text says any for sure.

    What follows "for", "since", "in" … is left out, and so are severity and time, unless the text
    speaks of someone else or of what is over. A disease may be a kind of one: breast cancer is an
    active cancer. Of a list each part is one.

    >>> import hickam
    >>> from hickam.language.vocabulary import vocabularies
    >>> network = hickam.load("clinic")
    >>> risks_said(network, vocabularies(network), "pregnant with twins")
    ({'pregnant': True}, ["'pregnant with twins' is read as Pregnant, without “with twins”"])
    """
    risks = words["risk factor"]
    found = risks.find(text, hint=False)
    if not isinstance(found, Issue) or found.kind is not Kind.UNKNOWN_NAME:
        return {}, []
    listed = _listed(network, risks, text)
    if listed is not None and not listed[2]:
        return listed[0], listed[1]
    one = _one(risks, text)
    if one is not None:
        position, there, how = one
        return {risks.ids[position]: there}, [_sentence(network, risks, text, position, how)]
    if listed is None:
        return {}, []
    told, sentences, unheard = listed
    lost = ", ".join(f"“{part}”" for part in unheard)
    return told, [*sentences, f"of '{text}' {lost} is left out"]


def _listed(
    network: Described, risks: Vocabulary, text: str
) -> tuple[dict[str, bool], list[str], list[str]] | None:
    """What the parts of a text say, sentences, and the parts that say nothing; None if all do."""
    if general().speaks_of_others(words_of(text)):
        return None
    told: dict[str, bool] = {}
    sentences: list[str] = []
    unheard: list[str] = []
    for part in parts(text, general(), between=LISTED_RISKS):
        place = risks.find(part, hint=False)
        one = (place, True, "") if isinstance(place, int) else _one(risks, part)
        if one is None or told.get(risks.ids[one[0]], one[1]) != one[1]:
            unheard.append(part)
            continue
        told[risks.ids[one[0]]] = one[1]
        sentences.append(_sentence(network, risks, part, one[0], one[2]))
    return (told, sentences, unheard) if told else None


def _sentence(network: Described, risks: Vocabulary, text: str, position: int, how: str) -> str:
    """What a text was taken for."""
    return f"'{text}' is read as {network.label(risks.ids[position])}{how}"


def _one(risks: Vocabulary, text: str) -> tuple[int, bool, str] | None:
    """(position, whether it is so, what is said about the match) of the one that a text says."""
    wording = general()
    limit = beyond(risks, text)
    if limit is not None:
        return *limit, "" if limit[1] else ", which is not so"
    denied = wording.denied(text)
    if denied:
        position = risks.find(denied, hint=False)
        return None if isinstance(position, Issue) else (position, False, ", which is not so")
    said = words_of(text)
    if not OVER.isdisjoint(said):
        return None
    for shorter, left_out in ((text, ""), *_shorter(text)):
        if wording.speaks_of_others(words_of(left_out)):
            continue
        without = f", without “{left_out}”" if left_out else ""
        position = risks.find(shorter, hint=False)
        if isinstance(position, int):
            return position, True, without
        for kind in wording.broader(shorter):
            position = risks.find(kind, hint=False)
            if isinstance(position, int):
                return position, True, f", more general{without}"
    return None


def _shorter(text: str) -> Iterator[tuple[str, str]]:
    """(what is left, what is left out) of a text without what is said about it."""
    wording = general()
    words = words_of(text)
    numbers = [word for word in words if word[0].isdigit()]
    if 0 < len(numbers) < len(words):  # 50 pack years
        yield " ".join(word for word in words if word not in numbers), " ".join(numbers)
    while len(words) > 1 and words[0] in BEFORE:
        words = words[1:]
        yield " ".join(words), " ".join(words_of(text)[: -len(words)])
    first = " ".join(words_of(text)[: -len(words)])
    for end in range(len(words), 0, -1):
        if end < len(words) and words[end] not in AFTER:
            continue
        marks = wording.aside(words[:end], wording.qualifiers)
        kept = [word for word, aside in zip(words[:end], marks, strict=True) if not aside]
        left = [word for word, aside in zip(words[:end], marks, strict=True) if aside]
        if kept and len(kept) < len(words):
            yield " ".join(kept), " ".join([*first.split(), *left, *words[end:]])
