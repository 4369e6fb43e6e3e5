"""The answer about one case as a document to keep: a phenopacket, a table, a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import hickam
from hickam.advise.pairs import Pairs
from hickam.evidence.case import Case
from hickam.evidence.known import by_id
from hickam.io.phenopacket_export import to_phenopacket
from hickam.io.phenopackets import details_in
from hickam.issues import Issue
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.record import Record
from hickam.report.case_report import case_report
from hickam.report.plain import to_json
from hickam.report.table import to_tsv


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of document."""

    ending: str  # of a file's name
    media_type: str
    write: Callable[[Record], str]


def record_of(
    network: Model,
    case: Case,
    dx: Differential,
    *,
    pairs: Pairs | None = None,
    warnings: Sequence[Issue] = (),
    document: object = None,
) -> Record:
    """All that an export says about a case; `document` is the phenopacket it was read from."""
    return Record(
        network=network,
        case=by_id(network, case),
        differential=dx,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        version=hickam.__version__,
        pairs=pairs,
        warnings=tuple(warnings),
        details=details_in(document, network),
        document=document,
    )


def _phenopacket(record: Record) -> str:
    return to_json(to_phenopacket(record)) + "\n"


FORMS: Mapping[str, Form] = {
    "phenopacket": Form(".json", "application/json", _phenopacket),
    "tsv": Form(".tsv", "text/tab-separated-values", to_tsv),
    "html": Form(".html", "text/html", case_report),
}
