"""What a picture shows: the network around a case, and its twin before and after merging.

Evidence is blue and interventions are red, as in the paper; a star marks a counterfactual dual, and
a dashed line joins duals that share their noise. [CD twin-network]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.infer import infer
from hickam.issues import InvalidInput, Issue, TooHard, did_you_mean, invalid
from hickam.language.vocabulary import find_each, vocabularies
from hickam.model.kinds import Model, as_scm
from hickam.model.node import PART
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.actions import cure, only
from hickam.twin.observe import Observations, observe
from hickam.twin.worlds import Action, Const, Ref, Slot, Twin, ancestry, build_twin

STAGES = ("network", "before", "after")
MOST = 30
SECONDS = 2.0  # that choosing what to draw may take
TWINS = ("disablement", "sufficiency")  # measures that are read off a twin network


@dataclass(frozen=True, slots=True)
class Shape:
    """One drawn node."""

    id: str
    label: str
    note: str  # a state that is known or set, or empty
    role: str
    colour: str  # "plain" | "evidence" | "intervention"
    zone: int  # 0 factual, 1 the same in both worlds, 2 counterfactual
    node: str  # the model's node


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes, arrows and dashed lines between them, and the titles of the zones."""

    title: str
    shapes: tuple[Shape, ...]
    arrows: tuple[tuple[str, str], ...]
    dashes: tuple[tuple[str, str], ...] = ()
    zones: Mapping[int, str] = field(default_factory=dict)
    note: str = ""


def draw(
    network: Model,
    case: Case,
    disease: str | None = None,
    *,
    stage: str = "after",
    measure: str = "disablement",
    most: int = MOST,
    deadline: float = SECONDS,
) -> Picture:
    """The picture of a case: its network, or the twin that a measure of a disease is read from.

    `stage` is "network", "before" (two whole worlds) or "after" merging. The measure chooses the
    intervention: "disablement" cures the disease, "sufficiency" switches everything else off. Of
    more than `most` relevant nodes the likeliest diseases are kept, and the picture says so;
    finding out which those are may take `deadline` seconds.
    """
    if stage not in STAGES:
        raise invalid(f"stage {stage!r}", "is not known", did_you_mean(stage, STAGES))
    if measure not in TWINS:
        fix = did_you_mean(measure, TWINS)
        raise invalid(f"measure {measure!r}", "has no twin", fix)
    model = as_scm(network)
    evidence = locate(case, model)
    model = adapted_scm(model, evidence.circumstances)
    seen = observe(model, evidence)
    chosen = None if disease is None else _disease(model, disease)
    if chosen is None and stage != "network":
        raise invalid("the twin", "needs a disease to intervene on", "name one with --disease")
    kept, note = _keep(model, network, case, seen, chosen, most, deadline)
    if stage == "network" or chosen is None:
        return _network_picture(model, seen, kept, note)
    action = cure(model, chosen) if measure == "disablement" else only(model, chosen)
    return _twin_picture(model, seen, kept, action, chosen, stage == "after", note)


def _disease(model: SCM, name: str) -> str:
    """The id of a disease by any of its names."""
    words = vocabularies(model)
    issues: list[Issue] = []
    (found,) = find_each(words, "disease", [name], issues)
    if found is None:
        raise InvalidInput(issues)
    return model.diseases[found]


def _keep(
    model: SCM,
    network: Model,
    case: Case,
    seen: Observations,
    chosen: str | None,
    most: int,
    deadline: float,
) -> tuple[set[str], str]:
    """(the nodes to draw, a sentence on what was left out)."""
    roots = [*seen.states, *([chosen] if chosen else [])]
    relevant = ancestry(model, roots)
    if chosen:
        between = model.descendants(chosen) & ancestry(model, seen.present)
        relevant |= between
    if len(relevant) <= most:
        return relevant, ""
    needed = {*seen.states, *([chosen] if chosen else [])}
    others = [node for node in relevant if node not in needed]
    try:
        beliefs = infer(network, case, deadline=deadline)
        posterior = dict(zip(model.diseases, beliefs.posterior, strict=True))
        which = "less likely causes"
    except TooHard:
        posterior, which = {}, "causes, chosen without their probabilities for lack of time,"
    ranked = sorted(others, key=lambda node: -float(posterior.get(node, 0.0)))
    kept = needed | set(ranked[: max(most - len(needed), 0)])
    left_out = len(relevant) - len(kept)
    return kept, f"{left_out} {which} are not drawn" if left_out > 0 else ""


