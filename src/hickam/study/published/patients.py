"""Published patients whose diagnosis and findings the network knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hickam.evidence.vignette import Vignette
from hickam.hpo.build import Hpo
from hickam.io.vignettes import read_vignettes
from hickam.issues import Issue

MANY = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")  # endings of files with many patients


@dataclass(frozen=True, slots=True)
class Patient:
    """One patient by position: one disease, present terms, and the paper that told of them."""

    id: str
    paper: str
    disease: int
    terms: tuple[int, ...]
    held_out: bool  # whether the paper is nowhere in the annotations


def read_patients(source: str) -> tuple[list[Vignette], list[Issue]]:
    """The patients in a file, in a folder of phenopackets, or in a folder of files of many."""
    path = Path(source)
    files = sorted(f for mark in MANY for f in path.glob(f"*{mark}")) if path.is_dir() else []
    vignettes, issues = [], []
    for file in files or [path]:
        some, found = read_vignettes(file)
        vignettes += some
        issues += found
    return vignettes, issues


def admit(vignettes: Iterable[Vignette], hpo: Hpo) -> tuple[list[Patient], dict[str, int]]:
    """The patients that can be judged, and how many are left out and why."""
    place = {disease: position for position, disease in enumerate(hpo.table.diseases)}
    merged: Mapping[str, tuple[str, ...]] = hpo.merged
    patients = []
    counts: Counter[str] = Counter()
    for vignette in vignettes:
        counts["patients"] += 1
        names = {name for d in vignette.diseases for name in merged.get(d, (d,))}
        found = sorted(place[name] for name in names if name in place)
        if not found:
            counts["with a diagnosis that the annotations do not have"] += 1
            continue
        if len(found) > 1:
            counts["with several diagnoses"] += 1
            continue
        terms: dict[int, None] = {}
        for name in vignette.case.present:
            today = hpo.resolve(name)
            if today is None:
                counts["findings that are not in the ontology, left out"] += 1
            else:
                terms[hpo.ontology.place[today]] = None
        if not terms:
            counts["without a known finding"] += 1
            continue
        paper = vignette.group or vignette.id
        patients.append(
            Patient(vignette.id, paper, found[0], tuple(terms), paper not in hpo.papers)
        )
    counts["judged"] = len(patients)
    counts["judged, of papers that the annotations do not cite"] = sum(p.held_out for p in patients)
    return patients, dict(counts)
