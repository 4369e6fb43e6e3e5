"""A text without what is said about its head: `knee pain worse on stairs` is a knee pain."""

from __future__ import annotations

from collections.abc import Iterator

from hickam.language.wording import Wording, words_of

MOST_HEADS = 12  # shorter texts that are tried


def heads(text: str, wording: Wording) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(shorter text, words left out): without its last clauses, then without single words.

    What follows "worse", "when", "after" … goes first, from the end. What is left is a phrase whose
    last word is its head, so its first words go next, and only then its last: a fever blister is a
    blister before it is a fever. A head that loses whose it is ("mum had breast cancer") or that it
    is denied is not tried.

    >>> from hickam.language.wording import general
    >>> [head for head, _ in heads("knee pain worse on stairs", general())]
    ['knee pain worse', 'knee pain', 'pain', 'knee']
    """
    words = words_of(text)
    cuts = [at for at in range(len(words) - 1, 0, -1) if words[at] in wording.clauses]
    kept = words[: cuts[-1]] if cuts else words
    shorter = [words[:at] for at in cuts]
    if wording.parting.isdisjoint(kept):  # in "loss of hearing" the head is the loss
        shorter += [kept[at:] for at in range(1, len(kept))]
        shorter += [kept[:at] for at in range(len(kept) - 1, 0, -1)]
    found: set[tuple[str, ...]] = set()
    for phrase in shorter:
        says = any(word not in wording.fillers | wording.clauses for word in phrase)
        if not says or tuple(phrase) in found or len(found) >= MOST_HEADS:
            continue
        found.add(tuple(phrase))
        before, after = _around(words, phrase)
        turned = any((word,) in wording.negations for word in before)
        if not turned and wording.kept.isdisjoint(before + after):
            yield " ".join(phrase), before + after


def _around(words: list[str], phrase: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words before and after a phrase that is part of them."""
    start = next(at for at in range(len(words)) if words[at : at + len(phrase)] == phrase)
    return tuple(words[:start]), tuple(words[start + len(phrase) :])
