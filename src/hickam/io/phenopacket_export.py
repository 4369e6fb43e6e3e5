"""Results as a phenopacket: the patient as given, with candidate diagnoses as interpretations."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from hickam.evidence.case import Case
from hickam.io.iso_time import field_of
from hickam.io.phenopackets import is_cohort, is_phenopacket
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.record import Record
from hickam.words import number, percent

SCHEMA = "2.0"
OURS = "hickam"
NETWORK = "urn:hickam:network"
CURIE = re.compile(r"[A-Za-z][A-Za-z0-9_.]*:\S+")
SEXES = {"female": "FEMALE", "male": "MALE"}
NAMED = 8  # findings named in the summary of a candidate


def to_phenopacket(record: Record) -> dict[str, Any]:
    """The phenopacket of a case with one interpretation in progress for each candidate.

    All that the packet says that the case was read from is kept, but for candidates that an
    earlier export left. A network whose ids are no ontology ids gets the prefix "hickam:".
    """
    dx = record.differential
    packet = _given(record.document) or _fresh(record.network, record.case)
    kept = [
        item
        for item in field_of(packet, "interpretations") or []
        if not (isinstance(item, Mapping) and str(item.get("id", "")).startswith(f"{OURS}-"))
    ]
    packet["interpretations"] = [*kept, *(_interpretation(c, dx) for c in dx)]
    packet["metaData"] = _about(record, packet.get("metaData"))
    return packet


def _given(document: object) -> dict[str, Any] | None:
    """A copy of the packet that was given, or of a family's proband; None if there was none.

    What is written in version 1's words is not a version 2 packet and is made anew.
    """
    if not is_phenopacket(document) or is_cohort(document):
        return None
    assert isinstance(document, Mapping)
    inner = document.get("proband")
    packet = inner if isinstance(inner, Mapping) else document
    features = packet.get("phenotypicFeatures")
    old = any(
        isinstance(item, Mapping) and "negated" in item
        for item in (features if isinstance(features, list) else ())
    )
    snake = any("_" in key for key in packet)
    return None if old or snake else copy.deepcopy(dict(packet))


def _fresh(network: Model, case: Case) -> dict[str, Any]:
    """The packet of a case that was not given as one."""
    subject: dict[str, Any] = {"id": case.id or "patient"}
    if case.sex in SEXES:
        subject["sex"] = SEXES[case.sex]
    if case.age is not None:
        subject["timeAtLastEncounter"] = {"age": {"iso8601duration": _duration(float(case.age))}}
    listed: list[dict[str, Any]] = [{"type": _term(network, f)} for f in case.present]
    listed += [{"type": _term(network, finding), "excluded": True} for finding in case.absent]
    return {"id": case.id or "patient", "subject": subject, "phenotypicFeatures": listed}


def _term(network: Model, node: str) -> dict[str, str]:
    """A node as an ontology class."""
    label = network.label(node) if node in network.entries else node
    return {"id": _curie(node), "label": label}


def _curie(node: str) -> str:
    """An id with a prefix, as ontology classes have it.

    >>> _curie("HP:0001250"), _curie("chest pain")
    ('HP:0001250', 'hickam:chest_pain')
    """
    return node if CURIE.fullmatch(node) else f"{OURS}:{re.sub(r'[^A-Za-z0-9_.-]+', '_', node)}"


def _interpretation(candidate: Candidate, dx: Differential) -> dict[str, Any]:
    """One candidate as an interpretation that nobody has settled."""
    return {
        "id": f"{OURS}-{candidate.rank}-{re.sub(r'[^A-Za-z0-9]+', '-', candidate.disease)}",
        "progressStatus": "IN_PROGRESS",
        "diagnosis": {
            "disease": {"id": _curie(candidate.disease), "label": candidate.name},
            "genomicInterpretations": [],
        },
        "summary": _summary(candidate, dx),
    }


def _summary(candidate: Candidate, dx: Differential) -> str:
    """Where a candidate stands and what it explains, in two sentences."""
    measure = MEASURES[dx.measure]
    explained = sorted(candidate.disabled.items(), key=lambda item: -item[1])[:NAMED]
    named = ", ".join(f"{dx.names[finding]} ({percent(chance)})" for finding, chance in explained)
    said = (
        f"Candidate, rank {candidate.rank} of {dx.total} by {measure.title}; posterior "
        f"{percent(candidate.posterior)}; curing it is expected to remove "
        f"{number(candidate.disablement)} of {len(dx.present)} present findings."
    )
    return f"{said} Would go away: {named}." if named else said


def _about(record: Record, given: object) -> dict[str, Any]:
    """The meta data of the packet, with this program and its network among the resources."""
    network, dx, made, version = record.network, record.differential, record.made, record.version
    about = copy.deepcopy(dict(given)) if isinstance(given, Mapping) else {}
    resources = about.get("resources")
    ours = [
        _resource(OURS, "Hickam, counterfactual diagnosis", version, "urn:hickam:program"),
        _resource(
            f"{OURS}-network",
            " · ".join(filter(None, (network.name, network.about.notice))),
            network.about.version or dx.network_hash[:16],
            f"{NETWORK}:{dx.network_hash}",
        ),
    ]
    names = {resource["id"] for resource in ours}
    listed = [
        item
        for item in (resources if isinstance(resources, list) else ())
        if not (isinstance(item, Mapping) and item.get("id") in names)
    ]
    said = f"candidate diagnoses by {dx.measure}, engine {dx.engine}, {dx.accuracy}"
    updates = about.get("updates")
    update = {"timestamp": made, "updatedBy": f"Hickam {version}", "comment": said}
    return {
        "created": made,
        "createdBy": f"Hickam {version}",
        "phenopacketSchemaVersion": SCHEMA,
        **about,
        "resources": [*listed, *ours],
        "updates": [*(updates if isinstance(updates, list) else ()), update],
    }


def _resource(name: str, title: str, version: str, address: str) -> dict[str, str]:
    """A resource that ids or numbers come from."""
    return {
        "id": name,
        "name": title,
        "url": address,
        "version": version,
        "namespacePrefix": OURS if address.startswith(NETWORK) else f"{OURS}-program",
        "iriPrefix": f"{address}:",
    }


def _duration(years: float) -> str:
    """An age as an ISO 8601 duration of years and months.

    >>> _duration(3.5), _duration(0.0), _duration(2.0)
    ('P3Y6M', 'P0Y', 'P2Y')
    """
    whole, months = divmod(round(12.0 * years), 12)
    return f"P{whole}Y{months}M" if months else f"P{whole}Y"
