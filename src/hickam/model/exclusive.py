"""Diseases that exclude each other: of a group a patient has at most one.

The rule is about which patients there are, not about how diseases come about: it is a condition on
the factual world. Curing one member makes no other appear, which a causal link between them would.
In a general model it is one node for each pair, "not both", that is always observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from hickam.issues import Hints, Issue, Kind, error
from hickam.model.expression import Expression
from hickam.model.mechanism import Function
from hickam.model.network import Entry
from hickam.model.node import Node
from hickam.model.scm import SCM

MOST_MEMBERS = 50
MOST_PAIRS = 10_000  # of all groups together


def read_exclusive(
    document: Mapping[Any, Any], diseases: Mapping[str, Any], issues: list[Issue]
) -> tuple[tuple[str, ...], ...]:
    """The groups that a document lists under `exclusive`."""
    listed = document.get("exclusive") or []
    fix = "write exclusive: [[disease, disease], …]"
    if not isinstance(listed, list):
        issues.append(error("section 'exclusive'", "is not a list of groups", fix, ("exclusive",)))
        return ()
    found = []
    hints = Hints(diseases)
    seen: dict[str, int] = {}
    for number, group in enumerate(listed):
        path, where = ("exclusive", number), f"exclusive group {number + 1}"
        if not isinstance(group, list) or not 2 <= len(group) <= MOST_MEMBERS:
            what = f"is not a list of 2 to {MOST_MEMBERS} diseases"
            issues.append(error(where, what, fix, path))
            continue
        for position, name in enumerate(group):
            if not isinstance(name, str) or name not in diseases:
                what, hint = f"names {name!r:.60}, which is no disease", hints.fix(str(name))
                issues.append(error(where, what, hint, (*path, position)))
            elif seen.setdefault(name, number) != number or group.count(name) > 1:
                what = f"names '{name}', which is in it or another group already"
                hint = "a disease is in one group; join groups that share members"
                issues.append(error(where, what, hint, (*path, position)))
        found.append(tuple(str(name) for name in group))
    pairs = sum(len(group) * (len(group) - 1) // 2 for group in found)
    if pairs > MOST_PAIRS:
        what = f"has {pairs:,} pairs of diseases (at most {MOST_PAIRS:,})"
        issues.append(error("section 'exclusive'", what, "", ("exclusive",), Kind.TOO_LARGE))
        return ()
    return tuple(found)


def rules(model: SCM) -> dict[str, int]:
    """Node → state that is always observed, in a model that has its rules as nodes."""
    names = (_name(*pair) for group in model.exclusive for pair in combinations(group, 2))
    return {name: 1 for name in names if name in model.nodes}


@lru_cache(maxsize=32)
def with_rules(model: SCM) -> SCM:
    """The model with a node "not both" for each pair of diseases that exclude each other."""
    if not model.exclusive or rules(model):
        return model
    nodes, entries = dict(model.nodes), dict(model.entries)
    for group in model.exclusive:
        for one, other in combinations(group, 2):
            name = _name(one, other)
            both = Expression("and", (Expression("is", (), one), Expression("is", (), other)))
            text = f"not ('{one}' and '{other}')"
            rule = Function((one, other), Expression("not", (both,)), text)
            nodes[name] = Node(name, "other", ("false", "true"), rule)
            entries[name] = Entry(name, f"not both {model.label(one)} and {model.label(other)}")
    order = (*model.order, *(name for name in nodes if name not in model.nodes))
    return replace(model, nodes=nodes, entries=entries, order=order)


def _name(one: str, other: str) -> str:
    """The id of the rule for a pair; a file is unlikely to have it."""
    return f"not both: {one} | {other}"
