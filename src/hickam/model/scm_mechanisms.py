"""The mechanism of one node as a document gives it: a gate, a function or a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from hickam.issues import Issue, Kind, error, warning
from hickam.model.expression import BadExpression, parse
from hickam.model.mechanism import Function, Gate, Mechanism
from hickam.model.numbers import (
    FREQUENCY_WORDS,
    RARENESS_WORDS,
    Chance,
    checked_chance,
    read_source,
)
from hickam.model.scm_tables import Draft, Drafts, is_known, read_table

Path = tuple[str | int, ...]

FORMS = {
    "prior": ("prior",),
    "noisy-OR": ("leak", "causes"),
    "noisy-AND": ("keep", "needs"),
    "function": ("function",),
    "table": ("parents", "table", "coupling"),
}
MECHANISM_KEYS = tuple(key for keys in FORMS.values() for key in keys)
MAX_FUNCTION_PARENTS = 16
MOST_FUNCTION_STATES = 1 << MAX_FUNCTION_PARENTS


def read_mechanism(
    draft: Draft,
    item: Mapping[str, Any],
    drafts: Drafts,
    sources: dict[tuple[str, str], str],
    issues: list[Issue],
) -> Mechanism | None:
    """The mechanism that a node's keys describe, or None after an issue."""
    forms = [form for form, keys in FORMS.items() if any(key in item for key in keys)]
    if len(forms) != 1:
        what = f"mixes {' and '.join(forms)}" if forms else "has no mechanism"
        fix = "give one of: prior; leak and causes; keep and needs; function; parents and table"
        issues.append(error(draft.where, what, fix, draft.path))
        return None
    form = forms[0]
    if form == "table":
        return read_table(draft, item, drafts, issues)
    if len(draft.states) != 2:
        what = f"has {len(draft.states)} states and a {form}"
        issues.append(error(draft.where, what, "give it a 'table'", draft.path))
        return None
    if form == "function":
        return _function(draft, item["function"], drafts, issues)
    return _gate(draft, item, form, drafts, sources, issues)


def _gate(
    draft: Draft,
    item: Mapping[str, Any],
    form: str,
    drafts: Drafts,
    sources: dict[tuple[str, str], str],
    issues: list[Issue],
) -> Gate:
    """A noisy-OR (also a plain prior) or a noisy-AND."""
    kind = "and" if form == "noisy-AND" else "or"
    own_key, links_key = ("keep", "needs") if kind == "and" else ("leak", "causes")
    own_key = "prior" if form == "prior" else own_key
    own = Chance(0.0, 1.0)
    if own_key in item:
        place = (*draft.path, own_key)
        own = checked_chance(
            item[own_key], RARENESS_WORDS, f"{draft.where}: {own_key}", place, issues
        )
        own = Chance(own.fails, own.acts) if own_key == "keep" else own
        if source := read_source(item[own_key]):
            sources[(draft.id, draft.id)] = source
    links: dict[str, Chance] = {}
    for cause, value, place in _listed(draft, item.get(links_key) or {}, links_key, issues):
        where = f"{draft.where}: {links_key} '{cause}'"
        if cause in links:
            issues.append(error(where, "is listed twice", "keep one", place))
            continue
        if not is_known(cause, where, place, drafts, issues):
            continue
        if len(drafts[cause].states) != 2:
            fix = "a noisy gate needs parents with two states; use a 'table'"
            what = f"has {len(drafts[cause].states)} states"
            issues.append(error(where, what, fix, place))
            continue
        links[cause] = checked_chance(_spelled_out(value), FREQUENCY_WORDS, where, place, issues)
        if source := read_source(value):
            sources[(cause, draft.id)] = source
    if kind == "or" and draft.role == "finding" and own.acts == 0.0:
        able = any(link.acts > 0.0 for link in links.values())
        if not able:
            fix = "give it a cause or a leak"
            issues.append(warning(draft.where, "can never be present", fix, draft.path))
    return Gate(kind, tuple(links), own, tuple(links.values()))


def _spelled_out(value: Any) -> Any:
    """A strength with the noisy-AND's word "waived" as "fails"."""
    if not isinstance(value, Mapping) or "waived" not in value:
        return value
    rest = {key: part for key, part in value.items() if key != "waived"}
    return {**rest, "fails": value["waived"]}


def _listed(
    draft: Draft, listed: object, key: str, issues: list[Issue]
) -> Iterator[tuple[str, Any, Path]]:
    """(parent, strength, path) from a mapping or a list of {id: …} mappings."""
    place: Path = (*draft.path, key)
    if isinstance(listed, Mapping):
        for cause, value in listed.items():
            yield str(cause), value, (*place, str(cause))
    elif isinstance(listed, list):
        for position, link in enumerate(listed):
            if isinstance(link, Mapping) and isinstance(link.get("id"), str):
                rest = {k: v for k, v in link.items() if k != "id"}
                yield link["id"], rest, (*place, position)
            else:
                what = f"has an unreadable entry {link!r:.40} in '{key}'"
                issues.append(error(draft.where, what, "write {id: …, probability: …}", place))
    else:
        what = f"has {key} {listed!r:.40}"
        issues.append(error(draft.where, what, f"write a mapping '{key}: {{NODE: …}}'", place))


def _function(draft: Draft, text: object, drafts: Drafts, issues: list[Issue]) -> Function | None:
    """A deterministic Boolean function."""
    path: Path = (*draft.path, "function")
    where = f"{draft.where}: function"
    try:
        expression = parse(str(text))
        names = expression.names()
        known = [is_known(name, f"{where}: '{name}'", path, drafts, issues) for name in names]
        if not all(known):
            return None
        if len(names) > MAX_FUNCTION_PARENTS:
            fix = "split it with 'other' nodes, or use noisy gates without noise"
            issues.append(error(where, f"has {len(names)} parents", fix, path))
            return None
        sizes = math.prod(len(drafts[name].states) for name in names)
        if sizes > MOST_FUNCTION_STATES:
            what = f"has {sizes:,} joint states of its parents (at most {MOST_FUNCTION_STATES:,})"
            fix = "split it with 'other' nodes"
            issues.append(error(where, what, fix, path, Kind.TOO_LARGE))
            return None
        resolved = expression.resolve({name: drafts[name].states for name in names})
    except BadExpression as bad:
        fix = "use names, and, or, xor, not, ( ) and 'name = state'"
        issues.append(error(where, str(bad), fix, path))
        return None
    return Function(tuple(names), resolved, str(text))
