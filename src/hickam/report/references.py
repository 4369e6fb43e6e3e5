"""Where more can be read about an id: addresses that a person may follow, never fetched by us."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACES = {
    "OMIM": "https://omim.org/entry/{}",
    "ORPHA": "https://www.orpha.net/en/disease/detail/{}",
    "HP": "https://hpo.jax.org/browse/term/HP:{}",
    "MONDO": "https://monarchinitiative.org/MONDO:{}",
    "PMID": "https://pubmed.ncbi.nlm.nih.gov/{}/",
}
KNOWN = re.compile(r"([A-Z]+):(\d{1,12})")


def address_of(name: str) -> str:
    """The address of an id, or nothing if it is none that we know.

    >>> address_of("OMIM:154700"), address_of("ORPHA:558"), address_of("angina")
    ('https://omim.org/entry/154700', 'https://www.orpha.net/en/disease/detail/558', '')
    """
    found = KNOWN.fullmatch(name)
    place = PLACES.get(found[1]) if found else None
    return place.format(found[2]) if place and found else ""


def references(disease: str, synonyms: Iterable[str]) -> list[tuple[str, str]]:
    """(id, address) of a disease in every catalogue that it is known to be in.

    >>> references("OMIM:154700", ("ORPHA:558", "MFS1"))[1][0]
    'ORPHA:558'
    """
    listed = dict.fromkeys((disease, *synonyms))
    return [(name, address) for name in listed if (address := address_of(name))]
