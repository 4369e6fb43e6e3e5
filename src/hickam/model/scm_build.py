"""A document with `nodes:` → a checked general model, with every problem found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hickam.issues import Issue, Kind, did_you_mean, error, errors, warning
from hickam.model.company import check_company
from hickam.model.entries import read_about, read_entry
from hickam.model.exclusive import read_exclusive
from hickam.model.guessed import NOTHING, Guessed
from hickam.model.mechanism import Gate
from hickam.model.network import Entry
from hickam.model.node import PART, ROLES, Node
from hickam.model.normal import normal_state
from hickam.model.recognise import gate_in_words
from hickam.model.roles import with_normal_states
from hickam.model.scm import SCM
from hickam.model.scm_mechanisms import MECHANISM_KEYS, read_mechanism
from hickam.model.scm_tables import Draft, Drafts
from hickam.model.sections import check_top, items_of, read_categories
from hickam.model.sensitivity import as_causes

Path = tuple[str | int, ...]

IN_NODES = "a general model lists everything under 'nodes', with a role each"
LAYERED = dict.fromkeys(("risk_factors", "diseases", "findings"), IN_NODES)
GUESSED = ("roles", "normal")
OWN_KEYS = ("role", "states", "on", "normal", *MECHANISM_KEYS)
NO_NORMAL = "does not say which of its states is normal"
MOST_STATES = 1000
NODES_SHOWN = 20  # of a cycle
USUAL_STATES = {"finding": ("absent", "present")}


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A node whose mechanism is still to be read."""

    draft: Draft
    item: Mapping[str, Any]


def build_scm(document: Mapping[Any, Any]) -> tuple[SCM | None, list[Issue]]:
    """The model that a document describes, or None if there are errors, and all issues.

    >>> model, issues = build_scm({"hickam": 1, "name": "tiny", "nodes": [
    ...     {"id": "flu", "role": "disease", "prior": 0.01},
    ...     {"id": "fever", "role": "finding", "leak": 0.001, "causes": {"flu": 0.8}}]})
    >>> model.diseases, issues
    (('flu',), [])
    """
    issues: list[Issue] = []
    entries: dict[str, Entry] = {}
    sketches: dict[str, _Sketch] = {}
    check_top(document, ("nodes", "guessed"), issues, LAYERED)
    listed = document.get("nodes")
    if not isinstance(listed, list) or not listed:
        fix = "write one '- id: …' per node"
        issues.append(error("section 'nodes'", "is not a list of nodes", fix, ("nodes",)))
        return None, issues
    default_source = str(document.get("source") or "")
    for path, item in items_of(document, "nodes", issues):
        sketch = _read_node(item, path, default_source, entries, issues)
        if sketch is not None:
            sketches[sketch.draft.id] = sketch
    drafts = Drafts({node: sketch.draft for node, sketch in sketches.items()})
    nodes: dict[str, Node] = {}
    sources: dict[tuple[str, str], str] = {}
    for node, sketch in sketches.items():
        mechanism = read_mechanism(sketch.draft, sketch.item, drafts, sources, issues)
        if mechanism is not None:
            draft = sketch.draft
            nodes[node] = Node(node, draft.role, draft.states, mechanism, draft.normal)
    order = _topological(nodes, issues)
    _check_roles(nodes, issues)
    _check_said(nodes, entries, {n: s.draft.path for n, s in sketches.items()}, issues)
    if errors(issues):
        return None, issues
    diseases = {name: node for name, node in nodes.items() if node.role == "disease"}
    findings = (name for name, node in nodes.items() if node.role == "finding")
    categories = read_categories(document, _places(diseases), _places(findings), issues)
    exclusive = read_exclusive(document, diseases, issues)
    for name in (name for group in exclusive for name in group if name in diseases):
        if not diseases[name].binary:
            what, fix = f"names '{name}', which has several states", "it takes two states"
            issues.append(error("section 'exclusive'", what, fix, ("exclusive",)))
    if errors(issues):
        return None, issues
    about = read_about(document)
    recognised = {
        node: words
        for node, sketch in sketches.items()
        if "table" in sketch.item and "coupling" not in sketch.item
        if (words := gate_in_words(nodes[node].mechanism))
    }
    in_order = {node: nodes[node] for node in order}
    guessed = _read_guessed(document, nodes, issues)
    model = with_normal_states(
        SCM(
            *(about, in_order, entries, tuple(sketches), categories, sources, recognised),
            *(exclusive, guessed),
        )
    )
    for node in model.guessed.normal:
        if node not in guessed.normal:
            draft, found = sketches[node].draft, model.nodes[node]
            what = f"{NO_NORMAL}; '{found.states[found.off]}' is taken"
            place = (*draft.path, "states")
            issues.append(warning(draft.where, what, "write 'normal: STATE'", place))
    return model, issues


