"""A differential as a table of tab-separated values, with where it comes from above it."""

from __future__ import annotations

from hickam.issues import printable
from hickam.measures.scores import MEASURES
from hickam.record import Record
from hickam.words import guarded

COLUMNS = ("rank", "disease", "name", "genes", *MEASURES, "explains", "unexplained")


def to_tsv(record: Record) -> str:
    """One line for each candidate; lines that begin with '!' say what the table rests on."""
    network, case = record.network, record.case
    lines = [f"! {what}: {which}" for what, which in record.versions()]
    lines.append(f"! Case: {case.id or 'without a name'}")
    lines.append(f"! Present: {'; '.join(case.present)}")
    lines.append(f"! Excluded: {'; '.join(case.absent)}")
    lines += [f"! {issue}" for issue in record.warnings]
    lines = [printable(line) for line in lines]
    lines.append("\t".join(COLUMNS))
    for candidate in record.differential:
        explained = (f"{finding}={chance:.4g}" for finding, chance in candidate.explains.items())
        cells = [
            str(candidate.rank),
            candidate.disease,
            candidate.name,
            ";".join(network.entries[candidate.disease].genes),
            *(f"{candidate.scores[measure]:.6g}" for measure in MEASURES),
            ";".join(explained),
            ";".join(record.differential.left_open(candidate)),
        ]
        lines.append("\t".join(guarded(printable(cell)) for cell in cells))
    return "\n".join(lines) + "\n"
