"""Notes as doctors jot them down, with their signs in words: `↓AE L base`, `#NOF`, `SOB++ x3/7`."""

from __future__ import annotations

import re

LONGEST = 200  # characters of a text that are read
MASS = (
    r"(?:about |over |nearly |almost |some |~ ?)?(?:half )?"
    r"(?:an? |\d+(?:\.\d+)?\s?|(?:two|three|four|five|ten) )"
    r"(?:kgs?|kilos?|lbs?|pounds?|stones?|st)\b"
)
SIGNS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"[↑⇑▲]+", " raised "),
        (r"[↓⇓▼]+", " reduced "),
        (r"→", " to "),
        (r"\s>\s?(?=(?:[LR]|left|right)\b)", " bigger than "),
        (r"(?<=\S)[\s(]+\?+\s?\w[^,;.&\n]*", " "),  # what is suspected: central CP ?cardiac
        (r"#(?=\s?[^\W\d])", " fracture "),  # a number sign before a word
        (r"\+{2,}|\+(?=\s|$)(?<=\w\+)", " "),  # how much: photophobia ++, oedema+
        (r"\s\+(?=\s*$|\s+(?:at|on|in|to|for)\s)", " positive "),  # Tinel + at wrist
        (r"(?<=\s)\+(?=\s)", " and "),
        (r"(?i)\bG\d+\s?P\d+\w*\s+(?:at|now)\s+\d+\s?w(?:ee)?ks?\b", " pregnant "),
        (r"(?<![\w/&+'’])\(?L\)?(?![\w/&+'’])", " left "),
        (r"(?<![\w/&+'’])\(?R\)?(?![\w/&+'’])", " right "),
        (r"(?i)\b[rl]hs\b", " side "),
        (r"(?i)\bw/(?=\s|\w)(?!\w/)(?!o\b)", " with "),
        (rf"(?i)\b(?:lost|losing|loss of|dropped|shed)\s+{MASS}", " weight loss "),
        (rf"(?i)\b(?:gained|put on|gain of)\s+{MASS}", " weight gain "),
        (r"(?i)\b(\d{1,2})\s?/\s?40\b(?!\s?preg)", r" \1 weeks pregnant "),
        (r"(?i)\bx\s?(?=\d)", " "),  # x3/7, x 2
        (r"(?i)\b\d{1,3}\s?(?:yo|y/o|yrs? old|year old)\b(?:\s?[mf]\b)?", " "),
    )
)


def written_out(text: str) -> str:
    """A text with the signs of notes written out as words.

    >>> written_out("↓ AE (R) base").split()
    ['reduced', 'AE', 'right', 'base']
    >>> written_out("photophobia ++ x3/7").split()
    ['photophobia', '3/7']
    """
    found = " ".join(text[:LONGEST].split())
    for sign, plain in SIGNS:
        found = sign.sub(plain, found)
    return found if found.strip() else text
