"""Numbers and sentences as people read them: one way to write each."""

from __future__ import annotations

import math
import re

FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # how a cell begins that a spreadsheet may compute
NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")


def percent(chance: float) -> str:
    """A probability for a person; one that is neither 0 nor 1 never looks as if it were.

    >>> percent(0.0), percent(0.0004), percent(0.0123), percent(0.4567), percent(0.9996)
    ('0 %', '< 0.1 %', '1.2 %', '46 %', '> 99.9 %')
    """
    if 0.0 < chance < 0.001:
        return "< 0.1 %"
    if 0.999 < chance < 1.0:
        return "> 99.9 %"
    digits = 1 if 0.0 < chance < 0.0995 or 0.995 <= chance < 1.0 else 0
    return f"{100 * chance:.{digits}f} %"


def chance(value: float) -> str:
    """A number of the network for a person: two digits, however small it is.

    >>> chance(0.0012), chance(0.04), chance(0.6), chance(0.9999)
    ('0.12 %', '4 %', '60 %', '> 99.9 %')
    """
    return percent(value) if value >= 0.0995 else f"{two_digits(100.0 * value)} %"


def number(value: float) -> str:
    """An expected number of findings for a person.

    >>> number(0.0), number(0.004), number(1.234)
    ('0', '< 0.01', '1.23')
    """
    if value == 0.0:
        return "0"
    return "< 0.01" if value < 0.01 else f"{value:.2f}"


def factor(value: float) -> str:
    """A factor on odds for a person.

    >>> factor(0.25), factor(12.4), factor(float("inf")), factor(0.0)
    ('÷ 4', '× 12', 'certain', 'ruled out')
    """
    if value == math.inf:
        return "certain"
    if value == 0.0:
        return "ruled out"
    return f"× {two_digits(value)}" if value >= 1.0 else f"÷ {two_digits(1.0 / value)}"


def two_digits(value: float) -> str:
    """Two significant digits, written out rather than with an exponent where that is short.

    >>> two_digits(0.0712), two_digits(219.6), two_digits(15714.3), two_digits(3e-7)
    ('0.071', '220', '16,000', '3e-07')
    """
    if not 100.0 <= value < 1e9:
        return f"{value:.2g}"
    return f"{float(f'{value:.1e}'):,.0f}"


def counted(count: int, what: str) -> str:
    """A number of things, with the plural where it belongs.

    >>> counted(1, "finding"), counted(0, "disease"), counted(8399, "disease")
    ('1 finding', '0 diseases', '8,399 diseases')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def capital(words: str) -> str:
    """Words with a large first letter; the others stay as they are.

    >>> capital("finding 'CRP' is unknown")
    "Finding 'CRP' is unknown"
    """
    return words[:1].upper() + words[1:]


def sentence(words: str) -> str:
    """Words as a sentence of their own.

    >>> sentence("write a number"), sentence("did you mean 'fever'?")
    ('Write a number.', "Did you mean 'fever'?")
    """
    return capital(words) + ("" if words.endswith((".", "?", "!", "…")) else ".")


def finite(value: float | None) -> float | None:
    """The value, or None where JSON has no number for it.

    >>> finite(0.5), finite(float("inf")), finite(None)
    (0.5, None, None)
    """
    return value if value is not None and math.isfinite(value) else None


def guarded(cell: str) -> str:
    """A cell of a table that no spreadsheet takes for a formula: with an apostrophe before it.

    >>> guarded("=1+1"), guarded("-0.5"), guarded("don't")
    ("'=1+1", '-0.5', "don't")
    """
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def unguarded(cell: str) -> str:
    """The cell as it was before `guarded`.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