def _network_picture(model: SCM, seen: Observations, kept: set[str], note: str) -> Picture:
    """The factual network around a case."""
    shapes = tuple(
        _shape(model, node.id, node.id, "", seen.states.get(node.id), "evidence", 1)
        for node in model
        if node.id in kept
    )
    arrows = tuple(
        (parent, node.id)
        for node in model
        if node.id in kept
        for parent in node.parents
        if parent in kept
    )
    return Picture(f"{model.name}: the network around the case", shapes, arrows, (), {}, note)


def _shape(
    model: SCM, key: str, node: str, star: str, state: int | None, colour: str, zone: int
) -> Shape:
    """A shape with its state as a note; plain if it has none."""
    known = "" if state is None else model.nodes[node].states[state]
    label = model.label(node) + star
    colour = "plain" if state is None else colour
    role = "other" if model.nodes[node].role == PART else model.nodes[node].role
    return Shape(key, label, known, role, colour, zone, node)


def _twin_picture(
    model: SCM,
    seen: Observations,
    kept: set[str],
    action: Action,
    chosen: str,
    merge: bool,
    note: str,
) -> Picture:
    """Both worlds with their arrows; the evidence is drawn, not used to simplify."""
    asked = [s for s in seen.present if s in model.descendants(chosen)] or list(seen.present)
    targets = [(1, node) for node in asked] if merge else [(1, node) for node in kept]
    asked_for = [*targets, *((0, node) for node in kept)]
    twin = build_twin(model, [action], {}, asked_for, merge=merge, whole=True)
    shapes: dict[str, Shape] = {}
    for world in (0, 1):
        for name, place in twin.places.items():
            if name in kept:
                shape = _world_shape(twin, seen, name, place.value, world, action)
                if shape is not None:
                    shapes.setdefault(shape.id, shape)
    arrows = _twin_arrows(twin, kept, action, shapes)
    used = {end for arrow in arrows for end in arrow}
    final = {
        key: shape
        for key, shape in shapes.items()
        if not merge or shape.zone != 2 or key in used or shape.node in asked
    }
    dashes = tuple(
        (name, f"{name}*")
        for name in twin.places
        if name in final and final.get(f"{name}*") and final[f"{name}*"].colour == "plain"
    )
    arrows = tuple(arrow for arrow in arrows if arrow[0] in final and arrow[1] in final)
    done = f"{model.label(chosen)} cured" if chosen in action.do else f"only {model.label(chosen)}"
    zones = {0: "factual world", 1: "the same in both worlds", 2: f"counterfactual world: {done}"}
    stage = "after" if merge else "before"
    title = f"{model.name}: twin network {stage} merging"
    return Picture(title, tuple(final.values()), arrows, dashes, zones, note)


def _key(name: str, values: tuple[Ref, ...], world: int, action: Action) -> str:
    """The shape that a node has in a world: its own, or the factual one where they are merged."""
    if world == 0:
        return name
    merged = isinstance(values[1], Slot) and values[1] == values[0]
    return name if (merged and name not in action.do) else f"{name}*"


def _world_shape(
    twin: Twin,
    seen: Observations,
    name: str,
    values: tuple[Ref, ...],
    world: int,
    action: Action,
) -> Shape | None:
    """A node's shape in one world; None if that world does not need it."""
    model = twin.model
    key = _key(name, values, world, action)
    ref = values[world]
    if isinstance(ref, Slot) and (name, ref.number) not in twin.needed:
        return None
    if world == 0:
        shared = _key(name, values, 1, action) == name
        return _shape(model, key, name, "", seen.states.get(name), "evidence", 1 if shared else 0)
    if key == name:
        return None
    star = "*"
    if name in action.do:
        return _shape(model, key, name, star, action.do[name], "intervention", 2)
    settled = ref.state if isinstance(ref, Const) else None
    shape = _shape(model, key, name, star, settled, "plain", 2)
    return shape


def _twin_arrows(
    twin: Twin, kept: set[str], action: Action, shapes: Mapping[str, Shape]
) -> tuple[tuple[str, str], ...]:
    """Arrows within each world, those into interventions cut, those of merged nodes drawn once."""
    found: dict[tuple[str, str], None] = {}
    for world in (0, 1):
        for name, place in twin.places.items():
            if name not in kept or (world == 1 and (name in action.do or name in action.held)):
                continue
            child = _key(name, place.value, world, action)
            if world == 1 and child == name:
                continue
            for parent in place.node.parents:
                if parent not in kept:
                    continue
                source = _key(parent, twin.places[parent].value, world, action)
                if child in shapes and source in shapes:
                    found[source, child] = None
    return tuple(found)
