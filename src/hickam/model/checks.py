"""What can be wrong with a network as a whole: cycles, unreachable nodes, shared names."""

from __future__ import annotations

from collections.abc import Mapping

from hickam.issues import Issue, error, warning
from hickam.model.layer import Layer, Path
from hickam.model.network import Entry, Links


def check_cycles(
    layers: Mapping[str, Layer], places: Mapping[str, Mapping[str, int]], issues: list[Issue]
) -> None:
    """Name a cycle among the links that run within or against the layers."""
    causes_of: dict[str, list[str]] = {}
    known = {node for members in places.values() for node in members}
    for layer in layers.values():
        for effect, cause, _, _ in layer.links:
            if cause in known:
                causes_of.setdefault(layer.ids[effect], []).append(cause)
    done: set[str] = set()
    for start in causes_of:
        trail: list[str] = []
        on_trail: set[str] = set()
        stack = [(start, iter(causes_of.get(start, ())))]
        trail.append(start)
        on_trail.add(start)
        while stack:
            node, rest = stack[-1]
            following = next((c for c in rest if c not in done), None)
            if following is None:
                stack.pop()
                done.add(trail.pop())
                on_trail.discard(node)
            elif following in on_trail:
                loop = [*trail[trail.index(following) :], following]
                shown = " → ".join(reversed(loop))
                issues.append(
                    error("the network", f"has a cycle: {shown}", "remove one of its links")
                )
                return
            else:
                stack.append((following, iter(causes_of.get(following, ()))))
                trail.append(following)
                on_trail.add(following)


def check_reach(
    layers: Mapping[str, Layer],
    causes: Links,
    effects: Links,
    tied: set[int],
    issues: list[Issue],
) -> None:
    """Findings nothing can cause, diseases that cannot occur or have no findings.

    `tied` are the diseases that a disease causes.
    """
    diseases, findings = layers["diseases"], layers["findings"]
    listed = {effect for effect, _, _, _ in findings.links}
    able = set(effects.effect[effects.acts > 0.0].tolist())
    for position, node in enumerate(findings.ids):
        if findings.own[position].acts > 0.0 or position in able:
            continue
        path: Path = ("findings", position)
        fix = "give it a cause or a leak"
        if position in listed:
            issues.append(warning(f"finding '{node}'", "can never be present", fix, path))
        else:
            issues.append(error(f"finding '{node}'", "is one that nothing can cause", fix, path))
    caused = set(causes.effect[causes.acts > 0.0].tolist()) | tied
    causing = set(effects.cause.tolist())
    for position, node in enumerate(diseases.ids):
        path = ("diseases", position)
        if diseases.own[position].acts == 0.0 and position not in caused:
            issues.append(
                warning(f"disease '{node}'", "can never occur", "give it a leak or a cause", path)
            )
        if position not in causing:
            fix = "link a finding to it, or no evidence can point to it"
            issues.append(warning(f"disease '{node}'", "has no findings", fix, path))


def check_leaks(layers: Mapping[str, Layer], issues: list[Issue]) -> None:
    """Nodes with causes whose leak is left out: then nothing else can bring them about."""
    for section in ("diseases", "findings"):
        layer = layers[section]
        caused = {effect for effect, _, _, _ in layer.links}
        silent = [position for position in layer.leakless if position in caused]
        if silent:
            first = f"{layer.kind} '{layer.ids[silent[0]]}'"
            more = f" and {len(silent) - 1} others" if len(silent) > 1 else ""
            what = "do not say their leak" if more else "does not say its leak"
            fix = "taken as 0: impossible without a listed cause; write 'leak: 0' if that is meant"
            issues.append(warning(f"{first}{more}", what, fix, layer.paths[silent[0]]))


def check_names(
    layers: Mapping[str, Layer], entries: Mapping[str, Entry], issues: list[Issue]
) -> None:
    """Names and synonyms that two nodes of a layer share: neither can be meant by them."""
    for layer in layers.values():
        ids = {_folded(node) for node in layer.ids}
        for spelled in (lambda entry: (entry.name,), lambda entry: entry.synonyms):
            holders: dict[str, int] = {}
            for position, node in enumerate(layer.ids):
                for word in {_folded(text): text for text in spelled(entries[node])}.items():
                    first = holders.setdefault(word[0], position)
                    if first != position and word[0] not in ids:
                        what = f"shares the name '{word[1]}' with '{layer.ids[first]}'"
                        fix = "give one of them another name, or only ids will tell them apart"
                        path = layer.paths[position]
                        issues.append(warning(f"{layer.kind} '{node}'", what, fix, path))


def _folded(word: str) -> str:
    """A word without differences that no reader sees."""
    return " ".join(word.replace("_", " ").replace("-", " ").casefold().split())
