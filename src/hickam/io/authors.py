"""The file formats of the paper's authors: their networks and their vignette cards.

Neither format is clean. Each known blemish has a policy that must be chosen by name, and every
use of a policy is reported: nothing is repaired or left out in silence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hickam.issues import Issue, did_you_mean, error, errors, invalid, warning
from hickam.model.build import build_network
from hickam.model.network import Network

DURATION = "duration"
DURATION_VALUES = ("C0436361", "C0436362", "C0436363", "C0436364", "C0436365")
IMPOSSIBLE = ("refuse", "clip", "drop")
DUPLICATES = ("refuse", "first", "product")
SECTIONS = {"Risk": "risk_factors", "Disease": "diseases", "Symptom": "findings"}


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """What to do with a network's blemishes.

    `impossible` λ outside [0, 1]: "refuse", "clip" to the nearer end or "drop" the link.
    `duplicates`, a parent listed twice: "refuse", take the "first" λ (as the authors' code does) or
    the "product" (two independent mechanisms, the noisy-OR reading).
    """

    impossible: str = "refuse"
    duplicates: str = "refuse"


def read_authors_network(
    path: Path | str, name: str = "A", policy: NetworkPolicy | None = None
) -> tuple[Network | None, list[Issue]]:
    """The network of that name in a file of the authors' format, or None, and every issue."""
    policy = policy or NetworkPolicy()
    issues = _check_policy(policy)
    networks = read_json(Path(path))
    if not isinstance(networks, dict) or name not in networks:
        known = list(networks) if isinstance(networks, dict) else []
        issues.append(
            replace(
                error(f"network '{name}'", "is not in the file", did_you_mean(name, known)),
                file=str(path),
            )
        )
        return None, issues
    document: dict[str, Any] = {
        "hickam": 1,
        "name": f"network {name}",
        "source": f"{Path(path).name}, {policy.impossible} impossible λ, "
        f"{policy.duplicates} duplicate parents",
        **{section: [] for section in SECTIONS.values()},
    }
    for node, entry in networks[name].items():
        _read_node(node, entry, document, policy, issues)
    if errors(issues):
        return None, [replace(issue, file=str(path)) for issue in issues]
    network, found = build_network(document)
    issues += found
    return network, [replace(issue, file=str(path)) for issue in issues]


def read_json(path: Path) -> Any:
    """The JSON document in a file; a missing or broken file is the user's to fix."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad}") from None


def _check_policy(policy: NetworkPolicy) -> list[Issue]:
    """What is wrong with the names of the policies."""
    issues = []
    for key, value, choices in (
        ("impossible", policy.impossible, IMPOSSIBLE),
        ("duplicates", policy.duplicates, DUPLICATES),
    ):
        if value not in choices:
            fix = f"choose one of {', '.join(choices)}"
            issues.append(error(f"policy {key}: {value!r}", "is not known", fix))
    return issues


def _read_node(
    node: str,
    entry: Mapping[str, Any],
    document: dict[str, Any],
    policy: NetworkPolicy,
    issues: list[Issue],
) -> None:
    """Add one node of the authors' format to a network document."""
    label, parents, table = entry.get("label"), entry.get("parents", []), entry.get("cpt", [])
    where = f"{label} '{node}'"
    if label not in SECTIONS:
        issues.append(error(where, "has an unknown label", "Risk, Disease or Symptom"))
    elif table and isinstance(table[0], list):
        _read_duration(parents, table, where, document, issues)
    elif label == "Risk":
        if len(table) != 2 or not math.isclose(sum(table), 1.0, abs_tol=1e-9):
            issues.append(error(where, "is not a distribution [off, on]"))
            return
        document["risk_factors"].append({"id": node, "prior": table[1]})
    elif len(table) != len(parents) + 1:
        issues.append(
            error(
                where,
                f"has {len(table)} numbers for {len(parents)} parents",
                "one λ per parent, then the leak's",
            )
        )
    else:
        leak = _possible(table[-1], f"{where}: leak", policy, issues)
        causes = _causes(parents, table[:-1], where, policy, issues)
        document[SECTIONS[label]].append(
            {"id": node, "leak": {"fails": 1.0 if leak is None else leak}, "causes": causes}
        )


def _possible(fails: float, where: str, policy: NetworkPolicy, issues: list[Issue]) -> float | None:
    """A λ within [0, 1], by policy; None for a link to drop."""
    if 0.0 <= fails <= 1.0:
        return fails
    what = f"has the impossible λ {fails:.6g}"
    if policy.impossible == "refuse":
        issues.append(error(where, what, "choose the policy impossible: clip or drop"))
        return None
    clipped = min(max(fails, 0.0), 1.0)
    done = f"clipped to {clipped:g}" if policy.impossible == "clip" else "the link is dropped"
    issues.append(warning(where, what, done))
    return clipped if policy.impossible == "clip" else None


def _causes(
    parents: list[str], table: list[float], where: str, policy: NetworkPolicy, issues: list[Issue]
) -> dict[str, dict[str, float]]:
    """Parent → λ, with duplicates and impossible values settled by policy."""
    listed: dict[str, list[float]] = {}
    for parent, value in zip(parents, table, strict=True):
        fails = _possible(value, f"{where}: parent '{parent}'", policy, issues)
        if fails is not None:
            listed.setdefault(parent, []).append(fails)
    for parent, values in listed.items():
        if len(values) > 1:
            what = f"lists the parent '{parent}' with λ " + " and ".join(f"{v:.6g}" for v in values)
            if policy.duplicates == "refuse":
                fix = "choose the policy duplicates: first or product"
                issues.append(error(where, what, fix))
            else:
                issues.append(warning(where, what, f"the {policy.duplicates} is used"))
    pick = math.prod if policy.duplicates == "product" else _first
    return {parent: {"fails": pick(values)} for parent, values in listed.items()}


def _first(values: list[float]) -> float:
    """The first of the values."""
    return values[0]


def _read_duration(
    parents: list[str],
    table: list[list[float]],
    where: str,
    document: dict[str, Any],
    issues: list[Issue],
) -> None:
    """The duration node as a category: a distribution over five values per disease."""
    if document.get("categories"):
        issues.append(error(where, "is a second categorical node"))
        return
    given = dict(zip(parents, table, strict=False))
    if len(given) < len(parents) or len(table) != len(parents):
        issues.append(error(where, "does not have one distribution per parent"))
    document["categories"] = [
        {
            "id": DURATION,
            "name": "Duration of symptoms",
            "values": list(DURATION_VALUES),
            "given": given,
        }
    ]
