"""A present finding in words that say more than the network does: the wider one, and said so.

Who has a temporal headache has a headache. Who has no temporal headache may have another one, so
that this is for what is present only.
"""

from __future__ import annotations

from hickam.language.lookup import How
from hickam.language.search import Match, search
from hickam.model.described import Described
from hickam.model.is_a import kinds_of

WIDER = (How.QUALIFIED, How.BROADER)


def wider(network: Described, name: str) -> Match | None:
    """The one finding that a text is a kind of, where the network has nothing as narrow.

    >>> import hickam
    >>> found = wider(hickam.load("clinic"), "severe temporal headache")
    >>> found.name, found.said
    ('Headache', 'without “severe”, “temporal”')
    """
    found = search(network, name, ("finding",))
    alike = [match for match in found if match.how is found[0].how]
    if not alike or alike[0].how not in WIDER or alike[0].negated:
        return None
    if len(alike) > 1:  # what all the others are kinds of, if one is
        index = network.index
        widest = kinds_of(network).widest(index[match.id] for match in alike)
        alike = [match for match in alike if index[match.id] in widest]
    return alike[0] if len(alike) == 1 else None


def in_words(name: str, match: Match) -> str:
    """What a text was taken for, and what of it is lost."""
    return f"'{name}' is read as {match.name}, {match.said}"
