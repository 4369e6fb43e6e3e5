"""The text of BIF and Hugin NET files as words with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hickam.io.foreign.variables import bad

SPACE = r"\s+|//[^\n]*|/\*.*?\*/"
QUOTED = r'"(?P<quoted>(?:[^"\\]|\\.)*)"'


def _tokens(marks: str, comment: str) -> re.Pattern[str]:
    """What a text is made of, if these characters are words of their own."""
    marks = re.escape(marks)
    parts = (rf"(?P<space>{SPACE}{comment})", QUOTED, rf"(?P<mark>[{marks}])")
    return re.compile("|".join([*parts, rf'(?P<word>[^\s"{marks}]+)']), re.DOTALL)


BIF_TOKENS = _tokens("{}()[];,|", "")
NET_TOKENS = _tokens("{}()[];,|=", r"|%[^\n]*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a quoted text or a mark, and the line that it is on."""

    text: str
    line: int
    is_mark: bool = False


class Words:
    """The words of a text, taken one after the other."""

    def __init__(self, text: str, file: str, tokens: re.Pattern[str]) -> None:
        self.file = file
        self._left = _words(text, file, tokens)
        self._next: Word | None = next(self._left, None)
        self.line = 1

    @property
    def next(self) -> str:
        """The next word without taking it; "" at the end."""
        return self._next.text if self._next else ""

    def take(self, expected: str = "") -> Word:
        """The next word, which must be the expected one if one is given."""
        word = self._next
        if word is None:
            raise bad(self.file, self.line, "the file", "ends too early", "is it complete?")
        self.line = word.line
        if expected and word.text != expected:
            what = f"has '{word.text[:40]}' where '{expected}' should be"
            raise bad(self.file, word.line, "the file", what)
        self._next = next(self._left, None)
        return word

    def took(self, text: str) -> bool:
        """Whether the next word was this one; it is taken then."""
        if self._next is None or self._next.text != text:
            return False
        self.take()
        return True

    def name(self) -> str:
        """The next word as a name."""
        word = self.take()
        if word.is_mark:
            what = f"has '{word.text}' where a name should be"
            raise bad(self.file, word.line, "the file", what)
        return word.text

    def number(self) -> float:
        """The next word as a number."""
        word = self.take()
        try:
            return float(word.text)
        except ValueError:
            what = f"has '{word.text[:40]}' where a number should be"
            raise bad(self.file, word.line, "the file", what) from None

    def listed(self, end: str) -> list[str]:
        """The names up to a closing mark, which is taken too; commas are left out."""
        names = []
        while not self.took(end):
            if not self.took(","):
                names.append(self.name())
        return names

    def skip_statement(self) -> None:
        """Pass over everything up to the next ';' that is not in brackets."""
        depth = 0
        while depth or self.next != ";":
            word = self.take()
            if word.is_mark and word.text in "({[":
                depth += 1
            elif word.is_mark and word.text in ")}]":
                depth -= 1
        self.take(";")


def _words(text: str, file: str, tokens: re.Pattern[str]) -> Iterator[Word]:
    """The words of a text."""
    at, line = 0, 1
    while at < len(text):
        found = tokens.match(text, at)
        if found is None:
            raise bad(file, line, "the file", f"has an unreadable character {text[at]!r}")
        if found["quoted"] is not None:
            yield Word(found["quoted"].replace('\\"', '"'), line)
        elif found["mark"]:
            yield Word(found["mark"], line, True)
        elif found["word"]:
            yield Word(found["word"], line)
        line += found[0].count("\n")
        at = found.end()
