"""Public data on which systems that ask questions are compared, as networks and patients.

Read from the folder that HICKAM_INTERVIEWS names: `symcat.json.gz` (disease → symptoms with
probabilities, and subsets), `ddxplus.json.gz` (conditions, evidences, P(value | condition)) and
`dxy.json.gz` (dialogues with known answers).
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import hickam
from hickam.model.build import build_network

ILL = "ill"  # the finding that brings every patient of Dxy
DONT_KNOW = "?"


@dataclass(frozen=True)
class Patient:
    """What is known at first, what would be answered, and the truth."""

    case: hickam.Case
    answer: Callable[[str, str], str]  # (what it is about, id) → answer
    truth: tuple[str, ...]
    told: Mapping[str, Any] = field(default_factory=dict)


def read(name: str) -> Any:
    folder = os.environ.get("HICKAM_INTERVIEWS")
    if not folder:
        raise SystemExit("set HICKAM_INTERVIEWS to the folder of the interview data")
    with gzip.open(Path(folder) / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def built(document: dict[str, Any]) -> hickam.Network:
    network, issues = build_network({"hickam": 1, **document})
    assert network is not None, issues[:5]
    return network


def symcat(subset: str) -> hickam.Network:
    """The network of a subset of SymCAT, or of all its diseases."""
    data = read("symcat")
    diseases = data["subsets"].get(subset) or list(data["diseases"])
    findings: dict[str, dict[str, float]] = {}
    for disease in diseases:
        for symptom, chance in data["diseases"][disease]:
            findings.setdefault("symptom " + symptom.strip(), {})[disease] = chance
    return built(
        {
            "name": f"SymCAT {subset}",
            "diseases": [{"id": disease, "leak": 1.0 / len(diseases)} for disease in diseases],
            "findings": [{"id": f, "leak": 1e-6, "causes": c} for f, c in findings.items()],
        }
    )


def symcat_patients(
    network: hickam.Network, count: int, seed: int, diseases: int = 1
) -> list[Patient]:
    """Uniform diseases, each symptom with its probability, one random present symptom given."""
    rng = np.random.default_rng(seed)
    links = network.effects
    patients: list[Patient] = []
    while len(patients) < count:
        truth = rng.choice(len(network.diseases), size=diseases, replace=False)
        has: set[int] = set()
        for disease in truth.tolist():
            row = links.of_cause(disease)
            drawn = rng.random(row.stop - row.start) < links.acts[row]
            has |= set(links.effect[row][drawn].tolist())
        if not has:
            continue
        names = {network.findings[finding] for finding in has}
        first = network.findings[int(rng.choice(sorted(has)))]
        patients.append(
            Patient(
                hickam.Case(present=[first]),
                lambda _about, asked, names=names: "yes" if asked in names else "no",
                tuple(network.diseases[disease] for disease in truth.tolist()),
            )
        )
    return patients


def dxy() -> tuple[hickam.Network, list[Patient]]:
    """Dxy as a network of answers yes, no and not sure, learned from the training dialogues."""
    data = read("dxy")
    slots = sorted({slot for one in data["train"] for slot in _slots(one)})
    values = ("yes", "no", "not sure")
    counts: dict[str, Counter[tuple[str, str]]] = {}
    size: Counter[str] = Counter()
    for one in data["train"]:
        disease = one["disease_tag"]
        size[disease] += 1
        known = _slots(one)
        counts.setdefault(disease, Counter()).update(
            (slot, known.get(slot, "not sure")) for slot in slots
        )

    def chances(found: Counter[tuple[str, str]], total: int, slot: str) -> list[float]:
        return [(found[slot, value] + 0.5) / (total + 1.5) for value in values]

    everyone = sum(counts.values(), Counter())
    total = sum(size.values())
    network = built(
        {
            "name": "Dxy",
            "diseases": [{"id": d, "leak": size[d] / total} for d in sorted(size)],
            "findings": [{"id": ILL, "leak": 1e-6, "causes": dict.fromkeys(sorted(size), 1.0)}],
            "categories": [
                {
                    "id": slot,
                    "values": list(values),
                    "otherwise": chances(everyone, total, slot),
                    "given": {d: chances(counts[d], size[d], slot) for d in sorted(size)},
                }
                for slot in slots
            ],
        }
    )
    patients = []
    for one in data["test"]:
        goal = one["goal"]
        stated = {
            slot: "yes" if value is True else "no"
            for slot, value in goal["explicit_inform_slots"].items()
            if slot in slots
        }
        known = _slots(one)
        patients.append(
            Patient(
                hickam.Case(present=[ILL], categories=stated),
                lambda _about, asked, known=known: known.get(asked, "not sure"),
                (one["disease_tag"],),
            )
        )
    return network, patients


def _slots(one: Mapping[str, Any]) -> dict[str, str]:
    goal = one["goal"]
    both = {**goal["explicit_inform_slots"], **goal["implicit_inform_slots"]}
    words = {True: "yes", False: "no"}
    return {slot: words[value] for slot, value in both.items() if value in words}


@dataclass(frozen=True)
class DDXPlus:
    """DDXPlus: follow-up → the question that must have been answered with yes before."""

    network: hickam.Network
    follows: Mapping[str, str]
    statistics: Mapping[str, Any]
    symptoms: frozenset[str]
    defaults: Mapping[str, str]


def ddxplus() -> DDXPlus:
    """DDXPlus as a network: yes-or-no evidences as findings, the others as categories."""
    data = read("ddxplus")
    conditions, evidences = data["statistics"], data["evidences"]
    total = sum(one["prior"] for one in conditions.values())
    findings: dict[str, dict[str, float]] = {}
    categories: dict[str, dict[str, dict[str, float]]] = {}
    for name, one in conditions.items():
        for evidence, chance in one["findings"].items():
            if isinstance(chance, Mapping):
                categories.setdefault(evidence, {})[name] = dict(chance)
            else:
                findings.setdefault(evidence, {})[name] = min(float(chance), 1.0 - 1e-6)
    defaults = {e: str(evidences[e]["default_value"]) for e in categories}
    network = built(
        {
            "name": "DDXPlus",
            "diseases": [
                {"id": "condition " + name, "leak": one["prior"] / total}
                for name, one in conditions.items()
            ],
            "findings": [
                {
                    "id": evidence,
                    "leak": 1e-6,
                    "causes": {"condition " + d: p for d, p in causes.items() if p > 1e-6},
                }
                for evidence, causes in findings.items()
                if any(p > 1e-6 for p in causes.values())
            ],
            "categories": [
                _category(evidence, given, defaults[evidence])
                for evidence, given in categories.items()
            ],
        }
    )
    follows = {
        name: one["code_question"]
        for name, one in evidences.items()
        if one["code_question"] != name and one["code_question"] in network.index
    }
    symptoms = frozenset(
        name for name, one in evidences.items() if not one["is_antecedent"] and name in findings
    )
    return DDXPlus(network, follows, conditions, symptoms, defaults)


def _category(
    evidence: str, given: Mapping[str, Mapping[str, float]], default: str
) -> dict[str, Any]:
    """A categorical evidence; a condition that does not speak of it gives the default value."""
    values = sorted({default, *(value for chances in given.values() for value in chances)})
    rows = {}
    for disease, chances in given.items():
        row = np.array([chances.get(value, 1e-7) for value in values])
        rows["condition " + disease] = (row / row.sum()).tolist()
    usual = np.array([0.99 if value == default else 0.0 for value in values]) + 0.01 / len(values)
    return {
        "id": evidence,
        "values": values,
        "otherwise": (usual / usual.sum()).tolist(),
        "given": rows,
    }


def ddxplus_patients(data: DDXPlus, count: int, seed: int) -> list[Patient]:
    """Patients drawn from the statistics; a follow-up has its default unless its question is yes.

    A multiple choice is drawn as one value, which is all that the statistics tell.
    """
    rng = np.random.default_rng(seed)
    names = list(data.statistics)
    prior = np.array([data.statistics[name]["prior"] for name in names])
    patients: list[Patient] = []
    while len(patients) < count:
        name = names[int(rng.choice(len(names), p=prior / prior.sum()))]
        answers: dict[str, str] = {}
        for evidence, chance in data.statistics[name]["findings"].items():
            if isinstance(chance, Mapping):
                row = np.array(list(chance.values()))
                answers[evidence] = str(rng.choice(list(chance), p=row / row.sum()))
            else:
                answers[evidence] = "yes" if rng.random() < chance else "no"
        for evidence, parent in data.follows.items():
            if answers.get(parent) != "yes" and evidence in answers:
                answers[evidence] = data.defaults.get(evidence, "no")
        shown = sorted(e for e in data.symptoms if answers.get(e) == "yes")
        if not shown:
            continue
        patients.append(
            Patient(
                hickam.Case(present=[str(rng.choice(shown))]),
                lambda about, asked, a=answers: a.get(
                    asked, data.defaults.get(asked, "no") if about == "category" else "no"
                ),
                ("condition " + name,),
            )
        )
    return patients
