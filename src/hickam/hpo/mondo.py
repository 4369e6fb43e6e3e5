"""Which Orphanet and OMIM diseases are the same, from Mondo's table of mappings (SSSOM)."""

from __future__ import annotations

from hickam.issues import invalid

EXACT = "skos:exactMatch"


def read_mondo(text: str) -> list[tuple[str, str]]:
    """Pairs (Orphanet id, OMIM id) that match one Mondo disease exactly."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    header = next(lines, "").split("\t")
    names = ("subject_id", "predicate_id", "object_id")
    if any(name not in header for name in names):
        what = f"needs the columns {', '.join(names)}"
        raise invalid("the table of Mondo", what, "give mondo.sssom.tsv as downloaded")
    subject, predicate, target = (header.index(name) for name in names)
    matches: dict[str, tuple[set[str], set[str]]] = {}
    for line in lines:
        cells = line.split("\t")
        if len(cells) <= max(subject, predicate, target) or cells[predicate] != EXACT:
            continue
        found = cells[target].replace("Orphanet:", "ORPHA:").replace("orphanet:", "ORPHA:")
        orphanet, omim = matches.setdefault(cells[subject], (set(), set()))
        if found.startswith("ORPHA:"):
            orphanet.add(found)
        elif found.startswith("OMIM:"):
            omim.add(found)
    return sorted({(o, d) for orphanet, omim in matches.values() for o in orphanet for d in omim})
