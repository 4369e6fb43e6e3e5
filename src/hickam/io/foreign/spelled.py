"""Names as other programs accept them: letters, digits and underscores, no two alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

NOT_AN_ID = re.compile(r"\W", re.ASCII)


def spelled(names: Iterable[str], *, digit_first: bool = False) -> dict[str, str]:
    """Name → an id of letters, digits and underscores; no two alike.

    >>> spelled(["chest pain", "chest-pain", "2nd"])
    {'chest pain': 'chest_pain', 'chest-pain': 'chest_pain_2', '2nd': '_2nd'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = NOT_AN_ID.sub("_", name) or "_"
        plain = plain if digit_first or not plain[0].isdigit() else f"_{plain}"
        chosen, number = plain, 2
        while chosen in taken:
            chosen, number = f"{plain}_{number}", number + 1
        taken.add(chosen)
        found[name] = chosen
    return found
