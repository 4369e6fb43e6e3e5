"""Answers about a case as documents to keep: a phenopacket, a table, a report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import hickam
from hickam.advise.pairs import Pairs
from hickam.evidence.known import by_id
from hickam.io.phenopacket_export import to_phenopacket
from hickam.io.phenopackets import details_in
from hickam.issues import Issue
from hickam.measures.differential import Differential
from hickam.report.case_report import case_report
from hickam.report.plain import to_json
from hickam.report.record import Record
from hickam.report.table import to_tsv
from hickam.web.consult import Consultation
from hickam.web.shelf import Offer


def record_of(
    offer: Offer,
    asked: Consultation,
    dx: Differential,
    pairs: Pairs | None,
    left_out: Sequence[Issue] = (),
    packet: object = None,
) -> Record:
    """All that an export says about a case."""
    network = offer.network
    return Record(
        network=network,
        case=by_id(network, asked.case),
        differential=dx,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        version=hickam.__version__,
        pairs=pairs,
        warnings=tuple(left_out),
        details=details_in(packet, network),
    )


def written(record: Record, form: str, packet: object = None) -> str:
    """The document in one of the forms; `packet` is the phenopacket that the case came from."""
    if form == "html":
        return case_report(record)
    if form == "tsv":
        return to_tsv(record)
    document = to_phenopacket(
        record.network,
        record.case,
        record.differential,
        made=record.made,
        version=record.version,
        document=packet,
    )
    return to_json(document)
