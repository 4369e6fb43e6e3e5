"""Files of records → `Records`: what is known of each patient, and every value that cannot be.

A column is named for a risk factor, a disease or a finding and says 1, 0 or nothing; or a record
has the form of a case, with lists of what is present and absent. `sex` and `age` are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from hickam.evidence.person import band
from hickam.io.bounds import MOST_STATES, check_amount
from hickam.io.record_columns import (
    LISTS,
    MISSING,
    PERSON,
    UNREAD,
    UNREADABLE,
    Columns,
    States,
    read_age,
    read_sex,
)
from hickam.io.record_rows import RecordRow, record_rows
from hickam.issues import Issue, error, raise_errors
from hickam.learn.records import Records, contradictions
from hickam.model.network import Ints, Network

LAYER_OF = {"present": "finding", "absent": "finding", "risks": "risk factor"}
Known = dict[int, int]  # node → state


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The records of a file, and what is wrong with it."""

    records: Records
    rows: int  # of the file
    problems: list[Issue]  # one for each record that cannot be, with its line
    warnings: list[Issue]


def read_records(network: Network, path: Path | str, *, ignore: Sequence[str] = ()) -> Read:
    """The records of a file; those that cannot be are listed as problems and are not among them.

    Unknown columns are errors.
    """
    path = Path(path)
    reader = _Reader(network, Columns(network, ignore))
    for row in record_rows(path):
        reader.take(row)
        if len(reader.columns.issues) > 200:
            break
    placed = [replace(issue, file=str(path)) for issue in reader.columns.issues]
    raise_errors(placed)
    read = reader.finish()
    if not read.rows:
        raise_errors([error(f"file '{path}'", "holds no records", "is it the right file?")])
    problems = [replace(issue, file=str(path)) for issue in read.problems]
    return replace(read, problems=problems, warnings=placed)


