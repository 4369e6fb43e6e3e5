"""A small language for Boolean functions: names, and, or, not, xor, ( ), name = state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_TOKEN = re.compile(r"\s*(?:(?P<quoted>'[^']*'|\"[^\"]*\")|(?P<word>[\w.:-]+)|(?P<mark>[()=]))")
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
        return join(values[0], values[1])


def parse(text: str) -> Expression:
    """The expression that a text spells; "or" binds weakest, then "xor", "and", "not"."""
    tokens = _tokens(text)
    expression, rest = _binary(tokens, 0)
    if rest:
        raise BadExpression(f"cannot be read from '{rest[0]}' on")
    return expression


def _tokens(text: str) -> list[str]:
    """The tokens of a text; quoted names keep their quotes."""
    found, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise BadExpression(f"has the unreadable character '{text[position:].strip()[0]}'")
        found.append(match[0].strip())
        position = match.end()
    return found


def _binary(tokens: list[str], level: int) -> tuple[Expression, list[str]]:
    """An operation of one binding strength or stronger, and the tokens left."""
    if level == 3:
        return _single(tokens)
    word = ("or", "xor", "and")[level]
    left, rest = _binary(tokens, level + 1)
    while rest and rest[0].casefold() == word:
        right, rest = _binary(rest[1:], level + 1)
        left = Expression(word, (left, right))
    return left, rest


def _single(tokens: list[str]) -> tuple[Expression, list[str]]:
    """A negation, a parenthesis, a constant or a name with an optional state."""
    if not tokens:
        raise BadExpression("ends too early")
    first, rest = tokens[0], tokens[1:]
    word = first.casefold()
    if word == "not":
        inner, rest = _single(rest)
        return Expression("not", (inner,)), rest
    if first == "(":
        inner, rest = _binary(rest, 0)
        if not rest or rest[0] != ")":
            raise BadExpression("lacks a closing ')'")
        return inner, rest[1:]
    if word in ("true", "false"):
        return Expression(word), rest
    if first in (")", "=") or word in WORDS:
        raise BadExpression(f"has '{first}' where a name should be")
    name = first.strip("'\"")
    if rest and rest[0] == "=":
        if len(rest) < 2 or rest[1] in ("(", ")", "="):
            raise BadExpression(f"lacks a state after '{name} ='")
        return Expression("is", (), name, rest[1].strip("'\"")), rest[2:]
    return Expression("is", (), name), rest
