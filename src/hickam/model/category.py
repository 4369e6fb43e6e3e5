"""Observations with values as a document gives them: durations, severities, tests, measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hickam.issues import Hints, Issue, Kind, did_you_mean, error
from hickam.model.entries import amount_of, texts_of
from hickam.model.network import Category
from hickam.model.scale import SCALE_KEYS, read_scale
from hickam.model.sensitivity import TEST_KEYS, read_test

Path = tuple[str | int, ...]
Places = Mapping[str, int]

CATEGORY_KEYS = (
    *("id", "name", "synonyms", "values", "otherwise", "given", "means", "of", "cost"),
    *(*SCALE_KEYS, *TEST_KEYS),
)
TEST_VALUES = ("negative", "positive")
SUM_TOLERANCE = 1e-6
MOST_VALUES = 1000  # of a categorical finding
MOST_CELLS = 1 << 22  # of its probabilities
NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Item:
    """A category as a document has it, and where problems with it go."""

    given: Mapping[str, Any]
    where: str
    path: Path
    diseases: Places
    findings: Places
    issues: list[Issue]

    def wrong(self, what: str, fix: str = "", *steps: str, of: str = "") -> None:
        """Note a problem at a place in the item; `of` names the part that it is in."""
        where = f"{self.where}: {of}" if of else self.where
        self.issues.append(error(where, what, fix, (*self.path, *steps)))

    def mapping(self, key: str, fix: str = "") -> Mapping[Any, Any]:
        """What is listed under a key; empty after an issue."""
        listed = self.given.get(key) or {}
        if isinstance(listed, Mapping):
            return listed
        self.wrong(f"has '{key}' that is not a mapping", fix, key)
        return {}


def read_category(
    item: Mapping[str, Any], path: Path, diseases: Places, findings: Places, issues: list[Issue]
) -> Category | None:
    """An observation with values; every distribution must be over its values and sum to one."""
    node = item.get("id")
    where = f"category {node!r}"
    if not isinstance(node, str) or not node:
        issues.append(error(f"category {path[-1]!r}", "has no id", "give it an 'id'", path))
        return None
    read = _Item(item, where, path, diseases, findings, issues)
    for key in item:
        if key not in CATEGORY_KEYS:
            fix = did_you_mean(str(key), CATEGORY_KEYS)
            read.wrong(f"has the unknown key {key!r}", fix, str(key))
    names = _values(read)
    if names is None:
        return None
    if any(key in item for key in TEST_KEYS):
        otherwise, given = _of_test(read, names)
    else:
        otherwise, given = _otherwise(read, names), _given(read, names)
    return Category(
        node,
        str(item.get("name") or node),
        names,
        otherwise,
        given,
        texts_of(item, "synonyms", where, path, issues),
        read_scale(item, names, given, where, path, diseases, issues),
        _means(read, names),
        _finding(item.get("of"), f"{where}: of", (*path, "of"), findings, issues),
        amount_of(item, "cost", where, path, issues),
    )


def _values(read: _Item) -> tuple[str, ...] | None:
    """The names of the values; empty for a number that only has curves, None after an issue."""
    item = read.given
    values = item.get("values")
    if values is None and any(key in item for key in TEST_KEYS):
        return TEST_VALUES
    if values is None and item.get("curves"):
        return ()
    if not isinstance(values, list) or len(values) < 2:
        read.wrong("has no list of at least two values", "", "values")
        return None
    listed = item.get("given") or {}
    cells = len(values) * (1 + len(listed) if isinstance(listed, Mapping) else 1)
    if len(values) > MOST_VALUES or cells > MOST_CELLS:
        what = f"has {len(values):,} values and {cells:,} probabilities"
        fix = f"at most {MOST_VALUES:,} values and {MOST_CELLS:,} probabilities are read"
        place = (*read.path, "values")
        read.issues.append(error(read.where, what, fix, place, Kind.TOO_LARGE))
        return None
    names = tuple(str(value) for value in values)
    if len(set(names)) < len(names):
        read.wrong("lists a value twice", "keep one", "values")
    return names


def _otherwise(read: _Item, names: tuple[str, ...]) -> tuple[float, ...]:
    """P(value | none of the listed diseases), by default uniform."""
    item, key = read.given, "otherwise"
    if not names:
        if item.get(key) or item.get("given"):
            fix = "list 'values' and 'cuts', or leave it at curves"
            read.wrong("is given without values", fix, key, of=key)
        return ()
    default = [1.0 / len(names)] * len(names)
    where, path = f"{read.where}: {key}", (*read.path, key)
    otherwise = _distribution(item.get(key, default), names, where, path, read.issues)
    for name, chance in zip(names, otherwise, strict=False):
        if chance <= 0.0:
            fix = "every value needs some probability without the listed diseases"
            read.wrong(f"gives '{name}' probability 0", fix, key, of=key)
    return otherwise


def _given(read: _Item, names: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """Disease → P(value | disease)."""
    listed = read.mapping("given")
    given = {}
    hints = Hints(read.diseases)
    for disease, chances in listed.items() if names else ():
        if disease in read.diseases:
            where, place = f"{read.where}: '{disease}'", (*read.path, "given", str(disease))
            given[disease] = _distribution(chances, names, where, place, read.issues)
            continue
        fix = hints.fix(str(disease))
        of = f"disease '{disease}'"
        read.wrong("is not in the network", fix, "given", str(disease), of=of)
    return given


def _of_test(
    read: _Item, names: tuple[str, ...]
) -> tuple[tuple[float, ...], dict[str, tuple[float, ...]]]:
    """Otherwise and given of a test, from its sensitivity and specificity."""
    mixed = [key for key in ("otherwise", "given") if key in read.given]
    if mixed or len(names) != 2:
        what = f"has {mixed[0]!r} besides a sensitivity" if mixed else "is a test with more values"
        read.wrong(what, "a test is negative or positive; keep one form")
    test = read_test(read.given, read.where, read.path, read.diseases, read.issues)
    if test.false_positive.acts <= 0.0:
        what, fix = "has the specificity 1", "write what it is, such as 0.999: no test is perfect"
        read.wrong(what, fix, "specificity")
    found: dict[str, tuple[float, ...]] = {
        disease: (p.fails, p.acts) for disease, p in test.sensitivity.items()
    }
    return (test.false_positive.fails, test.false_positive.acts), found


def _means(
    read: _Item, names: tuple[str, ...]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Value → the findings that are then present, and those that are absent."""
    found = {}
    for value, meant in read.mapping("means", "write {value: {present: […], absent: […]}}").items():
        steps = ("means", str(value))
        if str(value) not in names:
            fix = did_you_mean(str(value), names)
            read.wrong(f"has the unknown value '{value}'", fix, *steps, of="means")
            continue
        said = meant if isinstance(meant, Mapping) else {"present": meant}
        for key in said:
            if key not in ("present", "absent"):
                fix = did_you_mean(str(key), ("present", "absent"))
                read.wrong(f"has the unknown key {key!r}", fix, *steps, of="means")
        where, place = f"{read.where}: {value} means", (*read.path, *steps)
        parts = tuple(
            tuple(
                _finding(name, where, place, read.findings, read.issues)
                for name in texts_of(said, key, where, place, read.issues)
            )
            for key in ("present", "absent")
        )
        found[str(value)] = (parts[0], parts[1])
    return found


