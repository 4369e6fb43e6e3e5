"""A study: a fixed plan, written down before it is run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from hickam.evidence.assume import check_assumptions
from hickam.evidence.case import Assumptions
from hickam.issues import Issue, did_you_mean, error
from hickam.measures.scores import MEASURES
from hickam.study.opinions import OUTSIDE

BASELINE = "single_fault"
CATEGORIES = ("evidence", "score", "ignore")
CRITERIA = ("position", "top-1", "top-3", "top-5", "top-10", "top-20")


@dataclass(frozen=True, slots=True)
class Setting:
    """Assumptions under which every vignette is diagnosed.

    `leak_shift` adds to every disease's leak, whatever its risk factors. `categories` says what a
    duration or another categorical observation is: soft "evidence", a factor on each "score"
    (max(0.01, P(value | disease)), 0.5 where the network says nothing), or to "ignore".
    """

    name: str
    case_mix: float = 1.0
    dial: float = 1.0
    prior_shift: float = 0.0
    leak_shift: float = 0.0
    categories: str = "evidence"

    @property
    def options(self) -> dict[str, float]:
        """The setting as options of `hickam.infer`; those at their default are left out."""
        said = {"case_mix": self.case_mix, "dial": self.dial, "prior_shift": self.prior_shift}
        usual = Assumptions()
        return {key: value for key, value in said.items() if value != getattr(usual, key)}

    def in_words(self) -> str:
        """The setting as one phrase."""
        phrases = list(Assumptions(self.case_mix, self.dial, self.prior_shift).in_words())
        if self.leak_shift:
            phrases.append(f"leaks shifted by {self.leak_shift:g}")
        phrases.append(
            {
                "evidence": "categories as soft evidence",
                "score": "categories as a factor on scores",
                "ignore": "categories ignored",
            }[self.categories]
        )
        return ", ".join(phrases)


# What the paper's authors' code does beyond the paper: the priors of diseases are raised and the
# duration of symptoms multiplies the scores.
CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "authors": {"leak_shift": 0.002, "categories": "score"}
}


@dataclass(frozen=True, slots=True)
class Tuning:
    """β and γ to choose from by nested cross-validation."""

    case_mix: tuple[float, ...] = (0.0, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
    dial: tuple[float, ...] = (1.0, 0.1, 0.01, 0.001, 0.0001)
    categories: str = "evidence"
    criterion: str = "position"
    folds: int = 10
    repeats: int = 20

    def settings(self) -> list[Setting]:
        """Every combination that makes sense, as a setting of its own.

        A case mix below 1 with a dial of 1 is left out: priors that are all raised, without a price
        per disease, describe patients with dozens of diseases each.
        """
        return [
            Setting(f"β={mix:g} γ={dial:g}", mix, dial, categories=self.categories)
            for mix in self.case_mix
            for dial in self.dial
            if dial < 1.0 or mix >= 1.0 or self.dial == (1.0,)
        ]


@dataclass(frozen=True, slots=True)
class Fusion:
    """How doctors' lists are fused with an algorithm: folds over doctors and over vignettes."""

    case_mix: float = 1.0
    dial: float = 1e-9  # a differential lists alternatives: one disease at a time
    measure: str = "single_fault"
    folds: int = 5
    positions: int = 4  # positions with a weight of their own; later ones share the last


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that determines the numbers of a study."""

    name: str
    network: str | Mapping[str, Any]
    vignettes: str | Mapping[str, Any]
    measures: tuple[str, ...] = ("posterior", "disablement", "sufficiency")
    settings: tuple[Setting, ...] = (Setting("plain"),)
    tune: Tuning | None = None
    second_opinion: Fusion | None = None
    top: int = 20
    minimum_vignettes: int = 50
    bootstrap: int = 2000
    seed: int = 1
    engine: str = "auto"
    tolerance: float = 1e-3  # error asked of the inference, relative to max(score, 0.001)
    outside: str = "keep"  # listed diseases that the network does not know: keep, drop, refuse
    description: str = ""

    @property
    def identity(self) -> tuple[Any, ...]:
        """What makes it this study and no other: its name, its network and its vignettes."""
        return self.name, self.network, self.vignettes

    @property
    def all_measures(self) -> tuple[str, ...]:
        """The measures asked for and, always, the single-fault baseline."""
        return tuple(dict.fromkeys((*self.measures, BASELINE)))


@dataclass
class _Reader:
    """Collects the issues of one study document."""

    issues: list[Issue] = field(default_factory=list)

    def number(self, where: str, value: object, *, low: float, whole: bool = False) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.issues.append(error(where, f"is {value!r}, not a number"))
            return low
        if not math.isfinite(value) or value < low or (whole and value != int(value)):
            kind = "a whole number" if whole else "a finite number"
            self.issues.append(error(where, f"is {value!r}", f"give {kind} >= {low:g}"))
            return low
        return int(value) if whole else float(value)

    def choice(self, where: str, value: object, choices: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            fix = did_you_mean(str(value), choices) or f"choose one of {', '.join(choices)}"
            self.issues.append(error(where, f"is {value!r}, which is not known", fix))
        return str(value)

    def known(self, where: str, item: Mapping[str, Any], keys: Any) -> None:
        for key in item:
            if key not in keys:
                fix = did_you_mean(str(key), keys)
                self.issues.append(error(where, f"has the unknown key {key!r}", fix))


def build_study(document: object) -> tuple[Study | None, list[Issue]]:
    """The study that a document describes, or None if there are errors, and every issue.

    >>> study, issues = build_study({"study": 1, "name": "s", "network": "clinic",
    ...     "vignettes": "v.jsonl", "settings": {"theirs": {"conventions": "authors"}}})
    >>> study.settings[0].leak_shift
    0.002
    """
    reader = _Reader()
    if not isinstance(document, Mapping):
        return None, [error("the study", "is not a mapping", "start with 'study: 1'")]
    keys = {f.name for f in fields(Study)} | {"study"}
    reader.known("the study", document, sorted(keys))
    if document.get("study") != 1:
        reader.issues.append(
            error("the format mark 'study'", "is missing", "start the file with 'study: 1'")
        )
    for key in ("network", "vignettes"):
        if not isinstance(document.get(key), (str, Mapping)):
            reader.issues.append(error(f"'{key}'", "is missing", f"say which {key} to use"))
    given: dict[str, Any] = {
        "name": str(document.get("name") or "unnamed study"),
        "network": document.get("network", ""),
        "vignettes": document.get("vignettes", ""),
        "description": str(document.get("description") or ""),
        "engine": str(document.get("engine") or "auto"),
    }
    for key, low in (("top", 1), ("minimum_vignettes", 1), ("bootstrap", 1), ("seed", 0)):
        if key in document:
            given[key] = reader.number(f"'{key}'", document[key], low=low, whole=True)
    if "tolerance" in document:
        given["tolerance"] = reader.number("'tolerance'", document["tolerance"], low=1e-12)
    if "outside" in document:
        given["outside"] = reader.choice("'outside'", document["outside"], OUTSIDE)
    if "measures" in document:
        listed = document["measures"]
        listed = [listed] if isinstance(listed, str) else listed or []
        given["measures"] = tuple(reader.choice("a measure", m, tuple(MEASURES)) for m in listed)
    if "settings" in document:
        given["settings"] = _settings(document["settings"], reader)
    if document.get("tune") is not None:
        given["tune"] = _tuning(document["tune"], reader)
    if document.get("second_opinion") is not None:
        given["second_opinion"] = _fusion(document["second_opinion"], reader)
    return (None if reader.issues else Study(**given)), reader.issues


def _settings(listed: object, reader: _Reader) -> tuple[Setting, ...]:
    """The named settings of a study."""
    if not isinstance(listed, Mapping) or not listed:
        reader.issues.append(error("'settings'", "is not a mapping", "write 'plain: {}'"))
        return ()
    found = []
    allowed = {f.name for f in fields(Setting)} - {"name"} | {"conventions"}
    for name, given in listed.items():
        where = f"setting '{name}'"
        item = {} if given is None else given
        if not isinstance(item, Mapping):
            reader.issues.append(error(where, "is not a mapping", "write '{dial: 0.1}'"))
            continue
        reader.known(where, item, sorted(allowed))
        values = dict(item)
        convention = values.pop("conventions", None)
        if convention is not None:
            reader.choice(f"{where}: conventions", convention, tuple(CONVENTIONS))
            values = {**CONVENTIONS.get(str(convention), {}), **values}
        numbers = {
            key: reader.number(f"{where}: {key}", values[key], low=0.0)
            for key in ("case_mix", "dial", "prior_shift", "leak_shift")
            if key in values
        }
        kind = reader.choice(
            f"{where}: categories", values.get("categories", "evidence"), CATEGORIES
        )
        setting = Setting(str(name), **numbers, categories=kind)
        reader.issues.extend(
            check_assumptions(Assumptions(setting.case_mix, setting.dial, setting.prior_shift))
        )
        found.append(setting)
    return tuple(found)


def _tuning(item: object, reader: _Reader) -> Tuning:
    """The grid of a nested cross-validation."""
    given: dict[str, Any] = {}
    if not isinstance(item, Mapping):
        reader.issues.append(error("'tune'", "is not a mapping", "write '{dial: [1, 0.1]}'"))
        return Tuning()
    reader.known("'tune'", item, [f.name for f in fields(Tuning)])
    for key in ("case_mix", "dial"):
        if key in item:
            values = item[key] if isinstance(item[key], list) else [item[key]]
            given[key] = tuple(reader.number(f"tune: {key}", v, low=0.0) for v in values)
            for value in given[key]:
                reader.issues.extend(check_assumptions(Assumptions(**{key: value})))
    for key in ("folds", "repeats"):
        if key in item:
            low = 2 if key == "folds" else 1
            given[key] = reader.number(f"tune: {key}", item[key], low=low, whole=True)
    for key, choices in (("criterion", CRITERIA), ("categories", CATEGORIES)):
        if key in item:
            given[key] = reader.choice(f"tune: {key}", item[key], choices)
    return Tuning(**given)


def _fusion(item: object, reader: _Reader) -> Fusion:
    """How to fuse doctors' lists."""
    if not isinstance(item, Mapping):
        reader.issues.append(error("'second_opinion'", "is not a mapping", "write '{folds: 5}'"))
        return Fusion()
    reader.known("'second_opinion'", item, [f.name for f in fields(Fusion)])
    given: dict[str, Any] = {}
    for key, low, whole in (
        *(("case_mix", 0.0, False), ("dial", 0.0, False)),
        *(("folds", 2, True), ("positions", 1, True)),
    ):
        if key in item:
            given[key] = reader.number(f"second_opinion: {key}", item[key], low=low, whole=whole)
    if "measure" in item:
        given["measure"] = reader.choice(
            "second_opinion: measure", item["measure"], tuple(MEASURES)
        )
    fusion = Fusion(**given)
    reader.issues.extend(check_assumptions(Assumptions(fusion.case_mix, fusion.dial)))
    return fusion