def _read_guessed(
    document: Mapping[Any, Any], nodes: Mapping[str, Node], issues: list[Issue]
) -> Guessed:
    """What the document says of itself that nobody stated."""
    said = document.get("guessed") or {}
    parts = [said.get(key) or [] for key in GUESSED] if isinstance(said, Mapping) else [[0]]
    names = [str(name) for part in parts for name in (part if isinstance(part, list) else [part])]
    unknown = next((name for name in names if name not in nodes), None)
    if unknown is not None or set(said) - set(GUESSED):
        fix = "write guessed: {roles: [NODE, …], normal: [NODE, …]}, or leave it out"
        issues.append(warning("key 'guessed'", "is not understood", fix, ("guessed",)))
        return NOTHING
    roles, normal = (tuple(str(name) for name in part) for part in parts)
    return Guessed(roles, normal)


def _places(names: Iterable[str]) -> dict[str, int]:
    """Name → its place in a layer."""
    return {name: place for place, name in enumerate(names)}


def _read_node(
    item: Mapping[str, Any],
    path: Path,
    default_source: str,
    entries: dict[str, Entry],
    issues: list[Issue],
) -> _Sketch | None:
    """The node's id, role, states and entry; its mechanism comes when all states are known."""
    role = str(item.get("role", "other")).strip().replace("_", " ").casefold()
    if role not in (*ROLES, PART):
        where = f"node {item.get('id', path[-1])!r}"
        fix = did_you_mean(role, ROLES)
        issues.append(error(where, f"has the role {role!r}", fix, (*path, "role")))
        role = "other"
    kind = "risk factor" if role in ("other", PART) else role
    rest = {key: value for key, value in item.items() if key not in OWN_KEYS}
    entry = read_entry(kind, rest, path, default_source, issues)
    if entry is None:
        return None
    where = f"node '{entry.id}'"
    if entry.id in entries:
        what = "has an id that is already taken"
        issues.append(error(where, what, "ids are unique", (*path, "id")))
        return None
    entries[entry.id] = entry
    if role == "finding":
        item = as_causes(item, where, path, issues)
    states, flipped = _read_states(item, role, where, path, issues)
    normal = _read_normal(item, states, where, path, issues)
    return _Sketch(Draft(entry.id, role, states, flipped, normal, where, path), item)


def _read_normal(
    item: Mapping[str, Any],
    states: tuple[str, ...],
    where: str,
    path: Path,
    issues: list[Issue],
) -> int | None:
    """The position of the normal state: as named, else as a state's name says, else none.

    Of two states it is the one that is not "on"; `normal: null` says that there is none.
    """
    if item.get("normal", "") is None:
        return None
    named = None if item.get("normal") is None else _state_name(item["normal"])
    if named is not None and named not in states:
        fix = did_you_mean(named, states)
        issues.append(
            error(where, f"has the unknown normal state '{named}'", fix, (*path, "normal"))
        )
        return 0
    if len(states) == 2:
        if named == states[1]:
            fix = "give only one of 'on' and 'normal'"
            issues.append(
                error(where, f"has '{named}' as on and as normal", fix, (*path, "normal"))
            )
        return 0
    if named is not None:
        return states.index(named)
    usual = normal_state(states, _label(item))
    return None if usual is None else states.index(usual)


