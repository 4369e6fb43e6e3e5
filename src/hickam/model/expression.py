"""A small language for Boolean functions: names, and, or, not, xor, ( ), name = state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

_TOKEN = re.compile(r"\s*(?:(?P<quoted>'[^']*'|\"[^\"]*\")|(?P<word>[\w.:-]+)|(?P<mark>[()=]))")
MOST_CHARACTERS = 10_000
DEEPEST = 50
WORDS = ("and", "or", "xor", "not", "true", "false")


class BadExpression(ValueError):
    """Not an expression of the language; the message says where reading stopped."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One operation over its parts; a leaf compares a node's state.

    >>> parse("a and not b").names()
    ['a', 'b']
    """

    operation: str  # "and" | "or" | "xor" | "not" | "is" | "true" | "false"
    parts: tuple[Expression, ...] = ()
    name: str = ""
    state: str = ""  # empty: the "on" state
    code: int = field(default=1, compare=False)  # the state's position, once it is known

    def names(self) -> list[str]:
        """The nodes that occur, each once, in order of appearance."""
        if self.operation == "is":
            return [self.name]
        return list(dict.fromkeys(name for part in self.parts for name in part.names()))

    def resolve(self, states: Mapping[str, Sequence[str]]) -> Expression:
        """The expression with every named state as a position; an unknown one raises."""
        if self.operation != "is":
            parts = tuple(part.resolve(states) for part in self.parts)
            return Expression(self.operation, parts)
        known = list(states[self.name])
        if not self.state:
            if len(known) != 2:
                raise BadExpression(
                    f"'{self.name}' has {len(known)} states: write '{self.name} = …'"
                )
            return Expression("is", (), self.name, "", 1)
        if self.state not in known:
            listed = ", ".join(known)
            raise BadExpression(f"'{self.state}' is no state of '{self.name}' ({listed})")
        return Expression("is", (), self.name, self.state, known.index(self.state))

    def value(self, states: Mapping[str, Any]) -> Any:
        """The truth value, element by element over arrays of states."""
        if self.operation == "is":
            return np.asarray(states[self.name]) == self.code
        if self.operation in ("true", "false"):
            return np.bool_(self.operation == "true")
        values = [part.value(states) for part in self.parts]
        if self.operation == "not":
            return ~values[0]
        join = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[self.operation]
        return reduce(join, values)


def parse(text: str) -> Expression:
    """The expression that a text spells; "or" binds weakest, then "xor", "and", "not"."""
    if len(text) > MOST_CHARACTERS:
        raise BadExpression(f"has {len(text):,} characters (at most {MOST_CHARACTERS:,})")
    reader = _Reader(_tokens(text))
    expression = reader.binary(0)
    if reader.next is not None:
        raise BadExpression(f"cannot be read from '{reader.next}' on")
    return expression


def _tokens(text: str) -> list[str]:
    """The tokens of a text; quoted names keep their quotes."""
    text = text.rstrip()
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise BadExpression(f"has the unreadable character '{text[position:].strip()[0]}'")
        found.append(match[0].strip())
        position = match.end()
    return found


class _Reader:
    """Tokens read one after the other, never nested too deeply."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0

    @property
    def next(self) -> str | None:
        """The token to be read next."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def binary(self, level: int) -> Expression:
        """An operation of one binding strength or stronger; a chain of it is one expression."""
        if level == 3:
            return self.single()
        word = ("or", "xor", "and")[level]
        parts = [self.binary(level + 1)]
        while self.next is not None and self.next.casefold() == word:
            self.position += 1
            parts.append(self.binary(level + 1))
        return parts[0] if len(parts) == 1 else Expression(word, tuple(parts))

    def single(self) -> Expression:
        """A negation, a parenthesis, a constant or a name with an optional state."""
        first = self.next
        if first is None:
            raise BadExpression("ends too early")
        self.position += 1
        word = first.casefold()
        if word == "not" or first == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                raise BadExpression(f"is nested more than {DEEPEST} levels deep")
            inner = self.single() if word == "not" else self.parenthesis()
            self.depth -= 1
            return Expression("not", (inner,)) if word == "not" else inner
        if word in ("true", "false"):
            return Expression(word)
        if first in (")", "=") or word in WORDS:
            raise BadExpression(f"has '{first}' where a name should be")
        name = first.strip("'\"")
        if self.next != "=":
            return Expression("is", (), name)
        state = self.tokens[self.position + 1 : self.position + 2]
        if not state or state[0] in ("(", ")", "="):
            raise BadExpression(f"lacks a state after '{name} ='")
        self.position += 2
        return Expression("is", (), name, state[0].strip("'\""))

    def parenthesis(self) -> Expression:
        """What is between parentheses, the first of which has been read."""
        inner = self.binary(0)
        if self.next != ")":
            raise BadExpression("lacks a closing ')'")
        self.position += 1
        return inner
