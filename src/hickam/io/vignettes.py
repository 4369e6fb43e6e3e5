"""Vignettes in JSON Lines and Parquet: the fields of a case, the truth and the opinions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hickam.evidence.vignette import RARENESS, Opinion, Vignette
from hickam.io.case_document import (
    CASE_KEYS,
    case_of,
    check_keys,
    document_of,
    pairs,
    text,
    texts,
)
from hickam.io.cases import case_fields, rows_in_memory, write_rows
from hickam.io.phenopackets import Phenopacket, is_phenopacket, read_packet
from hickam.issues import InvalidInput, Issue, did_you_mean, error, errors, warning

VIGNETTE_KEYS = (
    *CASE_KEYS,
    *("diseases", "rareness", "author", "reviewers", "opinions", "group", "causes"),
)
OPINION_KEYS = ("doctor", "differential", "triage", "outside", "notes")


def read_vignettes(path: Path | str) -> tuple[list[Vignette], list[Issue]]:
    """The vignettes of a file, or of a folder of phenopackets, and every issue with its place.

    A vignette with an error is left out of the first list and reported in the second.
    """
    path = Path(path)
    vignettes, issues = [], []
    seen: set[str] = set()
    for row in rows_in_memory(path):
        if isinstance(row.content, Issue):
            issues.append(row.content)
            continue
        found: list[Issue] = []
        read = _patient if is_phenopacket(row.content) else _vignette
        vignette = read(row.content, row.number, found)
        if vignette.id in seen:
            found.append(error(f"vignette '{vignette.id}'", "has an id that is already taken"))
        seen.add(vignette.id)
        issues += [row.placed(issue) for issue in found]
        if not any(issue.level == "error" for issue in found):
            vignettes.append(vignette)
    return vignettes, issues


def write_vignettes(path: Path | str, vignettes: Iterable[Vignette]) -> None:
    """Write vignettes as JSON Lines or Parquet, by the ending of the path."""
    write_rows(Path(path), map(_row, vignettes), _fields)


def _patient(row: Mapping[str, Any], number: int, issues: list[Issue]) -> Vignette:
    """The vignette in a phenopacket; without a settled diagnosis it is no vignette."""
    where = f"phenopacket '{row.get('id') or number!s:.60}'"
    try:
        packet, found = read_packet(row, where)
    except InvalidInput as bad:
        packet, found = Phenopacket(str(row.get("id") or number)[:200]), bad.issues
    issues += found
    if not packet.diagnoses and not errors(issues):
        fix = "an interpretation in progress or unsolved is none"
        issues.append(error(where, "has no settled diagnosis", fix))
    return packet.to_vignette(number)


def _vignette(row: Mapping[str, Any], number: int, issues: list[Issue]) -> Vignette:
    """The vignette in a row of plain values."""
    where = f"vignette '{row.get('id') or number!s:.60}'"
    check_keys(row, VIGNETTE_KEYS, where, issues)
    diseases = texts(row, "diseases", where, issues)
    if not diseases:
        issues.append(error(where, "has no true disease", 'give "diseases": ["…"]'))
    rareness = text(row, "rareness", where, issues)
    if rareness and rareness not in RARENESS:
        issues.append(
            warning(
                where, f"has the unknown rareness '{rareness}'", did_you_mean(rareness, RARENESS)
            )
        )
    listed = row.get("opinions") or []
    if not isinstance(listed, list):
        issues.append(error(where, "has opinions that are not a list"))
        listed = []
    case = case_of({**row, "notes": ""}, where, issues)
    return Vignette(
        id=case.id or str(number),
        case=case if case.id else replace(case, id=str(number)),
        diseases=diseases,
        rareness=rareness,
        author=text(row, "author", where, issues),
        reviewers=texts(row, "reviewers", where, issues),
        opinions=tuple(_opinion(item, where, issues) for item in listed),
        notes=text(row, "notes", where, issues),
        group=text(row, "group", where, issues),
        causes={k: str(v) for k, v in pairs(row, "causes", where, issues).items()},
    )


def _opinion(item: object, where: str, issues: list[Issue]) -> Opinion:
    """One doctor's opinion; a list inside the differential is a group of ties."""
    if not isinstance(item, Mapping):
        issues.append(error(where, "has an opinion that is not an object"))
        return Opinion("", ())
    check_keys(item, OPINION_KEYS, f"{where}: opinion", issues)
    doctor = text(item, "doctor", where, issues)
    if not doctor:
        issues.append(error(where, "has an opinion without a doctor", 'give "doctor": "…"'))
    groups = []
    listed = item.get("differential")
    for entry in listed if isinstance(listed, (list, tuple)) else ():
        group = (entry,) if isinstance(entry, str) else entry
        if (
            not isinstance(group, (list, tuple))
            or not group
            or not all(isinstance(name, str) and name for name in group)
        ):
            issues.append(error(where, f"doctor '{doctor}' lists {entry!r:.40}", "write names"))
            continue
        groups.append(tuple(group))
    names = [name for group in groups for name in group]
    if not names:
        issues.append(error(where, f"doctor '{doctor}' lists no disease", "leave the opinion out"))
    for name in sorted(name for name, count in Counter(names).items() if count > 1):
        issues.append(error(where, f"doctor '{doctor}' lists '{name}' twice", "keep one"))
    return Opinion(
        doctor,
        tuple(groups),
        text(item, "triage", where, issues),
        _count(item, where, issues),
        text(item, "notes", where, issues),
    )


def _count(item: Mapping[str, Any], where: str, issues: list[Issue]) -> int:
    """How many listed diseases were left out."""
    value = item.get("outside") or 0
    if isinstance(value, int) and value >= 0:
        return int(value)
    issues.append(error(where, f"has 'outside' {value!r:.40}", "give a whole number >= 0"))
    return 0


def _row(vignette: Vignette) -> dict[str, Any]:
    """A vignette as plain values."""
    return {
        **document_of(vignette.case),
        "id": vignette.id,
        "notes": vignette.notes,
        "diseases": list(vignette.diseases),
        "rareness": vignette.rareness,
        "author": vignette.author,
        "reviewers": list(vignette.reviewers),
        "opinions": [
            {
                "doctor": opinion.doctor,
                "differential": [list(group) for group in opinion.differential],
                "triage": opinion.triage,
                "outside": opinion.outside,
                "notes": opinion.notes,
            }
            for opinion in vignette.opinions
        ],
        "group": vignette.group,
        "causes": dict(vignette.causes),
    }


def _fields() -> list[Any]:
    """The Parquet columns of a vignette."""
    import pyarrow as pa

    word = pa.string()
    opinion = pa.struct(
        [
            ("doctor", word),
            ("differential", pa.list_(pa.list_(word))),
            ("triage", word),
            ("outside", pa.int64()),
            ("notes", word),
        ]
    )
    return [
        *case_fields(),
        pa.field("diseases", pa.list_(word)),
        pa.field("rareness", word),
        pa.field("author", word),
        pa.field("reviewers", pa.list_(word)),
        pa.field("opinions", pa.list_(opinion)),
        pa.field("group", word),
        pa.field("causes", pa.map_(word, word)),
    ]