class _Reader:
    """Takes rows one by one."""

    def __init__(self, network: Network, columns: Columns) -> None:
        self.network, self.columns = network, columns
        self.states = States()
        self.rows = 0
        self.kept: list[bytes] = []
        self.lines: list[int] = []
        self.person: list[int] = []
        self.people: dict[tuple[str | None, float | None], int] = {}
        self.problems: list[Issue] = []
        self.plans: dict[tuple[str, ...], _Plan] = {}
        self.blank = bytes([MISSING]) * columns.size

    def take(self, row: RecordRow) -> None:
        """Read one row; what cannot be is a problem with its line."""
        self.rows += 1
        check_amount(
            self.rows * self.columns.size,
            MOST_STATES,
            f"states (rows × {self.columns.size} nodes)",
            "the records",
            "learn from a sample of them",
        )
        if row.issue is not None:
            self._refuse(row, replace(row.issue, file=None))
            return
        plan = self.plans.get(row.keys)
        if plan is None:
            plan = self.plans[row.keys] = _plan(self.columns, row.keys)
        try:
            state = self._states(plan, row)
            sex = read_sex(row.values[plan.sex]) if plan.sex is not None else None
            age = read_age(row.values[plan.age]) if plan.age is not None else None
        except ValueError as bad:
            self._refuse(row, error("the record", f"cannot be: {bad}"))
            return
        person = (sex, band(self.network, age))
        self.kept.append(state)
        self.lines.append(row.line)
        self.person.append(self.people.setdefault(person, len(self.people)))

    def _refuse(self, row: RecordRow, issue: Issue) -> None:
        self.problems.append(replace(issue, line=row.line))

    def _states(self, plan: _Plan, row: RecordRow) -> bytes:
        """One byte for each node; ValueError names the first value that cannot be."""
        found = bytearray(self.blank)
        if len(plan.places):
            values = plan.pick(row.values)
            codes = self._codes(values)
            at = codes.find(UNREADABLE)
            if at >= 0:
                name = self.columns.ids[plan.places[at]]
                raise ValueError(f"'{name}' is '{values[at]!s:.40}'; write 1, 0 or nothing")
            np.frombuffer(found, dtype=np.uint8)[plan.places] = np.frombuffer(codes, dtype=np.uint8)
        for key, at in plan.lists:
            for place, code in self._listed(key, row.values[at]).items():
                if found[place] not in (MISSING, code):
                    raise ValueError(f"'{self.columns.ids[place]}' is both present and absent")
                found[place] = code
        return bytes(found)

    def _codes(self, values: Sequence[Any]) -> bytes:
        """The codes of values, in one go unless one of them is a list."""
        try:
            return bytes(map(self.states.__getitem__, values))
        except TypeError:
            return bytes(map(self.states.code, values))

    def _listed(self, key: str, value: Any) -> Known:
        """The states that one list of a case gives."""
        if value is None or value == "":
            return {}
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, (Mapping, list, tuple)):
            raise ValueError(f"'{key}' is {value!r:.40}; write a list of names")
        pairs = list(value.items()) if isinstance(value, Mapping) else list(value)
        found: Known = {}
        for item in pairs:
            name, said = item if isinstance(item, tuple) and len(item) == 2 else (item, True)
            if not isinstance(name, str):
                raise ValueError(f"'{key}' holds {name!r:.40}, which is no name")
            place = self.columns.place(name, LAYER_OF.get(key, "disease"))
            code = self.states.code(said)
            if code == UNREADABLE:
                raise ValueError(f"'{name:.60}' is {said!r:.40}; write true, false or null")
            if place is not None and code != MISSING:
                found[place] = 1 - code if key == "absent" else code
        return found

    def finish(self) -> Read:
        """All that was read."""
        table = np.frombuffer(b"".join(self.kept), dtype=np.int8).reshape(-1, self.columns.size)
        ends = list(self.columns.starts.values())[1:]
        risks, diseases, findings = np.split(table, ends, axis=1)
        records = Records(
            risks,
            diseases,
            findings,
            np.array(self.person, dtype=np.int64),
            tuple(self.people) or ((None, None),),
            np.ones(len(table)),
            np.array(self.lines, dtype=np.int64),
        )
        wrong = contradictions(self.network, findings)
        ids = self.network.findings
        for record, kind, finding in wrong:
            what = f"cannot be: '{ids[kind]}' is present, and '{ids[finding]}', of which it is a "
            issue = error("the record", f"{what}kind, absent")
            self.problems.append(replace(issue, line=self.lines[record]))
        bad = np.zeros(len(records), dtype=bool)
        bad[[record for record, _, _ in wrong]] = True
        self.problems.sort(key=lambda issue: issue.line or 0)
        return Read(records.take(~bad), self.rows, self.problems, [])


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Where rows with the same keys keep what."""

    pick: Any  # the values of the nodes' columns
    places: Ints
    lists: tuple[tuple[str, int], ...]
    sex: int | None
    age: int | None


def _plan(columns: Columns, keys: tuple[str, ...]) -> _Plan:
    """What to take from rows with these keys."""
    special: dict[str, int] = {}
    nodes: dict[int, int] = {}
    for position, name in enumerate(keys):
        folded = name.strip().casefold()
        first = position
        if columns.is_ignored(name) or (folded in UNREAD and folded not in columns.network.index):
            continue
        if folded in (*LISTS, *PERSON) and folded not in columns.network.index:
            first = special.setdefault(folded, position)
        elif (place := columns.place(name)) is not None:
            first = nodes.setdefault(place, position)
        if first != position:
            columns.refuse_twice(keys, first, position)
    places, at = list(nodes), list(nodes.values())
    pick = itemgetter(*at) if len(at) > 1 else (lambda values: tuple(values[i] for i in at))
    lists = tuple((key, special[key]) for key in LISTS if key in special)
    return _Plan(
        pick, np.array(places, dtype=np.int64), lists, special.get("sex"), special.get("age")
    )
