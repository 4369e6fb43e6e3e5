"""What networks and general models both say about a node, as plain documents."""

from __future__ import annotations

from typing import Any

from hickam.model.network import About, Category, Entry

Document = dict[str, Any]


def about_document(about: About) -> Document:
    """The head of a document: the format mark and the metadata."""
    document: Document = {"hickam": 1, "name": about.name}
    for key in ("version", "licence", "description", "disclaimer", "source", "notice"):
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
    """A categorical finding as a plain document."""
    return {
        "id": category.id,
        "name": category.name,
        **({"synonyms": list(category.synonyms)} if category.synonyms else {}),
        "values": list(category.values),
        "otherwise": list(category.otherwise),
        "given": {disease: list(chances) for disease, chances in category.given.items()},
    }
