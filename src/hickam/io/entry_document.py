"""What networks and general models both say about a node, as plain documents."""

from __future__ import annotations

from typing import Any

from hickam.model.alarms import alarms_document
from hickam.model.network import About, Category, Entry, Scale

Document = dict[str, Any]
ABOUT = (
    *("version", "licence", "description", "disclaimer", "source", "notice"),
    "learnt_from",
)


def about_document(about: About) -> Document:
    """The head of a document: the format mark and the metadata."""
    document: Document = {"hickam": 1, "name": about.name}
    for key in ABOUT:
        if getattr(about, key):
            document[key] = getattr(about, key)
    return document


def entry_document(entry: Entry, default_source: str) -> Document:
    """What is said about a node, without what is at its default."""
    plain = Entry(id=entry.id, name=entry.id)
    found: Document = {"id": entry.id}
    for key in (
        *("name", "group", "kind", "rareness", "urgency", "cruelty", "cost"),
        *("is_a", "per_finding", "absence"),
    ):
        if getattr(entry, key) != getattr(plain, key):
            found[key] = getattr(entry, key)
    if entry.synonyms:
        found["synonyms"] = list(entry.synonyms)
    if entry.source and entry.source != default_source:
        found["source"] = entry.source
    if entry.asked_after:
        found["asked_after"] = list(entry.asked_after)
    if entry.alarms:
        found["alarm"] = alarms_document(entry.alarms)
    if entry.prevalence:
        found["prevalence"] = [
            {
                **({"sex": row.sex} if row.sex else {}),
                **({"age": list(row.age)} if row.age else {}),
                "factor": row.factor,
            }
            for row in entry.prevalence
        ]
    if (entry.treatment_cost, entry.treatment_success) != (1.0, 1.0):
        found["treatment"] = {"cost": entry.treatment_cost, "success": entry.treatment_success}
    return found


def chance_document(acts: float, fails: float, source: str | None) -> float | Document:
    """A probability; as λ where only that keeps the digits."""
    if fails == 1.0 - acts:
        return {"probability": acts, "source": source} if source else acts
    return {"fails": fails, **({"source": source} if source else {})}


def category_document(category: Category) -> Document:
    """An observation with values as a plain document."""
    found: Document = {"id": category.id, "name": category.name}
    if category.synonyms:
        found["synonyms"] = list(category.synonyms)
    if category.of:
        found["of"] = category.of
    if category.cost != 1.0:
        found["cost"] = category.cost
    if category.scale is not None:
        found |= _scale_document(category.scale)
    if category.values:
        found["values"] = list(category.values)
        found["otherwise"] = list(category.otherwise)
        found["given"] = {disease: list(chances) for disease, chances in category.given.items()}
    if category.means:
        found["means"] = {
            value: {"present": list(present), "absent": list(absent)}
            for value, (present, absent) in category.means.items()
        }
    return found


def _scale_document(scale: Scale) -> Document:
    """What makes an observation numeric, as plain keys."""
    found: Document = {"unit": scale.unit}
    if scale.units:
        found["units"] = {
            unit: {"times": times, "plus": plus} for unit, (times, plus) in scale.units.items()
        }
    if scale.range is not None:
        found["range"] = list(scale.range)
    if scale.cuts:
        found["cuts"] = list(scale.cuts)
    if scale.second_cuts:
        found["second_cuts"] = list(scale.second_cuts)
    if scale.curves:
        found["curves"] = {
            disease: [list(point) for point in points] for disease, points in scale.curves.items()
        }
    return found
