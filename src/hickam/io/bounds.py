"""How much is read: one budget for every kind of file, and bounds on YAML and JSON text.

The YAML parsers recurse on nested collections until the stack is gone, and take time quadratic in
the depth of open brackets, the number of directives and the digits of a number. So depth is bounded
first: a cheap look at the lines settles it for ordinary files, and for all others the parser's own
events are counted while it reads, which stops it soon after the bound. A parser that gets no memory
ends the process: in one that may have only so much, text that may need more is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hickam.issues import InvalidInput, Kind, error

MOST_CHARACTERS = 100_000_000  # of a text, however it was packed
LONGEST_LINE = 10_000_000  # bytes of one case or record
MOST_ROWS = 1_000_000  # of what is held in memory as a whole
MOST_HELD = 300_000_000  # characters of all rows that are held together
MOST_CELLS = 5_000_000  # of a sheet
MOST_STATES = 1_000_000_000  # of records in memory: one for each record and node
MOST_ELEMENTS = 2_000_000  # of XML
DEEPEST = 50
MOST_DIGITS = 300
MOST_DIRECTIVES = 10
# Bytes that the YAML parser keeps of each event, in a list that doubles as it grows; of what comes
# of an event in Python; and of a character.
EVENT_BYTES, OBJECT_BYTES, TEXT_BYTES = 96, 140, 2

DIRECTIVE = re.compile(r"(?m)^%")
# Half of a character, which no file can hold: only escapes can spell it.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# Deep indentation, or "- - -" at the start of a line; a column holds at most two levels.
DEEP_LINE = re.compile(r"(?m)^(?:[ \t]{40}|[ \t]*(?:[-?:][ \t]+){8})")
OF_INTEREST = re.compile(r"[\[\]{}\"']")
BRACKETS = re.compile(r"[\[\]{}]")
COMMENT = re.compile(r"(?:^|[ \t])#.*")
# A quoted text where a value must start, without brackets inside: nothing can be hidden in it.
QUOTED = re.compile(
    r"""(?P<before>^[ \t]*(?:[-?:][ \t]+)*|[\[{,][ \t]*|:[ \t]+)"""
    r"""(?:"[^"\\\[\]{}]*"|'(?:[^'\[\]{}]|'')*')(?=[ \t]*(?:[,\]}:]|$))"""
)
IN_WORD = re.compile(r"(?<=\w)['\"]")  # as in "Crohn's": no text starts there
HIDING = re.compile(r"[\"'!&*]")


def check_text(text: str) -> None:
    """Refuse text that is larger than any network."""
    if len(text) > MOST_CHARACTERS:
        what = f"has {len(text):,} characters, more than the {MOST_CHARACTERS:,} that are read"
        raise _too_large(what)


def check_digits(number: str) -> None:
    """Refuse a whole number that no float can hold, before it is computed."""
    if len(number) > MOST_DIGITS:
        raise _too_large(f"has a number of more than {MOST_DIGITS} digits")


def check_yaml(text: str) -> None:
    """Refuse YAML text that is nested too deeply for its parsers."""
    if text.count("%") > MOST_DIRECTIVES and len(DIRECTIVE.findall(text)) > MOST_DIRECTIVES:
        raise _too_large(f"has more than {MOST_DIRECTIVES} lines that start with '%'")
    if not is_shallow(text):
        _count_depth(text)
    room = _room()
    if room is not None and yaml_bytes(text) > room:
        raise _too_large("would take more memory to read than there is")


def yaml_bytes(text: str) -> int:
    """Memory that the YAML parser takes for this text, at most.

    >>> yaml_bytes("a: [b, c]") < 8000 < yaml_bytes("a: [b, c]\\n" * 10)
    True
    """
    events = 16 + 2 * sum(map(text.count, "\n{[")) + sum(map(text.count, ",:"))
    list_bytes = EVENT_BYTES * (1 << (events - 1).bit_length())
    return list_bytes + OBJECT_BYTES * events + TEXT_BYTES * len(text)


def _room() -> int | None:
    """Bytes that this process may still allocate; None if that is not bounded or not known."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return None
        return max(most - held_bytes(), 0)
    except (ImportError, OSError):
        return None


def held_bytes() -> int:
    """The address space that this process holds, on Linux."""
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def check_depth(document: object) -> None:
    """Refuse a document that is nested too deeply for whoever walks through it."""
    level: list[Any] = [document] if isinstance(document, (dict, list)) else []
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for value in level
            for inner in (value.values() if type(value) is dict else value)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return
    raise too_deep()


def is_shallow(text: str) -> bool:
    """Whether a look at the lines shows that YAML text cannot be nested deeply; False if unsure.

    Each line with brackets or quotes must close on itself what it opens, so that no bracket stays
    open at its end and none is hidden in a text or comment; then only indentation can nest.

    >>> is_shallow("a: [1, {b: 'x'}]  # it's"), is_shallow("a: [1,"), is_shallow("- " * 99)
    (True, False, False)
    """
    if any(mark in text for mark in "\x85\u2028\u2029") or text.count("\r") > text.count("\r\n"):
        return False  # lines that only the parser sees
    if DEEP_LINE.search(text):
        return False
    found = OF_INTEREST.search(text)
    while found:
        start = text.rfind("\n", 0, found.start()) + 1
        stop = text.find("\n", found.end())
        stop = len(text) if stop < 0 else stop
        if not _closes(text[start:stop].rstrip("\r")):
            return False
        found = OF_INTEREST.search(text, stop)
    return True


def _closes(line: str) -> bool:
    """Whether a line surely closes all that it opens, and is not deep itself."""
    line = IN_WORD.sub("", QUOTED.sub(r"\g<before>", COMMENT.sub("", line)))
    if HIDING.search(line):
        return False
    depth = 0
    for mark in BRACKETS.findall(line):
        depth += 1 if mark in "[{" else -1
        if not 0 <= depth <= DEEPEST // 2:
            return False
    return depth == 0


def _count_depth(text: str) -> None:
    """Refuse YAML text whose events nest too deeply; the parser is stopped at the bound."""
    import yaml

    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEEPEST:
                    raise too_deep()
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except (yaml.YAMLError, ValueError, UnicodeError) as bad:
        if isinstance(bad, InvalidInput):
            raise
        # Not YAML, as the parser itself will say in its own words.


def too_deep() -> InvalidInput:
    """The error for text that is nested too deeply."""
    return _too_large(f"is nested more than {DEEPEST} levels deep")


def check_amount(amount: int, most: int, of: str, where: str, fix: str = "split it") -> None:
    """Refuse more of something than is read, and say how much that is."""
    if amount > most:
        raise too_large(where, f"has more than the {most:,} {of} that are read", fix)


def too_large(where: str, what: str, fix: str = "") -> InvalidInput:
    """The error for input beyond a bound."""
    return InvalidInput([error(where, what, fix, kind=Kind.TOO_LARGE)])


def _too_large(what: str) -> InvalidInput:
    """The error for text beyond a bound."""
    return too_large("the text", what)
