"""Results of one case as files, by the ending of their name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hickam.advise.pairs import Pairs
from hickam.cli.options import Taken
from hickam.evidence.known import by_id
from hickam.io.text import write_file
from hickam.issues import error, raise_errors
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.report.record import Record


def check_endings(paths: Sequence[str]) -> None:
    """Refuse files of an unknown kind before any work is done."""
    fix = f"use {', '.join(WRITERS)}"
    raise_errors(
        error(f"output file '{path[:200]}'", "has an unknown ending", fix)
        for path in paths
        if Path(path).suffix.lower() not in WRITERS
    )


def export(
    path: str, network: Model, taken: Taken, differential: Differential, pairs: Pairs | None
) -> None:
    """Write the answer about one case to a file."""
    import hickam

    record = Record(
        network=network,
        case=by_id(network, taken.case),
        differential=differential,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        version=hickam.__version__,
        pairs=pairs,
        warnings=tuple(taken.warnings),
        details=taken.details(network),
    )
    text = WRITERS[Path(path).suffix.lower()](record, taken.document)
    write_file(Path(path), text)


def _html(record: Record, _document: object) -> str:
    from hickam.report.case_report import case_report

    return case_report(record)


def _tsv(record: Record, _document: object) -> str:
    from hickam.report.table import to_tsv

    return to_tsv(record)


def _phenopacket(record: Record, document: object) -> str:
    from hickam.io.phenopacket_export import to_phenopacket
    from hickam.report.plain import to_json

    packet = to_phenopacket(
        record.network,
        record.case,
        record.differential,
        made=record.made,
        version=record.version,
        document=document,
    )
    return to_json(packet) + "\n"


WRITERS: dict[str, Callable[[Record, object], str]] = {
    ".html": _html,
    ".tsv": _tsv,
    ".json": _phenopacket,
}
