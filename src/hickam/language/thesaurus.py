"""The general medical word list that comes with the program, read from `wordlist.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class WordList:
    """What `wordlist.txt` says, by its sections."""

    fillers: tuple[str, ...]
    light: tuple[str, ...]
    clauses: tuple[str, ...]
    parting: tuple[str, ...]
    kept: tuple[str, ...]
    circumstances: tuple[str, ...]
    sites: tuple[str, ...]
    parts_of: dict[str, tuple[str, ...]]
    as_known: tuple[str, ...]
    manner: tuple[str, ...]
    normal: tuple[str, ...]
    qualifiers: tuple[str, ...]
    negations: tuple[str, ...]
    history: tuple[str, ...]
    asked: tuple[str, ...]
    opposites: tuple[tuple[str, ...], ...]
    families: tuple[tuple[str, ...], ...]
    same: tuple[tuple[str, ...], ...]
    abbreviations: dict[str, tuple[str, ...]]
    denials: dict[str, tuple[str, ...]]
    either: dict[str, tuple[str, ...]]
    kinds: dict[str, tuple[str, ...]]
    broader: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def word_list() -> WordList:
    """The word list."""
    from importlib.resources import files

    return read_word_list(files(__package__).joinpath("wordlist.txt").read_text(encoding="utf-8"))


def read_word_list(text: str) -> WordList:
    """The word list in a text: sections of entries, an entry of phrases parted by bars.

    >>> read_word_list("[same]\\nfever | high\\n  temperature").same
    (('fever', 'high temperature'),)
    """
    found = sections(text)

    def groups(section: str) -> tuple[tuple[str, ...], ...]:
        return tuple(_phrases(entry) for entry in found.get(section, ()))

    def listed(section: str) -> tuple[str, ...]:
        return tuple(phrase for group in groups(section) for phrase in group)

    def parted(section: str) -> dict[str, tuple[str, ...]]:
        entries = (entry.partition(": ") for entry in found.get(section, ()))
        return {start: _phrases(end) for start, _, end in entries}

    return WordList(
        fillers=listed("fillers"),
        light=listed("light"),
        clauses=listed("clauses"),
        parting=listed("parting"),
        kept=listed("kept"),
        circumstances=listed("circumstances"),
        sites=listed("sites"),
        parts_of=parted("parts of"),
        as_known=listed("as known"),
        manner=listed("manner"),
        normal=listed("normal"),
        qualifiers=listed("qualifiers"),
        negations=listed("negations"),
        history=listed("history"),
        asked=listed("asked"),
        opposites=groups("opposites"),
        families=groups("families"),
        same=groups("same"),
        abbreviations=parted("abbreviations"),
        denials=parted("denials"),
        either=parted("either"),
        kinds=parted("kinds"),
        broader=parted("broader"),
    )


def sections(text: str) -> dict[str, list[str]]:
    """Section → its entries, of a list as this program keeps them."""
    found: dict[str, list[str]] = {}
    entries: list[str] = []
    for line in (line.partition("  #")[0].rstrip() for line in text.splitlines()):
        if line.startswith("["):
            entries = found.setdefault(line.strip("[]"), [])
        elif line.startswith(" ") and entries:
            entries[-1] += line
        elif line and not line.startswith("#"):
            entries.append(line)
    return found


def _phrases(entry: str) -> tuple[str, ...]:
    """The phrases of an entry."""
    return tuple(" ".join(phrase.split()) for phrase in entry.split("|"))
