"""The tornado as one SVG picture, legible on a phone and in the dark."""

from __future__ import annotations

import textwrap

from hickam.report.sensitivity import Bar, bars, sentences, title
from hickam.report.svg import SIDE, WIDTH, box, document, text
from hickam.trust.sensitivity import Sensitivity
from hickam.words import two_digits

NUMBERS = 44.0  # columns for the scores at both ends of a bar
ROW = 40.0
THICK = 11.0
LETTERS = 60  # of a line
NAME = 42  # letters of a number's name


def tornado_svg(found: Sensitivity, top: int) -> str:
    """The picture as one self-contained document."""
    shown = bars(found, top)
    head = textwrap.wrap(title(found), 46, break_on_hyphens=False)
    foot = [
        line
        for sentence in sentences(found)
        for line in textwrap.wrap(sentence, LETTERS, break_on_hyphens=False)
    ]
    above = 42.0 + 17.0 * len(head)
    below = above + ROW * len(shown)
    by = two_digits(found.factor)
    parts = [text(SIDE, 24.0 + 17.0 * place, line, "head") for place, line in enumerate(head)]
    key = above - 12.0
    parts.append(box("less", SIDE, key - 9.0, 12.0, 10.0))
    parts.append(text(SIDE + 17.0, key, f"odds ÷ {by}", "soft"))
    parts.append(box("more", SIDE + 80.0, key - 9.0, 12.0, 10.0))
    parts.append(text(SIDE + 97.0, key, f"odds × {by}", "soft"))
    for place, bar in enumerate(shown):
        parts += _bar(bar, above + ROW * place)
    for place, line in enumerate(foot):
        parts.append(text(SIDE, below + 20.0 + 14.0 * place, line, "soft"))
    return document(title(found), below + 14.0 * len(foot) + 26.0, parts)


def _bar(bar: Bar, top: float) -> list[str]:
    """One number: its name and value above, its bar and the scores below."""
    middle = WIDTH / 2.0
    room = middle - SIDE - NUMBERS
    line, y = top + 13.0, top + 19.0
    label = bar.label if len(bar.label) <= NAME else bar.label[: NAME - 1] + "…"
    parts = [
        text(SIDE, line, label),
        text(WIDTH - SIDE, line, bar.value.split(" (")[0], "soft", "end"),
    ]
    for end, kind in ((bar.divided, "less"), (bar.multiplied, "more")):
        parts.append(box(kind, middle + min(end, 0.0) * room, y, abs(end) * room, THICK))
    parts.append(f'<path class="line" d="M{middle:.1f},{y - 3:.1f} v{THICK + 6:.1f}"/>')
    ends = sorted(zip((bar.divided, bar.multiplied), bar.scores, strict=True))
    parts.append(text(SIDE, y + 9.5, ends[0][1], "soft"))
    parts.append(text(WIDTH - SIDE, y + 9.5, ends[1][1], "soft", "end"))
    return parts