def _finding(name: object, where: str, path: Path, findings: Places, issues: list[Issue]) -> str:
    """The id of a finding, or empty if none is named."""
    if name is None or name in findings:
        return str(name or "")
    fix = did_you_mean(str(name), findings)
    issues.append(error(f"{where} '{name!s:.60}'", "is not a finding of the network", fix, path))
    return ""


def _distribution(
    value: object, names: tuple[str, ...], where: str, path: Path, issues: list[Issue]
) -> tuple[float, ...]:
    """Probabilities over the named values, from a list or a mapping; uniform after an issue."""
    if isinstance(value, Mapping):
        unknown = [str(key) for key in value if str(key) not in names]
        for key in unknown:
            issues.append(
                error(where, f"has the unknown value '{key}'", did_you_mean(key, names), path)
            )
        value = [{str(k): v for k, v in value.items()}.get(name, 0.0) for name in names]
    chances = value if isinstance(value, list) else []
    fair = tuple([1.0 / len(names)] * len(names))
    if len(chances) != len(names) or not all(_is_chance(chance) for chance in chances):
        fix = f"give {len(names)} probabilities, for {', '.join(names[:NAMES_SHOWN])}"
        issues.append(error(where, "is not a distribution over the values", fix, path))
        return fair
    total = math.fsum(chances)
    if abs(total - 1.0) > SUM_TOLERANCE:
        issues.append(error(where, f"sums to {total:g}", "make the probabilities sum to 1", path))
        return fair
    return tuple(float(chance) for chance in chances)


def _is_chance(value: object) -> bool:
    """Whether a value is a number in [0, 1]."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value <= 1.0
