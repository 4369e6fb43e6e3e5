"""Numbers as a person reads them."""

from __future__ import annotations


def two_digits(value: float) -> str:
    """Two significant digits, written out rather than with an exponent where that is short.

    >>> two_digits(0.0712), two_digits(219.6), two_digits(15714.3), two_digits(3e-7)
    ('0.071', '220', '16,000', '3e-07')
    """
    if not 100.0 <= value < 1e9:
        return f"{value:.2g}"
    return f"{float(f'{value:.1e}'):,.0f}"