def _read_states(
    item: Mapping[str, Any], role: str, where: str, path: Path, issues: list[Issue]
) -> tuple[tuple[str, ...], bool]:
    """(states with "off" first, whether the document lists "on" first)."""
    listed = item.get("states")
    usual = USUAL_STATES.get(role, ("false", "true"))
    if listed is None:
        return usual, False
    if not isinstance(listed, list) or len(listed) < 2:
        fix = "list at least two, such as [absent, present]"
        issues.append(error(where, "has no list of states", fix, (*path, "states")))
        return usual, False
    if len(listed) > MOST_STATES:
        what = f"has {len(listed):,} states (at most {MOST_STATES:,})"
        issues.append(error(where, what, "", (*path, "states"), Kind.TOO_LARGE))
        return usual, False
    states = tuple(_state_name(state) for state in listed)
    if len(set(states)) < len(states):
        issues.append(error(where, "lists a state twice", "", (*path, "states")))
    on = None if item.get("on") is None else _state_name(item["on"])
    if len(states) > 2:
        if on is not None:
            fix = "leave 'on' out, or list two states"
            issues.append(error(where, "has 'on' with more than two states", fix, (*path, "on")))
        return states, False
    if on is not None and on not in states:
        fix = did_you_mean(on, states)
        issues.append(error(where, f"has the unknown 'on' state '{on}'", fix, (*path, "on")))
    normal = None if item.get("normal") is None else _state_name(item["normal"])
    if on is not None:
        flipped = on == states[0]
    else:
        named = normal if normal in states else normal_state(states, _label(item))
        flipped = named == states[1]
    return (states[::-1] if flipped else states), flipped


def _label(item: Mapping[str, Any]) -> str:
    """What a node is called."""
    return str(item.get("name") or item.get("id"))


def _state_name(value: object) -> str:
    """A state's name; YAML reads a bare yes or no as a truth value."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _topological(nodes: Mapping[str, Node], issues: list[Issue]) -> list[str]:
    """The ids with parents before children; a cycle becomes an issue that names it."""
    order: list[str] = []
    done: set[str] = set()
    reported = False
    for start in nodes:
        stack = [(start, iter(nodes[start].parents))] if start not in done else []
        trail: dict[str, None] = dict.fromkeys([start] if stack else [])
        while stack:
            node, parents = stack[-1]
            following = next((p for p in parents if p in nodes and p not in done), None)
            if following is None:
                stack.pop()
                trail.pop(node)
                done.add(node)
                order.append(node)
            elif following in trail:
                if not reported:
                    walked = list(trail)
                    loop = [*walked[walked.index(following) :], following]
                    shown = " → ".join(reversed(loop[:NODES_SHOWN]))
                    fix = "remove one of its links"
                    issues.append(error("the model", f"has a cycle: {shown}", fix, ("nodes",)))
                reported = True
            else:
                stack.append((following, iter(nodes[following].parents)))
                trail[following] = None
    return order


def _check_roles(nodes: Mapping[str, Node], issues: list[Issue]) -> None:
    """Warn if there is nothing to diagnose or nothing to observe."""
    roles = {node.role for node in nodes.values()}
    for role in ("disease", "finding"):
        if nodes and role not in roles:
            fix = f"give some nodes 'role: {role}', or only queries can be answered"
            issues.append(warning("the model", f"has no {role}", fix, ("nodes",)))


def _check_said(
    nodes: Mapping[str, Node],
    entries: Mapping[str, Entry],
    paths: Mapping[str, Path],
    issues: list[Issue],
) -> None:
    """Check `is_a` and `prevalence` against the mechanisms, which must be able to hold them.

    And what alarms go with and questions come after against the nodes.
    """
    seen = [name for name, node in nodes.items() if node.role in ("finding", "risk factor")]
    check_company(entries, seen, paths, issues)
    for name, node in nodes.items():
        entry, where = entries[name], f"node '{name}'"
        if entry.is_a and not _always_causes(nodes, name, entry.is_a):
            what = f"is a kind of '{entry.is_a}', which it does not always cause"
            fix = f"write causes: {{{name}: always}} there, or {did_you_mean(entry.is_a, nodes)}"
            issues.append(error(where, what, fix, (*paths[name], "is_a")))
        if not entry.prevalence or node.role == "disease":
            continue
        if node.role in ("other", PART) or not isinstance(node.mechanism, Gate):
            fix = "only risk factors, diseases and findings with a prior or a leak can have one"
            issues.append(error(where, "has a prevalence", fix, (*paths[name], "prevalence")))


def _always_causes(nodes: Mapping[str, Node], cause: str, effect: str) -> bool:
    """Whether one finding is a certain cause of another by a noisy-OR."""
    if effect not in nodes or nodes[effect].role != "finding":
        return False
    gate = nodes[effect].mechanism
    if not isinstance(gate, Gate) or gate.kind != "or" or cause not in gate.parents:
        return False
    return gate.links[gate.parents.index(cause)].fails == 0.0
