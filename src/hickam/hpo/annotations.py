"""`phenotype.hpoa`: what is written about each disease, pooled by stated rules.

Only rows of aspect P (phenotypic abnormality) count. A disease's rows about one term are pooled:
fractions k/n add up, words and percentages are averaged. A NOT row, and a fraction with k = 0, says
that the finding was looked for and not there. Rows for one sex count as they stand; modifiers and
onset are not used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hickam.hpo.ontology import Ontology
from hickam.issues import invalid

FRACTION = re.compile(r"(\d{1,9})/(\d{1,9})")
PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)%")
WORDS = {  # the middle of the range that each word stands for
    "HP:0040280": 1.0,  # obligate
    "HP:0040281": 0.9,  # very frequent, 80 to 99 %
    "HP:0040282": 0.55,  # frequent, 30 to 79 %
    "HP:0040283": 0.17,  # occasional, 5 to 29 %
    "HP:0040284": 0.025,  # very rare, 1 to 4 %
    "HP:0040285": 0.0,  # excluded
}
COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "reference", "frequency", "aspect")


@dataclass(slots=True)
class Said:
    """All that the rows of one disease say about one term."""

    seen: int = 0  # k of the fractions, added up
    asked: int = 0  # n of the fractions
    words: list[float] = field(default_factory=list)
    bare: int = 0  # rows without a frequency
    denied: bool = False  # a NOT row


@dataclass(frozen=True, slots=True)
class Row:
    """One row about a phenotypic abnormality, its term an id of today."""

    disease: str
    term: int
    denied: bool
    frequency: str
    papers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """Everything that is read of the file."""

    version: str
    names: Mapping[str, str]  # disease → name
    rows: tuple[Row, ...]
    papers: frozenset[str]  # every PMID that any row cites
    counts: Mapping[str, int]  # what was left out or mapped, in words

    def said(self) -> dict[str, dict[int, Said]]:
        """Disease → term → what is said."""
        return pool(self.rows)


def pool(rows: Iterable[Row]) -> dict[str, dict[int, Said]]:
    """Disease → term → what some rows say together."""
    found: dict[str, dict[int, Said]] = {}
    for row in rows:
        said = found.setdefault(row.disease, {}).setdefault(row.term, Said())
        if row.denied:
            said.denied = True
        else:
            _add(said, row.frequency)
    return found


def read_annotations(text: str, ontology: Ontology) -> Annotations:
    """The rows of `phenotype.hpoa` that are about phenotypic abnormalities."""
    lines = text.splitlines()
    version = next((line[9:].strip() for line in lines[:20] if line.startswith("#version:")), "")
    names: dict[str, str] = {}
    rows, counts = [], Counter[str]()
    papers: set[str] = set()
    for cells in _table(lines):
        disease, name, qualifier, term, reference, frequency, aspect = cells
        cited = tuple(r for r in reference.split(";") if r.startswith("PMID:"))
        papers.update(cited)
        names.setdefault(disease, name)
        if aspect != "P":
            counts[f"rows of aspect {aspect}, not used"] += 1
            continue
        found = ontology.resolve(term)
        if found is None:
            counts["rows with a term that is no phenotypic abnormality, not used"] += 1
            continue
        if found != term:
            counts["rows with an old id, read as the id of today"] += 1
        denied = qualifier == "NOT"
        if denied:
            counts["NOT rows"] += 1
        rows.append(Row(disease, ontology.place[found], denied, frequency, cited))
    return Annotations(version, names, tuple(rows), frozenset(papers), dict(counts))


def _table(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The columns that are needed, by the names in the header line."""
    body = (line for line in lines if line and not line.startswith("#"))
    header = next(body, "").lower().split("\t")
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        what = f"has no column '{missing[0]}'"
        raise invalid("phenotype.hpoa", what, "give the file as downloaded, version 2020 or later")
    places = [header.index(name) for name in COLUMNS]
    width = max(places) + 1
    for number, line in enumerate(body, 1):
        cells = line.split("\t")
        if len(cells) < width:
            what = f"has {len(cells)} columns in row {number}"
            raise invalid("phenotype.hpoa", what, "the file is cut short: download it again")
        yield tuple(cells[place] for place in places)


def _add(said: Said, frequency: str) -> None:
    """Take in one row's frequency."""
    fraction = FRACTION.fullmatch(frequency)
    if fraction and int(fraction[2]) > 0:
        said.seen += min(int(fraction[1]), int(fraction[2]))
        said.asked += int(fraction[2])
        return
    percent = PERCENT.fullmatch(frequency)
    if percent:
        said.words.append(min(float(percent[1]) / 100.0, 1.0))
    elif frequency in WORDS:
        said.words.append(WORDS[frequency])
    else:
        said.bare += 1
