"""How the words of a case were read, where they are no names of the network."""

from __future__ import annotations

from hickam.evidence.case import Case
from hickam.issues import Issue
from hickam.language.fold import fold
from hickam.language.vocabulary import Vocabulary, vocabularies
from hickam.model.described import Described


def readings(case: Case, network: Described) -> list[str]:
    """Sentences that say what each word of a case was taken for, unless it is the name or id."""
    words = vocabularies(network)
    said = [
        reading_of(words[kind], network, name)
        for kind, names in (
            ("finding", (*case.present, *case.absent)),
            ("risk factor", case.risks),
            ("disease", case.likelihoods),
        )
        for name in names
    ]
    return list(dict.fromkeys(sentence for sentence in said if sentence))


def reading_of(words: Vocabulary, network: Described, name: str) -> str:
    """What a word was taken for; empty if it is the name or id, or means nothing here."""
    found = words.find(name, hint=False)
    if isinstance(found, Issue):
        return ""
    node = words.ids[found]
    entry = network.entries.get(node)
    label = entry.name if entry is not None else _category_name(network, node)
    return "" if fold(name) in (fold(label), fold(node)) else f"'{name}' is read as {label}"


def _category_name(network: Described, node: str) -> str:
    """The name of a categorical observation, which is no node."""
    return next(category.name for category in network.categories if category.id == node)
