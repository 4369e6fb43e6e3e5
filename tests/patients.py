"""A small network whose findings are ontology terms, and patients as phenopackets."""

from __future__ import annotations

import copy
from typing import Any

from hickam.io.network_text import read_text
from hickam.model.network import Network

NETWORK = """\
hickam: 1
name: Two syndromes
version: "2025-01-16"
licence: made up for tests
diseases:
  - {id: "OMIM:100001", name: Seizure syndrome, leak: 0.001}
  - {id: "OMIM:100002", name: Heart syndrome, leak: 0.001}
  - {id: "ORPHA:3", name: Mixed syndrome, leak: 0.0005}
findings:
  - {id: "HP:0001250", name: Seizure, synonyms: [Epileptic seizure, "HP:0002279"], leak: 0.01,
     causes: {"OMIM:100001": 0.9, "ORPHA:3": 0.4}}
  - {id: "HP:0001263", name: Global developmental delay, leak: 0.02,
     causes: {"OMIM:100001": 0.7, "ORPHA:3": 0.5}}
  - {id: "HP:0001627", name: Abnormal heart morphology, leak: 0.01, causes: {"OMIM:100002": 0.9}}
  - {id: "HP:0001631", name: Atrial septal defect, leak: 0.005,
     causes: {"OMIM:100002": 0.6, "ORPHA:3": 0.3}}
  - {id: "HP:0000252", name: Microcephaly, leak: 0.01, causes: {"OMIM:100001": 0.5}}
"""

PATIENT: dict[str, Any] = {
    "id": "patient-1",
    "subject": {
        "id": "proband",
        "sex": "FEMALE",
        "timeAtLastEncounter": {"age": {"iso8601duration": "P6Y3M"}},
    },
    "phenotypicFeatures": [
        {
            "type": {"id": "HP:0001250", "label": "Seizure"},
            "onset": {"age": {"iso8601duration": "P6M"}},
            "severity": {"id": "HP:0012828", "label": "Severe"},
        },
        {"type": {"id": "HP:0001631", "label": "Atrial septal defect"}, "excluded": False},
        {"type": {"id": "HP:9999999", "label": "Term of tomorrow"}},
        {"type": {"id": "HP:0000252", "label": "Microcephaly"}, "excluded": True},
    ],
    "interpretations": [
        {
            "id": "i1",
            "progressStatus": "SOLVED",
            "diagnosis": {"disease": {"id": "OMIM:100001", "label": "Seizure syndrome"}},
        }
    ],
    "diseases": [
        {
            "term": {"id": "OMIM:100001", "label": "Seizure syndrome"},
            "onset": {"ontologyClass": {"id": "HP:0003593", "label": "Infantile onset"}},
        },
        {"term": {"id": "OMIM:100002", "label": "Heart syndrome"}, "excluded": True},
    ],
    "metaData": {
        "created": "2025-01-01T00:00:00Z",
        "createdBy": "someone",
        "resources": [
            {
                "id": "hp",
                "name": "human phenotype ontology",
                "url": "http://purl.obolibrary.org/obo/hp.owl",
                "version": "2025-01-16",
                "namespacePrefix": "HP",
                "iriPrefix": "http://purl.obolibrary.org/obo/HP_",
            }
        ],
        "phenopacketSchemaVersion": "2.0.2",
        "externalReferences": [{"id": "PMID:123", "description": "A paper"}],
    },
}


def syndromes() -> Network:
    """The small network."""
    network, issues = read_text(NETWORK, "syndromes.yaml", warnings=False)
    assert not issues, issues
    assert isinstance(network, Network)
    return network


def patient(**changes: Any) -> dict[str, Any]:
    """A fresh copy of the patient with other top-level fields."""
    return {**copy.deepcopy(PATIENT), **changes}
