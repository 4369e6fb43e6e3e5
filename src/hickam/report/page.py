"""Pieces of a self-contained HTML page: no script, no outside request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

CSS = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2733; --soft: #5b6875; --line: #dfe4e8;
  --tint: #f5f7f8; --accent: #22577a; --warn: #b3261e; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #10181c; --ink: #e4ebee;
  --soft: #a5b4bb; --line: #2d3c43; --tint: #1a262b; --accent: #7cc7dc; --warn: #ff9d90; }
  figure svg { background: #fff; border-radius: .5rem; filter: invert(.9) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  overflow-wrap: break-word;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 2rem; padding-bottom: 1.2rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: .4rem; }
h3 { font-size: 1.02rem; margin: 1.8rem 0 .4rem; }
p, li { max-width: 48rem; }
.warn { border-left: 3px solid var(--warn); padding-left: .8rem; }
.soft { color: var(--soft); } .small { font-size: .86rem; }
nav { font-size: .9rem; } nav a { margin-right: 1rem; white-space: nowrap; }
a { color: var(--accent); }
.scroll { overflow-x: auto; margin: .8rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; caption-side: top; }
caption span { display: block; max-width: min(48rem, calc(100vw - 1.8rem)); }
th, td { padding: .28rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td:not(.text) { white-space: nowrap; } td.text { min-width: 12rem; }
td.text:first-child { min-width: 6.5rem; }
th { font-weight: 600; background: var(--tint); vertical-align: bottom; }
th.text, td.text { text-align: left; }
tbody tr:hover { background: var(--tint); }
figure { margin: 1.2rem 0; } figure svg { width: 100%; max-width: 36rem; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; max-width: 48rem; }
.facts { list-style: none; padding: 0; display: grid; gap: .7rem;
  grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); margin: 1.4rem 0; }
.facts li { background: var(--tint); border-radius: .5rem; padding: .8rem 1rem; }
.facts b { display: block; font-size: 1.2rem; line-height: 1.3; white-space: nowrap; }
.facts span { color: var(--soft); font-size: .85rem; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--accent); }
code, pre { font: .85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--tint); padding: .8rem 1rem; border-radius: .5rem; overflow-x: auto; }
@media screen and (max-width: 40rem) { main { padding: 1.2rem .9rem 3rem; }
  h1 { font-size: 1.5rem; } h2 { margin-top: 2rem; } nav a { display: inline-block; }
  .facts { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
  .facts b { white-space: normal; } th, td { padding: .25rem .5rem; } }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper); }
th:first-child, tbody tr:hover td:first-child { background: var(--tint); }
@media print { nav, summary { display: none; } main { padding: 0; max-width: none; }
  h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
"""


def page(title: str, body: Iterable[str]) -> str:
    """A whole HTML document."""
    head = (
        f'<meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{CSS}</style>"
    )
    inside = f"<head>{head}</head><body><main>{''.join(body)}</main></body>"
    return f'<!doctype html>\n<html lang="en">{inside}</html>\n'


def section(name: str, title: str, *parts: str) -> str:
    """A section with an anchor."""
    return f'<section id="{escape(name)}"><h2>{escape(title)}</h2>{"".join(parts)}</section>'


def text(words: str, kind: str = "") -> str:
    """A paragraph of plain words."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{escape(words)}</p>"


def heading(words: str) -> str:
    """A heading inside a section."""
    return f"<h3>{escape(words)}</h3>"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    words: Sequence[int] = (0,),
) -> str:
    """A table; the columns numbered in `words` are text and stand on the left."""
    said = f"<caption><span>{escape(caption)}</span></caption>" if caption else ""

    def cell(tag: str, column: int, value: object) -> str:
        mark = ' class="text"' if column in words else ""
        return f"<{tag}{mark}>{escape(str(value))}</{tag}>"

    top = "".join(cell("th", column, value) for column, value in enumerate(head))
    lines = "".join(
        "<tr>" + "".join(cell("td", column, value) for column, value in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table>{said}<thead><tr>{top}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def figure(svg: str, caption: str) -> str:
    """A picture with what it shows in words, which is also its name for those who cannot see it."""
    named = svg.replace("<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1)
    return f'<figure tabindex="0">{named}<figcaption>{escape(caption)}</figcaption></figure>'


def folded(summary: str, *parts: str) -> str:
    """Something long that opens on demand."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"


def facts(items: Iterable[tuple[str, str]]) -> str:
    """Figures that stand out, each with what it is."""
    cells = "".join(f"<li><b>{escape(a)}</b><span>{escape(b)}</span></li>" for a, b in items)
    return f'<ul class="facts">{cells}</ul>'


def code(lines: str) -> str:
    """Commands or other literal text."""
    return f"<pre><code>{escape(lines)}</code></pre>"


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage.

    >>> percent(0.714)
    '71.4 %'
    """
    return f"{100 * share:.{digits}f} %"


def p_value(value: float) -> str:
    """A p-value as people write it.

    >>> p_value(0.00001), p_value(0.25)
    ('< 0.0001', '0.25')
    """
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"
