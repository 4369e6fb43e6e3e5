"""The format of the UAI competitions (.uai): numbers only, one table per variable.

The variable of a table is the last one of its scope. Variables and states have no names there: they
are called X0, X1, … and 0, 1, …. Evidence is a file of its own and not part of the model. Comments
begin with "#" or "//", or fill a line that begins with "c". aGrUM notes the names of variables in
comments, and runs over the first parent of a table fastest, where the format has the last one.
"""

from __future__ import annotations

import re

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import (
    MOST_VARIABLES,
    Variable,
    bad,
    by_agrum,
    check_cells,
    turned_round,
)
from hickam.io.form import Reading
from hickam.issues import Kind, invalid
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of

COMMENT = re.compile(r"#.*|//.*|^\s*c(\s.*)?$")
AGRUM = re.compile(r"^\d+(?: \d+)+   # (.+?)\s*$", re.MULTILINE)  # its line of a table's scope


class _Numbers:
    """The words of a file, read as numbers with their lines."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._words = [
            (word, number)
            for number, line in enumerate(text.splitlines(), 1)
            for word in COMMENT.sub("", line).split()
        ]
        self.names = AGRUM.findall(text)
        self._at = 0

    @property
    def line(self) -> int | None:
        """The line of the word taken last."""
        return self._words[self._at - 1][1] if self._at else None

    @property
    def left(self) -> int:
        """How many words are left."""
        return len(self._words) - self._at

    def word(self) -> str:
        """The next word."""
        if not self.left:
            raise bad(self.file, self.line, "the file", "ends too early", "is it complete?")
        self._at += 1
        return self._words[self._at - 1][0]

    def whole(self, what: str, most: int) -> int:
        """The next word as a whole number from 0 to the most."""
        word = self.word()
        if not (word.isascii() and word.isdigit() and len(word) < 20):
            raise bad(self.file, self.line, "the file", f"has '{word[:40]}' for {what}")
        number = int(word)
        if number > most:
            found = f"has {number:,} for {what} (at most {most:,})"
            raise bad(self.file, self.line, "the file", found, kind=Kind.TOO_LARGE)
        return number

    def floats(self, count: int) -> list[float]:
        """The next words as numbers."""
        found = []
        for _ in range(count):
            word = self.word()
            try:
                found.append(float(word))
            except ValueError:
                what = f"has '{word[:40]}' where a probability should be"
                raise bad(self.file, self.line, "the file", what) from None
        return found


def read_uai(text: str, file: str) -> Reading:
    """The model in UAI text."""
    numbers = _Numbers(text, file)
    notes = [by_agrum(file)] if numbers.names else []
    return reading(lambda: ("", _parse(numbers)), file, notes)


def _parse(numbers: _Numbers) -> list[Variable]:
    """The variables in the order of their numbers."""
    kind = numbers.word()
    if kind.upper() != "BAYES":
        what = f"is of the kind '{kind[:40]}', not BAYES"
        raise bad(numbers.file, 1, "the file", what, "only Bayesian networks can be read")
    count = numbers.whole("the number of variables", MOST_VARIABLES)
    sizes = [numbers.whole("a number of states", 1000) for _ in range(count)]
    if numbers.whole("the number of tables", MOST_VARIABLES) != count:
        what = f"does not have one table for each of its {count} variables"
        raise bad(numbers.file, numbers.line, "the file", what)
    scopes = []
    for _ in range(count):
        length = numbers.whole("the size of a table's scope", max(count, 1))
        scopes.append([numbers.whole("a variable", count - 1) for _ in range(length)])
        if not length or len(set(scopes[-1])) < length:
            what = "has a table whose scope is empty or names a variable twice"
            raise bad(numbers.file, numbers.line, "the file", what)
    found: dict[int, Variable] = {}
    names = [f"X{number}" for number in range(count)]
    if len(set(numbers.names)) == count:
        named = zip(scopes, numbers.names, strict=True)
        names = [name for _, name in sorted((scope[-1], name) for scope, name in named)]
    for scope in scopes:
        *parents, own = scope
        where = f"variable {names[own]}"
        shape = [sizes[node] for node in scope]
        check_cells(where, shape, numbers.file, numbers.line)
        entries = numbers.whole("the number of entries", 1 << 30)
        if entries != int(np.prod(shape)):
            what = f"has a table of {entries} entries where {int(np.prod(shape))} should be"
            raise bad(numbers.file, numbers.line, where, what)
        if own in found:
            raise bad(numbers.file, numbers.line, where, "has two tables")
        line = numbers.line
        rows = np.array(numbers.floats(entries))
        rows = turned_round(rows, shape) if numbers.names else rows.reshape(shape)
        states = tuple(str(state) for state in range(sizes[own]))
        above = tuple(names[parent] for parent in parents)
        found[own] = Variable(names[own], states, above, rows, line=line)
    if numbers.left:
        what = f"goes on for {numbers.left} words after its last table"
        raise bad(numbers.file, numbers.line, "the file", what, "evidence belongs in its own file")
    return [found[node] for node in sorted(found)]


def uai_text(model: SCM) -> str:
    """The model as UAI text, variables in topological order."""
    number = {node: position for position, node in enumerate(model.nodes)}
    lines = ["BAYES", str(len(number)), " ".join(str(len(node.states)) for node in model)]
    lines.append(str(len(number)))
    tables = []
    for node in model:
        scope = [*(number[parent] for parent in node.parents), number[node.id]]
        lines.append(" ".join(str(part) for part in (len(scope), *scope)))
        rows = table_of(node, model)
        if rows is None:
            what = f"has {len(node.parents)} parents: its table is too large for this format"
            raise invalid(f"node '{node.id}'", what, "keep it as YAML")
        tables.append(f"\n{rows.size}")
        tables += [" ".join(map(repr, row)) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    return "\n".join([*lines, *tables]) + "\n"
