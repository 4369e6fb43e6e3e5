"""`Records` → a file of the form that `read_records` reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hickam.io.cases import PARQUET, TEXT_SUFFIXES
from hickam.io.csv_sheet import DELIMITERS, csv_line
from hickam.io.text import check_endings, write_file
from hickam.learn.records import Records
from hickam.model.network import Network

WRITTEN = (".csv", PARQUET, *TEXT_SUFFIXES)
CELL = {1: "1", 0: "0", -1: ""}


def write_records(network: Network, records: Records, path: Path | str) -> None:
    """Write records as CSV, Parquet or JSON Lines, whole or not at all."""
    path = Path(path)
    check_endings([path], WRITTEN)
    suffix = path.suffix.lower()
    names = (*network.risk_factors, *network.diseases, *network.findings)
    with_person = any(person != (None, None) for person in records.people)
    head = ("sex", "age") if with_person else ()
    if suffix == ".csv":
        others = any(mark in name for mark in DELIMITERS[1:] for name in names)
        lines = [*["sep=,"] * others, csv_line((*head, *names))]
        for person, row in _rows(records):
            cells = ["" if one is None else f"{one:g}" if isinstance(one, float) else one
                     for one in person] if with_person else []  # fmt: skip
            lines.append(",".join([*cells, *map(CELL.__getitem__, row)]))
        write_file(path, "\n".join(lines) + "\n")
    elif suffix in TEXT_SUFFIXES:
        import json

        said = (json.dumps(_object(names, *one), ensure_ascii=False) for one in _rows(records))
        write_file(path, "\n".join(said) + "\n")
    else:
        _write_parquet(path, names, records, with_person)


def _rows(records: Records) -> Iterator[tuple[tuple[str | None, float | None], list[int]]]:
    """(person, states) of each patient, alike ones one after the other."""
    layers = (records.risks, records.diseases, records.findings)
    people = records.person.tolist()
    counts = records.counts.astype(int).tolist()
    for at, (person, count) in enumerate(zip(people, counts, strict=True)):
        row = [state for layer in layers for state in layer[at].tolist()]
        for _ in range(count):
            yield records.people[person], row


def _object(
    names: tuple[str, ...], person: tuple[str | None, float | None], row: list[int]
) -> dict[str, Any]:
    """A record without what is missing."""
    said = {key: one for key, one in zip(("sex", "age"), person, strict=True) if one is not None}
    return {**said, **{name: state for name, state in zip(names, row, strict=True) if state >= 0}}


def _write_parquet(path: Path, names: tuple[str, ...], records: Records, with_person: bool) -> None:
    """Write records with one column of truth values for each node."""
    import numpy as np
    import pyarrow as pa
    from pyarrow.parquet import write_table

    from hickam.work.parts import whole

    table = np.hstack([records.risks, records.diseases, records.findings])
    table = np.repeat(table, records.counts.astype(int), axis=0)
    columns: dict[str, Any] = {}
    if with_person:
        person = np.repeat(records.person, records.counts.astype(int))
        for at, key in enumerate(("sex", "age")):
            columns[key] = pa.array([records.people[one][at] for one in person.tolist()])
    for name, column in zip(names, table.T, strict=True):
        columns[name] = pa.array(column == 1, mask=column < 0)
    with whole(path) as unfinished:
        write_table(pa.table(columns), unfinished)
