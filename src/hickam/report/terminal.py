"""Lines for a terminal: as wide as it is, and coloured where it shows colours."""

from __future__ import annotations

import os
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from hickam.issues import printable

STYLES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}
PLAIN_WIDTH = 100  # of a file or pipe
NARROWEST = 8  # columns that a folded cell keeps
GAP = 2

Cell = Sequence[tuple[str, str]]  # pieces of text, each with its style


@dataclass(frozen=True, slots=True)
class Terminal:
    """How lines are to look."""

    width: int = PLAIN_WIDTH
    colours: bool = False

    @classmethod
    def of(cls, out: TextIO) -> Terminal:
        """What is at the other end of a stream."""
        if not out.isatty():
            return cls()
        import shutil

        dumb = os.environ.get("TERM") in ("dumb", "unknown") or bool(os.environ.get("NO_COLOR"))
        return cls(shutil.get_terminal_size().columns, not dumb)

    def paint(self, text: str, style: str) -> str:
        """The text in a style, with what it holds for a terminal escaped."""
        text = printable(text)
        return f"\033[{STYLES[style]}m{text}\033[0m" if style and text and self.colours else text

    def paragraph(self, text: str, style: str = "") -> list[str]:
        """The text in lines that fit, every one in the style."""
        lines = textwrap.wrap(printable(text), max(self.width, NARROWEST), break_on_hyphens=False)
        return [self.paint(line, style) for line in lines]

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[Cell]], right: int, fold: int
    ) -> list[str]:
        """A table as lines: one column is set to the right, one is folded where it does not fit."""
        body = [
            [[(printable(text), style) for text, style in cell] for cell in row] for row in rows
        ]
        cells = [[[(head, "bold")] for head in heads], *body]
        widths = [
            max(sum(columns(text) for text, _ in row[at]) for row in cells)
            for at in range(len(heads))
        ]
        over = sum(widths) + GAP * (len(heads) - 1) - self.width
        widths[fold] = max(widths[fold] - max(over, 0), min(widths[fold], NARROWEST))
        lines = []
        for row in cells:
            ((text, style),) = row[fold]
            folded = _fold(text, widths[fold])
            for number, part in enumerate(folded):
                shown = [[("", "")] if number else cell for cell in row]
                shown[fold] = [(part, style)]
                lines.append(self._line(shown, widths, right))
        return lines

    def _line(self, row: Sequence[Cell], widths: Sequence[int], right: int) -> str:
        """One line of a table."""
        parts = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - sum(columns(text) for text, _ in cell))
            painted = "".join(self.paint(text, style) for text, style in cell)
            parts.append(space + painted if at == right else painted + space)
        return (" " * GAP).join(parts).rstrip()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> columns("flu"), columns("流感"), columns("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in text)
    return len(text) + wide - sum(unicodedata.combining(mark) > 0 for mark in text)


def _fold(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns, broken between words where that is possible.

    >>> _fold("Acute otitis media", 12)
    ['Acute otitis', 'media']
    """
    if columns(text) <= width:
        return [text]
    spare = columns(text) - len(text)  # wide marks: every line is kept that much shorter
    return textwrap.wrap(text, max(width - spare, 1), break_on_hyphens=False) or [""]
