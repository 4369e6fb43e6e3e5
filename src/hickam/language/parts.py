"""The parts of a text that says several things: `tummy pain and vomiting`, `pale, HR 125`."""

from __future__ import annotations

import re

from hickam.language.wording import LONGEST, Wording, words_of

MOST_PARTS = 6
FINDINGS_IN_ING = "vomiting|wheezing|bleeding|swelling|itching|sweating|tingling|bruising|drooling"
DOING = rf"(?!{FINDINGS_IN_ING})\w+ing\s*(?:[,;]|$)"  # with coughing: when it is so
WITH = rf"with(?!\s+(?:{DOING}|(?:deep|any|every|the|it|them|exertion|meals|food)\b))"
LISTED = (
    rf"\s*[,;]\s*|(?<=\w)\.(?:\s+|$)|\s+(?:and|{WITH}|w/|plus|then|but|&|\+)\s+|(?<=\w)\s*/\s+"
    r"|(?<=[a-z]{3})/(?=[a-z]{3})|\s+(?=(?:without|no|nil|denies)\s)"
)
NUMBERED = r"(?<=\d)\s+(?=[^\W\d][\w-]*\s*[:=]?\s*\d)|\s+(?=[A-Z][A-Za-z]*\d?\s*[:=]?\s*\d)"
LISTED_FINDINGS = re.compile(f"{LISTED}|{NUMBERED}")
LISTED_DENIED = re.compile(rf"{LISTED}|\s+(?:or|nor)\s+|{NUMBERED}")
LISTED_RISKS = re.compile(rf"{LISTED}|\s+on\s+|:\s+")


def parts(text: str, wording: Wording, *, between: re.Pattern[str] = LISTED_FINDINGS) -> list[str]:
    """The things that a text lists; empty if it is one thing, or if they cannot stand alone.

    A complaint of some place cannot stand without it: in "itchy and sore eye" the itch is of the
    eye. In what is denied "or" lists too, and among risk factors "on" (RA on methotrexate).

    >>> from hickam.language.wording import general
    >>> parts("tummy pain and vomiting", general()), parts("itchy and sore eye", general())
    (['tummy pain', 'vomiting'], [])
    """
    found = [part for part in between.split(" ".join(text[:LONGEST].split())) if words_of(part)]
    if not 1 < len(found) <= MOST_PARTS:
        return []
    placed = [bool(wording.sites_in(words_of(part))) for part in found]
    for part, has_place in zip(found, placed, strict=True):
        if any(placed) and not has_place and wording.needs_place(part):
            return []
    return found
