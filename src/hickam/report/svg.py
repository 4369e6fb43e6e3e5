"""What the bar pictures share: one style, light or dark as the reader's screen is."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

WIDTH = 380.0  # as wide as a phone
SIDE = 14.0
STYLE = """
svg { --ink: #1d2733; --soft: #5b6875; --paper: #ffffff; --line: #c5ced4; --wash: #e3eff3;
  --more: #0f6e7e; --less: #a9d3d9;
  font: 12px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e4ebee; --soft: #a5b4bb; --paper: #10181c;
  --line: #45565e; --wash: #1b3540; --more: #58bccb; --less: #2b5a64; } }
text { fill: var(--ink); } text.soft { fill: var(--soft); font-size: 11px; }
text.head { font-size: 14px; font-weight: 600; } .paper { fill: var(--paper); }
.line { stroke: var(--line); fill: none; } .box { fill: var(--wash); }
.more { fill: var(--more); } .less { fill: var(--less); }
"""


def document(title: str, height: float, parts: Iterable[str]) -> str:
    """A whole picture."""
    size = f"{WIDTH:.0f} {height:.0f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{WIDTH:.0f}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH:.0f}" height="{height:.0f}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place."""
    mark = f' class="{kind}"' if kind else ""
    return f'<text{mark} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def box(kind: str, x: float, y: float, width: float, height: float) -> str:
    """A filled rectangle."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {place}/>'
