"""What a document says about a node besides its numbers: names, classes, costs, categories."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hickam.issues import Hints, Issue, Kind, did_you_mean, error
from hickam.model.network import SEXES, URGENCY_CLASSES, About, Category, Entry, Prevalence
from hickam.model.numbers import RARENESS_CLASSES

Path = tuple[str | int, ...]

SHARED_KEYS = ("id", "name", "synonyms", "group", "kind", "source")
KEYS = {
    "risk factor": (*SHARED_KEYS, "prior", "prevalence"),
    "disease": (
        *(*SHARED_KEYS, "leak", "prior", "causes"),
        *("rareness", "urgency", "prevalence", "treatment", "per_finding"),
    ),
    "finding": (
        *(*SHARED_KEYS, "leak", "causes", "cruelty", "cost"),
        *("prevalence", "is_a", "absence"),
    ),
}
# Most nodes of large networks say nothing else.
PLAIN_KEYS = {*SHARED_KEYS, "prior", "leak", "causes"}
CATEGORY_KEYS = ("id", "name", "synonyms", "values", "otherwise", "given")
SUM_TOLERANCE = 1e-6
MOST_VALUES = 1000  # of a categorical finding
MOST_CELLS = 1 << 22  # of its probabilities
NAMES_SHOWN = 8
LARGEST_FACTOR = 10.0  # of a disease, for every present finding


def read_about(document: Mapping[Any, Any]) -> About:
    """The network's metadata."""

    def text(key: str) -> str:
        return str(document.get(key) or "").strip()

    return About(
        name=text("name") or "unnamed network",
        version=text("version"),
        licence=text("licence"),
        description=text("description"),
        disclaimer=text("disclaimer"),
        source=text("source"),
        notice=text("notice"),
    )


def read_entry(
    kind: str, item: Mapping[str, Any], path: Path, default_source: str, issues: list[Issue]
) -> Entry | None:
    """The entry of one node; None if it has no usable id."""
    node = item.get("id")
    if not isinstance(node, str) or not node.strip():
        what = "has no id" if node is None else f"has the id {node!r}, which is not text"
        issues.append(error(f"{kind} {path[-1]!r}", what, "give it an 'id'", path))
        return None
    node = node.strip()
    where = f"{kind} '{node}'"
    for key in item:
        if key not in KEYS[kind]:
            fix = did_you_mean(str(key), KEYS[kind])
            issues.append(error(where, f"has the unknown key {key!r}", fix, (*path, str(key))))
    if item.keys() <= PLAIN_KEYS:
        return Entry(
            node,
            str(item.get("name") or node),
            _texts(item, "synonyms", where, path, issues),
            str(item.get("group") or ""),
            str(item.get("kind") or ""),
            str(item.get("source") or default_source),
        )
    cost, success = _treatment(item, where, path, issues)
    return Entry(
        id=node,
        name=str(item.get("name") or node),
        synonyms=_texts(item, "synonyms", where, path, issues),
        group=str(item.get("group") or ""),
        kind=str(item.get("kind") or ""),
        source=str(item.get("source") or default_source),
        rareness=_choice(item, "rareness", RARENESS_CLASSES, where, path, issues),
        urgency=_choice(item, "urgency", URGENCY_CLASSES, where, path, issues),
        prevalence=_prevalence(item, where, path, issues),
        treatment_cost=cost,
        treatment_success=success,
        cruelty=_positive(item, "cruelty", where, path, issues),
        cost=_positive(item, "cost", where, path, issues),
        is_a=_is_a(item, where, path, issues),
        per_finding=_factor(item, "per_finding", where, path, issues),
        absence=_share(item, "absence", where, path, issues),
    )


def read_category(
    item: Mapping[str, Any], path: Path, diseases: Mapping[str, int], issues: list[Issue]
) -> Category | None:
    """A categorical finding; every distribution must be over its values and sum to one."""
    node = item.get("id")
    values = item.get("values")
    where = f"category {node!r}"
    if not isinstance(node, str) or not node:
        issues.append(error(f"category {path[-1]!r}", "has no id", "give it an 'id'", path))
        return None
    for key in item:
        if key not in CATEGORY_KEYS:
            fix = did_you_mean(str(key), CATEGORY_KEYS)
            issues.append(error(where, f"has the unknown key {key!r}", fix, (*path, str(key))))
    if not isinstance(values, list) or len(values) < 2:
        issues.append(error(where, "has no list of at least two values", "", (*path, "values")))
        return None
    listed = item.get("given") or {}
    cells = len(values) * (1 + len(listed) if isinstance(listed, Mapping) else 1)
    if len(values) > MOST_VALUES or cells > MOST_CELLS:
        what = f"has {len(values):,} values and {cells:,} probabilities"
        fix = f"at most {MOST_VALUES:,} values and {MOST_CELLS:,} probabilities are read"
        issues.append(error(where, what, fix, (*path, "values"), Kind.TOO_LARGE))
        return None
    names = tuple(str(value) for value in values)
    default = [1.0 / len(names)] * len(names)
    otherwise = _distribution(
        item.get("otherwise", default), names, f"{where}: otherwise", (*path, "otherwise"), issues
    )
    for name, chance in zip(names, otherwise, strict=False):
        if chance <= 0.0:
            what = f"gives '{name}' probability 0"
            fix = "every value needs some probability without the listed diseases"
            issues.append(error(f"{where}: otherwise", what, fix, (*path, "otherwise")))
    given = {}
    hints = Hints(diseases)
    if not isinstance(listed, Mapping):
        issues.append(error(where, "has a 'given' that is not a mapping", "", (*path, "given")))
        listed = {}
    for disease, chances in listed.items():
        place = (*path, "given", str(disease))
        if disease not in diseases:
            fix = hints.fix(str(disease))
            issues.append(
                error(f"{where}: disease '{disease}'", "is not in the network", fix, place)
            )
            continue
        given[disease] = _distribution(chances, names, f"{where}: '{disease}'", place, issues)
    synonyms = _texts(item, "synonyms", where, path, issues)
    return Category(node, str(item.get("name") or node), names, otherwise, given, synonyms)


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


