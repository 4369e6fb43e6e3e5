"""How much of annotated notes the note reader reads, and how much of what it reads is right.

Run `python benchmarks/notes.py [FILE ...]` from the repository: the notes of `tests/golden`, or of
files. `--smoke` reads built-in notes, `--misses` lists what went wrong. A file holds a list of
notes: `text`, `age` (`value`, `unit`), `sex`, `statements` with `status`, `expect` (present,
absent, …), `any_of` and `also` (ids), and `tolerate` (ids). A vignette has `index` in place of
`text`: the line of `avey_development.jsonl` in the folder `HICKAM_VIGNETTES`. What is only offered
counts as unread.
"""

import argparse
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

import hickam
from hickam.language.note import Note, Status, read_note
from hickam.language.reading import Reading, read_value
from hickam.model.is_a import kinds_of

CLINIC = hickam.load("clinic")
GOLDEN = ("notes.yaml", "notes_held.yaml")  # the second half is never tuned on
YEARS = {"years": 1.0, "months": 1 / 12, "weeks": 7 / 365.25, "days": 1 / 365.25}
FIELDS = (
    ("", "demographics"),
    ("", "chief_complaints"),
    ("", "presentation"),
    ("", "absent_findings"),
    ("PMH: ", "physical_history"),
    ("FH: ", "family_history"),
    ("SH: ", "social_history"),
)
SMOKE: list[dict[str, Any]] = [
    {
        "text": "67f, headache ?tension. Neck stiff. No fever.",
        "age": {"value": 67, "unit": "years"},
        "sex": "female",
        "statements": [
            {"quote": "headache", "any_of": ["headache"], "status": "present", "expect": "present"},
            {
                "quote": "stiff",
                "any_of": ["neck_stiffness"],
                "status": "present",
                "expect": "present",
            },
            {"quote": "fever", "any_of": ["fever"], "status": "absent", "expect": "absent"},
        ],
    },
    {
        "text": "Man of 40. Denies cough. BP 180/110. Dad had a heart attack at 50",
        "age": {"value": 40, "unit": "years"},
        "sex": "male",
        "statements": [
            {"quote": "cough", "any_of": ["cough"], "status": "absent", "expect": "absent"},
            {
                "quote": "BP 180/110",
                "any_of": ["high_blood_pressure"],
                "status": "measurement",
                "expect": "present",
            },
            {
                "quote": "heart attack",
                "any_of": ["family_heart_disease"],
                "status": "family",
                "expect": "present",
            },
        ],
    },
    {"text": "Works as roofer. ?PE", "age": None, "sex": None, "statements": []},
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    golden = [Path(__file__).parents[1] / "tests" / "golden" / name for name in GOLDEN]
    files = asked.files or golden
    sets = {"smoke": SMOKE} if asked.smoke else {file.name: _read(file) for file in files}
    for name, notes in sets.items():
        by_author: dict[str, list[dict[str, Any]]] = {}
        for note in notes:
            by_author.setdefault(note.get("author", ""), []).append(note)
        if len(by_author) > 1:
            for author, some in by_author.items():
                print(_row(f"{name} {author}", some, misses=asked.misses))
        print(_row(name, notes, misses=asked.misses and len(by_author) == 1))


def _read(file: Path) -> list[dict[str, Any]]:
    """The notes of a file, with the text of vignettes."""
    text = file.read_text()
    notes = json.loads(text) if file.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
    vignettes: list[str] = []
    if any("index" in note for note in notes):
        folder = Path(os.environ["HICKAM_VIGNETTES"])
        vignettes = (folder / "avey_development.jsonl").read_text().splitlines()
    for note in notes:
        if "index" in note:
            vignette = json.loads(vignettes[note["index"]])
            parts = (f"{head}{vignette.get(field, '')}" for head, field in FIELDS)
            note["text"] = "\n".join(" ".join(part.split()) for part in parts)
    return notes


def counted(file: Path) -> tuple[Counter[str], int]:
    """What of the notes of a file is read and right, and how many notes there are."""
    notes = _read(file)
    return _counts(notes, misses=False), len(notes)


def _counts(notes: list[dict[str, Any]], *, misses: bool) -> Counter[str]:
    count: Counter[str] = Counter()
    for gold in notes:
        _score(gold, read_note(CLINIC, gold["text"]), count, misses=misses)
    return count


def _row(name: str, notes: list[dict[str, Any]], *, misses: bool) -> str:
    """The figures of some notes in one line."""
    begun = time.perf_counter()
    count = _counts(notes, misses=misses)
    seconds = time.perf_counter() - begun
    figures = [
        f"{what}: precision {_of(count, what, 'right', 'said')} "
        f"recall {_of(count, what, 'hit', 'gold')}"
        for what in ("present", "absent")
    ]
    person = ", ".join(f"{what} {count[what]}/{len(notes)}" for what in ("age", "sex"))
    flags = f"red flags neither read nor named {count['flag lost']}/{count['flag gold']}"
    each = f"{1e3 * seconds / len(notes):.0f} ms each"
    return f"{name:22} {len(notes):4} notes. {'. '.join(figures)}. {person}. {flags}. {each}"


def _of(count: Counter[str], what: str, part: str, whole: str) -> str:
    """A share in percent, with its counts."""
    total = count[f"{what} {whole}"]
    return f"{100 * count[f'{what} {part}'] / max(total, 1):5.1f} % of {total}"


def said_by(note: Note) -> tuple[set[str], set[str]]:
    """(ids that a note says are there, ids that it says are not)."""
    there, absent = set[str](), set[str]()
    for span in note.spans:
        for one in span.meant:
            if one.kind != "category":
                (there if one.there else absent).add(one.id)
                continue
            category = next(c for c in CLINIC.categories if c.id == one.id)
            value = read_value(category, one.entered)
            if isinstance(value, Reading):
                on, off = category.means.get(value.value or "", ((), ()))
                there |= {*on, one.id + "=" + str(value.value)}
                absent |= set(off)
    return there, absent - there


def _score(gold: dict[str, Any], note: Note, count: Counter[str], *, misses: bool) -> None:
    """Count what of one note is read and right."""
    there, absent = said_by(note)
    kinds, index = kinds_of(CLINIC), CLINIC.index
    findings = CLINIC.findings

    def related(ids: set[str], which: Any) -> set[str]:
        own = (which.get(index[i], ()) for i in ids if i in index and i in findings)
        return ids | {findings[position] for positions in own for position in positions}

    fine = set(gold.get("tolerate", ()))
    not_there = set[str]()
    for one in gold["statements"]:
        ids = {*one["any_of"], *one.get("also", ())}
        values = {f"{key}={value}" for key, value in one.get("category", {}).items()}
        if one["status"] == "absent":
            not_there |= ids
        elif one["expect"] == "present":
            fine |= ids
        else:
            fine |= set(one.get("also", ()))
        not_there |= set(one.get("also_absent", ()))
        for what, told in (("present", there), ("absent", absent)):
            if one["expect"] == what:
                count[f"{what} gold"] += 1
                hit = bool((set(one["any_of"]) | values) & told)
                count[f"{what} hit"] += hit
                if misses and not hit:
                    print(
                        f"  not read, {what}: {one['quote']!r} {one['any_of']} in "
                        f"{_near(note, one)}"
                    )
        if one.get("red_flag"):
            count["flag gold"] += 1
            lost = _lost(note, one, there)
            count["flag lost"] += lost
            if misses and lost:
                print(f"  red flag lost: {one['quote']!r} in {note.text!r}")
    measured = {i for c in CLINIC.categories for on, off in c.means.values() for i in (*on, *off)}
    said = {
        i for span in note.spans for one in span.meant if one.kind != "category" for i in [one.id]
    }
    for what, told, right in (
        ("present", there, related(fine, kinds.above)),
        ("absent", absent, related(not_there, kinds.below)),
    ):
        judged = {i for i in told if "=" not in i and (i in said or i not in measured)}
        count[f"{what} said"] += len(judged)
        count[f"{what} right"] += len(judged & right)
        for wrong in sorted(judged - right) if misses else ():
            spans = [s for s in note.spans if any(m.id == wrong for m in s.meant)]
            around = [note.text[max(0, s.start - 40) : s.end + 20] for s in spans]
            print(f"  wrong, {what}: {wrong} from {[note.said(s) for s in spans]} in {around}")
    age = gold["age"] and gold["age"]["value"] * YEARS[gold["age"]["unit"]]
    count["age"] += age == note.age or (
        bool(age and note.age) and abs(age - (note.age or 0)) < 1e-3
    )
    count["sex"] += gold["sex"] == note.sex


def _lost(note: Note, one: dict[str, Any], there: set[str]) -> bool:
    """Whether a statement is neither read nor named as not understood, possible or past."""
    if set(one["any_of"]) & there:
        return False
    at = note.text.find(one["quote"])
    inside = [s for s in note.spans if s.start < at + len(one["quote"]) and at < s.end]
    return all(span.status is Status.NOTHING for span in inside)


def _near(note: Note, one: dict[str, Any]) -> str:
    """What was made of the words around a quote."""
    at = note.text.find(one["quote"])
    spans = [s for s in note.spans if s.start < at + len(one["quote"]) and at < s.end and s.status]
    return "; ".join(
        f"{note.said(s)!r} {s.status} {[('' if m.there else '-') + m.id for m in s.meant]}"
        for s in spans
    )


if __name__ == "__main__":
    main()
