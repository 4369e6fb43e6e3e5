"""The vignette cards of the paper's authors, with the opinions of their doctors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hickam.evidence.case import Case
from hickam.evidence.vignette import RARENESS, Opinion, Vignette
from hickam.io.authors import DURATION, read_json
from hickam.issues import Issue, error, errors, warning

UNSURE = ("present", "absent", "unknown")
OUTSIDE = ("drop", "refuse")


@dataclass(frozen=True, slots=True)
class CardPolicy:
    """How to read what the cards leave open.

    The defaults are the authors' own reading: `unsure` findings are "present", `unsure_risks` are
    "absent"; both can be "present", "absent" or "unknown". `outside`, listed diseases that are not
    in any model (null ids): "drop" them from the doctor's list or "refuse".
    """

    unsure: str = "present"
    unsure_risks: str = "absent"
    outside: str = "drop"


def read_authors_cards(
    path: Path | str, network: str | None = None, policy: CardPolicy | None = None
) -> tuple[list[Vignette], list[Issue]]:
    """The vignettes in a file of the authors' format, of one network or of all, and every issue.

    Of several opinions by one doctor on one card the last counts; an opinion that names no
    disease of the model is left out. Both are reported.
    """
    policy = policy or CardPolicy()
    issues: list[Issue] = []
    for key, value, choices in (
        ("unsure", policy.unsure, UNSURE),
        ("unsure_risks", policy.unsure_risks, UNSURE),
        ("outside", policy.outside, OUTSIDE),
    ):
        if value not in choices:
            fix = f"choose one of {', '.join(choices)}"
            issues.append(error(f"policy {key}: {value!r}", "is not known", fix))
    vignettes = []
    cards = read_json(Path(path))
    for identifier, entry in cards.items() if isinstance(cards, dict) else ():
        card = entry.get("card", {})
        if network is None or card.get("network_name") == network:
            vignettes.append(_vignette(str(identifier), entry, policy, issues))
    if not vignettes and not errors(issues):
        wanted = f"of network '{network}'" if network else "at all"
        issues.append(error("the file", f"holds no vignettes {wanted}"))
    return vignettes, [replace(issue, file=str(path)) for issue in issues]


def _vignette(
    identifier: str, entry: Mapping[str, Any], policy: CardPolicy, issues: list[Issue]
) -> Vignette:
    """One card with its outcomes."""
    card = entry["card"]
    where = f"vignette '{identifier}'"
    present, absent = _findings(card, where, policy, issues)
    truths = card["diseases"]
    rareness = truths[0].get("rareness", "").replace("_", " ")
    if rareness not in RARENESS:
        issues.append(warning(where, f"has the unknown rareness '{rareness}'"))
    case = Case(
        present=present,
        absent=absent,
        risks=_risks(card, where, policy, issues),
        categories={DURATION: card["duration"]} if card.get("duration") else {},
        id=identifier,
    )
    return Vignette(
        id=identifier,
        case=case,
        diseases=tuple(truth["id"] for truth in truths),
        rareness=rareness,
        opinions=_opinions(entry.get("outcomes", []), where, policy, issues),
        group=card.get("network_name", ""),
    )


def _findings(
    card: Mapping[str, Any], where: str, policy: CardPolicy, issues: list[Issue]
) -> tuple[list[str], list[str]]:
    """(present, absent) findings of a card."""
    present: list[str] = []
    absent: list[str] = []
    for symptom in card["symptoms"]:
        finding, severity = symptom["concept"]["id"], symptom["severity"]
        if finding is None or symptom["label"] is None:
            issues.append(warning(where, "has a finding without id or label", "it is ignored"))
        elif severity == "NOT_PRESENT":
            absent.append(finding)
        elif severity == "UNSURE":
            issues.append(warning(where, f"is unsure of '{finding}'", f"read as {policy.unsure}"))
            if policy.unsure != "unknown":
                (present if policy.unsure == "present" else absent).append(finding)
        else:
            present.append(finding)
    return present, absent


def _risks(
    card: Mapping[str, Any], where: str, policy: CardPolicy, issues: list[Issue]
) -> dict[str, bool]:
    """Observed risk factors of a card."""
    risks = {}
    for risk in card["risk_factors"]:
        name, presence = risk["concept"]["id"], risk["presence"]
        if name is None or risk["label"] is None:
            issues.append(warning(where, "has a risk factor without id or label", "it is ignored"))
        elif presence == "UNSURE":
            read = policy.unsure_risks
            issues.append(warning(where, f"is unsure of risk factor '{name}'", f"read as {read}"))
            if read != "unknown":
                risks[name] = read == "present"
        else:
            risks[name] = presence == "PRESENT"
    return risks


def _opinions(
    outcomes: list[Mapping[str, Any]], where: str, policy: CardPolicy, issues: list[Issue]
) -> tuple[Opinion, ...]:
    """One opinion per doctor, the last, without diseases outside the model."""
    found: dict[str, Opinion] = {}
    for outcome in outcomes:
        doctor = outcome["user"]["id"]
        listed = [disease["concept"]["id"] for disease in outcome["doctor_diseases"]]
        known = [disease for disease in listed if disease is not None]
        outside = len(listed) - len(known)
        if outside:
            what = f"doctor '{doctor}' lists {outside} diseases outside the model"
            report = error if policy.outside == "refuse" else warning
            issues.append(report(where, what, "they are dropped from the list"))
        if not known:
            issues.append(
                warning(
                    where,
                    f"doctor '{doctor}' names no disease of the model",
                    "the opinion is left out",
                )
            )
            continue
        if doctor in found:
            issues.append(warning(where, f"doctor '{doctor}' answered twice", "the last counts"))
        found[doctor] = Opinion(
            doctor, tuple((disease,) for disease in known), outcome.get("triage", ""), outside
        )
    return tuple(found.values())