def _texts(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> tuple[str, ...]:
    """A list of texts; a single text counts as one."""
    value = item.get(key) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        issues.append(error(where, f"has {key} that are not a list", "", (*path, key)))
        return ()
    return tuple(str(text) for text in value)


def _is_a(item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]) -> str:
    """The id of the finding that this one is a kind of, or empty."""
    value = item.get("is_a")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, str):
        return (value or "").strip()
    what, fix = f"has the is_a {value!r:.40}", "write the id of one finding"
    if isinstance(value, list):
        what, fix = "is a kind of several findings", "keep the nearest: a finding is a kind of one"
    issues.append(error(where, what, fix, (*path, "is_a")))
    return ""


def _choice(
    item: Mapping[str, Any],
    key: str,
    choices: tuple[str, ...],
    where: str,
    path: Path,
    issues: list[Issue],
) -> str:
    """A word from a fixed list, or empty if not given."""
    value = item.get(key)
    if value is None:
        return ""
    text = str(value).strip().casefold()
    if text not in choices:
        issues.append(
            error(where, f"has the {key} {value!r}", did_you_mean(text, choices), (*path, key))
        )
    return text


def _positive(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> float:
    """A finite number >= 0, by default 1."""
    value = item.get(key, 1.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        issues.append(error(where, f"has {key} {value!r}", "give a number >= 0", (*path, key)))
        return 1.0
    return float(value)


def _factor(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> float:
    """A factor on odds that many findings can repeat, by default 1."""
    value = _positive(item, key, where, path, issues)
    if not 1.0 / LARGEST_FACTOR <= value <= LARGEST_FACTOR:
        fix = f"give a factor between {1.0 / LARGEST_FACTOR:g} and {LARGEST_FACTOR:g}"
        issues.append(error(where, f"has {key} {value:g}", fix, (*path, key)))
        return 1.0
    return value


def _share(item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]) -> float:
    """A weight in [0, 1], by default 1."""
    value = _positive(item, key, where, path, issues)
    if value > 1.0:
        issues.append(error(where, f"has {key} {value:g}", "give a weight in [0, 1]", (*path, key)))
        return 1.0
    return value


def _treatment(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[float, float]:
    """(cost, success probability) of treating a disease, by default 1 and 1."""
    treatment = item.get("treatment") or {}
    place = (*path, "treatment")
    if not isinstance(treatment, Mapping):
        fix = "write {cost: …, success: …}"
        issues.append(error(where, "has a treatment that is not a mapping", fix, place))
        return 1.0, 1.0
    for key in treatment:
        if key not in ("cost", "success"):
            fix = did_you_mean(str(key), ("cost", "success"))
            issues.append(error(where, f"has the unknown treatment key {key!r}", fix, place))
    cost = _positive(treatment, "cost", where, place, issues)
    success = _positive(treatment, "success", where, place, issues)
    if success > 1.0:
        what = f"has a treatment success of {success:g}"
        issues.append(error(where, what, "give a probability in [0, 1]", place))
        success = 1.0
    return cost, success


def _prevalence(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[Prevalence, ...]:
    """The age- and sex-specific factors on a node's prior or leak odds."""
    listed = item.get("prevalence") or []
    if not isinstance(listed, list):
        fix = "write a list of {sex: …, age: [from, to], factor: …}"
        issues.append(
            error(where, "has a prevalence that is not a list", fix, (*path, "prevalence"))
        )
        return ()
    found = []
    for position, row in enumerate(listed):
        place = (*path, "prevalence", position)
        if not isinstance(row, Mapping) or "factor" not in row:
            fix = "write {sex: …, age: [from, to], factor: …}"
            issues.append(error(where, "has a prevalence without a factor", fix, place))
            continue
        for key in row:
            if key not in ("sex", "age", "factor"):
                fix = did_you_mean(str(key), ("sex", "age", "factor"))
                issues.append(error(where, f"has the unknown prevalence key {key!r}", fix, place))
        sex, age = row.get("sex"), row.get("age")
        if sex is not None and sex not in SEXES:
            issues.append(
                error(where, f"has the sex {sex!r}", did_you_mean(str(sex), SEXES), place)
            )
        span = None
        if age is not None:
            numbers = isinstance(age, list) and all(
                isinstance(a, (int, float)) and not isinstance(a, bool) for a in age
            )
            if not (numbers and len(age) == 2 and age[0] < age[1]):
                issues.append(error(where, f"has the age range {age!r}", "write [from, to]", place))
            else:
                span = (float(age[0]), float(age[1]))
        factor = _positive(row, "factor", where, place, issues)
        found.append(Prevalence(factor, sex if isinstance(sex, str) else None, span))
    return tuple(found)
