"""The tornado as one SVG picture, legible on a phone and in the dark."""

from __future__ import annotations

from xml.sax.saxutils import escape

from hickam.report.sensitivity import Bar, bars, sentences, title
from hickam.trust.sensitivity import Sensitivity
from hickam.words import two_digits

WIDTH = 380.0
SIDE = 14.0
NUMBERS = 44.0  # columns for the scores at both ends of a bar
ROW = 40.0
THICK = 11.0
LETTERS = 56  # of a line

STYLE = """
svg { --ink: #1d2733; --soft: #5b6875; --paper: #ffffff; --line: #c5ced4; --more: #0f6e7e;
  --less: #a9d3d9; font: 12px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e4ebee; --soft: #a5b4bb; --paper: #10181c;
  --line: #45565e; --more: #58bccb; --less: #2b5a64; } }
text { fill: var(--ink); } .soft { fill: var(--soft); } .paper { fill: var(--paper); }
.line { stroke: var(--line); } .more { fill: var(--more); } .less { fill: var(--less); }
.head { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
"""


def tornado_svg(found: Sensitivity, top: int) -> str:
    """The picture as one self-contained document."""
    shown = bars(found, top)
    head = _lines(title(found), 46)
    foot = [line for sentence in sentences(found) for line in _lines(sentence, LETTERS + 4)]
    above = 22.0 + 17.0 * len(head) + 20.0
    below = above + ROW * len(shown)
    height = below + 14.0 * len(foot) + 26.0
    by = two_digits(found.factor)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
        f'width="{WIDTH:.0f}" role="img">',
        f"<title>{escape(title(found))}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH:.0f}" height="{height:.0f}"/>',
    ]
    for place, line in enumerate(head):
        parts.append(_text(SIDE, 24.0 + 17.0 * place, line, "head"))
    key = above - 12.0
    parts.append(f'<rect class="less" x="{SIDE}" y="{key - 9:.1f}" width="12" height="10"/>')
    parts.append(_text(SIDE + 17.0, key, f"odds ÷ {by}", "small soft"))
    parts.append(
        f'<rect class="more" x="{SIDE + 80:.1f}" y="{key - 9:.1f}" width="12" height="10"/>'
    )
    parts.append(_text(SIDE + 97.0, key, f"odds × {by}", "small soft"))
    for place, bar in enumerate(shown):
        parts += _bar(bar, above + ROW * place)
    for place, line in enumerate(foot):
        parts.append(_text(SIDE, below + 20.0 + 14.0 * place, line, "small soft"))
    return "\n".join([*parts, "</svg>\n"])


def _bar(bar: Bar, top: float) -> list[str]:
    """One number: its name and value above, its bar and the scores below."""
    middle = WIDTH / 2.0
    room = middle - SIDE - NUMBERS
    line, y = top + 13.0, top + 19.0
    label = bar.label if len(bar.label) <= LETTERS - 18 else bar.label[: LETTERS - 19] + "…"
    plain = bar.value.split(" (")[0]
    parts = [
        _text(SIDE, line, label, ""),
        _text(WIDTH - SIDE, line, plain, "small soft", "end"),
    ]
    for end, kind in ((bar.divided, "less"), (bar.multiplied, "more")):
        left = middle + min(end, 0.0) * room
        parts.append(
            f'<rect class="{kind}" x="{left:.1f}" y="{y:.1f}" width="{abs(end) * room:.1f}" '
            f'height="{THICK}"/>'
        )
    parts.append(
        f'<path class="line" d="M{middle:.1f},{y - 3:.1f} v{THICK + 6:.1f}" stroke-width="1"/>'
    )
    ends = sorted(zip((bar.divided, bar.multiplied), bar.scores, strict=True))
    parts.append(_text(SIDE, y + 9.5, ends[0][1], "small soft"))
    parts.append(_text(WIDTH - SIDE, y + 9.5, ends[1][1], "small soft", "end"))
    return parts


def _text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text{mark} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _lines(words: str, letters: int) -> list[str]:
    """The words in lines of at most so many letters."""
    import textwrap

    return textwrap.wrap(words, letters, break_on_hyphens=False)
