"""The probabilities of causation by enumeration, on random small models; nothing of `twin` is used.

python tests/causation_truth.py 10000 compares `hickam.causation` with it on so many models.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import hickam
from models import model_of

Function = tuple[int, ...]  # a node's state for each row of its parents


def draw(rng: np.random.Generator) -> tuple[list[dict[str, Any]], hickam.Case, list[str], str]:
    """(nodes, case, causes, finding) of a random model of three to five nodes."""
    count = int(rng.integers(3, 6))
    nodes: list[dict[str, Any]] = []
    for number in range(count):
        names = [node["id"] for node in nodes]
        size = min(len(names), int(rng.integers(0, 3)))
        parents = sorted(rng.choice(names, size, replace=False).tolist()) if size else []
        role = "finding" if number == count - 1 else rng.choice(["disease", "risk factor", "other"])
        if number and number < count - 1 and rng.random() < 0.3:
            role = "finding"
        node: dict[str, Any] = {"id": f"n{number}", "role": "disease" if number == 0 else str(role)}
        form = rng.choice(["or", "and", "function", "table", "independent", "gate"])
        links = {parent: _chance(rng) for parent in parents}
        if not parents or form == "or":
            node |= {"leak": _chance(rng), "causes": links}
        elif form == "and":
            node |= {"keep": _chance(rng), "needs": links}
        elif form == "function":
            node["function"] = f" {rng.choice(['and', 'or', 'xor'])} ".join(parents)
        elif form == "gate":
            quiet = np.array(_chance(rng))
            for _ in parents:
                quiet = np.multiply.outer(quiet, rng.permutation([1.0, _chance(rng)]))
            on = 1.0 - quiet if rng.random() < 0.5 else quiet
            node |= {"parents": parents, "coupling": "gate", "table": on.ravel().tolist()}
        else:
            node |= {"parents": parents, "table": [_chance(rng) for _ in range(2**size)]}
            node["coupling"] = "independent" if form == "independent" else "monotone"
        nodes.append(node)
    finding = nodes[-1]["id"]
    rest = [node["id"] for node in nodes[:-1]]
    causes = sorted(rng.choice(rest, int(rng.integers(1, 3)), replace=False).tolist())
    seen = [n for n in nodes[:-1] if n["id"] not in causes and rng.random() < 0.4]
    words = {n["id"]: bool(rng.random() < 0.5) for n in seen}
    present = [n["id"] for n in seen if n["role"] == "finding" and words[n["id"]]]
    absent = [n["id"] for n in seen if n["role"] == "finding" and not words[n["id"]]]
    states = {
        n["id"]: "true" if words[n["id"]] else "false" for n in seen if n["role"] != "finding"
    }
    return nodes, hickam.Case(present, absent, categories=states), causes, finding


def _chance(rng: np.random.Generator) -> float:
    """A probability that is 0 or 1 now and then."""
    return float(
        rng.choice([0.0, 1.0, rng.integers(1, 16) / 16, rng.random()], p=[0.05, 0.05, 0.5, 0.4])
    )


def functions(node: dict[str, Any]) -> tuple[list[str], list[tuple[Function, float]]]:
    """(parents, every function of them that the node can be, with its probability)."""
    if "function" in node:
        word = next((w for w in ("and", "or", "xor") if f" {w} " in node["function"]), "or")
        parents = node["function"].split(f" {word} ")
        joined = {"and": min, "or": max, "xor": lambda row: sum(row) % 2}[word]
        return parents, [(tuple(joined(row) for row in _rows(len(parents))), 1.0)]
    if "table" not in node:
        kind = "or" if "causes" in node else "and"
        parents = list(node["causes" if kind == "or" else "needs"])
        own = node["leak"] if kind == "or" else 1.0 - node["keep"]
        links = list((node["causes"] if kind == "or" else node["needs"]).values())
        return parents, list(_gate(kind, own, links, (False,) * len(parents)))
    parents, table = node["parents"], node["table"]
    if node["coupling"] == "gate":
        return parents, _gate_of(np.reshape(table, (2,) * len(parents)))
    if node["coupling"] == "independent":
        found = []
        for answers in itertools.product((0, 1), repeat=len(table)):
            chances = [p if a else 1.0 - p for a, p in zip(answers, table, strict=True)]
            found.append((answers, float(np.prod(chances))))
        return parents, found
    ends = sorted({0.0, 1.0, *table})
    cells = itertools.pairwise(ends)
    return parents, [(tuple(int(p > low) for p in table), high - low) for low, high in cells]


def _rows(count: int) -> Iterator[tuple[int, ...]]:
    """Every row of so many parents, the last one fastest."""
    return itertools.product((0, 1), repeat=count)


def _gate(
    kind: str, own: float, links: list[float], flips: tuple[bool, ...]
) -> Iterator[tuple[Function, float]]:
    """Every setting of a gate's noise as the function that the node then is."""
    wanted = int(kind == "or")
    for fires in itertools.product((0, 1), repeat=len(links) + 1):
        chance = np.prod([p if f else 1.0 - p for f, p in zip(fires, [own, *links], strict=True)])
        answers = []
        for row in _rows(len(links)):
            opened = [(state ^ flip) == wanted for state, flip in zip(row, flips, strict=True)]
            fired = fires[0] or any(o and f for o, f in zip(opened, fires[1:], strict=True))
            answers.append(wanted if fired else 1 - wanted)
        yield tuple(answers), float(chance)


def _gate_of(on: np.ndarray[Any, Any]) -> list[tuple[Function, float]]:
    """The functions of a table that is a gate: tried by hand for each reading of its states."""
    for kind in ("or", "and"):
        wanted = int(kind == "or")
        quiet = 1.0 - on if kind == "or" else on
        for flips in itertools.product((False, True), repeat=on.ndim):
            closed = tuple((1 - wanted) ^ flip for flip in flips)
            base = float(quiet[closed])
            if base <= 0.0:
                continue
            fails = []
            for axis, state in enumerate(closed):
                place = list(closed)
                place[axis] = 1 - state
                fails.append(float(quiet[tuple(place)]) / base)
            if max(fails) > 1.0 + 1e-9:
                continue
            links = [max(1.0 - f, 0.0) for f in fails]
            made = list(_gate(kind, 1.0 - base, links, flips))
            total = sum(chance * np.array(answers) for answers, chance in made)
            if np.abs(total - on.ravel()).max() < 1e-9:
                return made
    raise AssertionError("no gate")


def is_bare(node: dict[str, Any]) -> bool:
    """Whether a node has a table whose coupling is only named."""
    return bool(node.get("coupling") in ("monotone", "independent") and node["parents"])


def coefficients(
    nodes: list[dict[str, Any]],
    case: hickam.Case,
    causes: list[str],
    finding: str,
    choices: list[list[tuple[Function, float]]],
) -> dict[str, dict[tuple[Function, ...], list[float]]]:
    """Word → functions of the bare nodes → [P(event, condition), P(condition)].

    By going through everything that every node can be, each of `choices` with its weight.
    """
    known = dict.fromkeys(case.present, 1) | dict.fromkeys(case.absent, 0)
    known |= {n: int(state == "true") for n, state in case.categories.items()}
    names = [node["id"] for node in nodes]
    parents = [functions(node)[0] for node in nodes]
    bare = [position for position, node in enumerate(nodes) if is_bare(node)]
    found: dict[str, dict[tuple[Function, ...], list[float]]] = {
        word: {} for word in ("necessity", "sufficiency", "both")
    }

    def world(chosen: list[Function], do: dict[str, int]) -> dict[str, int]:
        states: dict[str, int] = {}
        for name, above, function in zip(names, parents, chosen, strict=True):
            row = int("".join(str(states[p]) for p in above) or "0", 2)
            states[name] = do.get(name, function[row])
        return states

    for drawn in itertools.product(*choices):
        chance = float(np.prod([weight for _, weight in drawn]))
        chosen = [function for function, _ in drawn]
        factual = world(chosen, {}) if chance > 0.0 else {}
        if chance == 0.0 or any(factual[name] != state for name, state in known.items()):
            continue
        on, off = (world(chosen, dict.fromkeys(causes, state))[finding] for state in (1, 0))
        all_on = all(factual[c] for c in causes) and factual[finding]
        all_off = not any(factual[c] for c in causes) and not factual[finding]
        key = tuple(chosen[position] for position in bare)
        for word, holds, event in (
            ("both", True, on and not off),
            ("necessity", all_on, not off),
            ("sufficiency", all_off, on),
        ):
            sums = found[word].setdefault(key, [0.0, 0.0])
            sums[0] += chance * bool(holds and event)
            sums[1] += chance * bool(holds)
    return found


def enumerated(
    nodes: list[dict[str, Any]], case: hickam.Case, causes: list[str], finding: str
) -> dict[str, float | None]:
    """PN, PS and PNS under the named couplings; None where the condition cannot happen."""
    found = coefficients(nodes, case, causes, finding, [functions(node)[1] for node in nodes])
    sums = {word: np.sum([[0.0, 0.0], *by.values()], axis=0) for word, by in found.items()}
    return {w: float(event / whole) if whole > 0.0 else None for w, (event, whole) in sums.items()}


def ends(
    nodes: list[dict[str, Any]], case: hickam.Case, causes: list[str], finding: str
) -> dict[str, tuple[float, float]] | None:
    """The least and the largest over every coupling of the bare tables; None if too many.

    With one bare table by a linear program, with several of one parent at the corners: the
    probability is linear in each coupling, and the condition does not depend on them.
    """
    bare = [node for node in nodes if is_bare(node)]
    if not bare or (len(bare) > 1 and any(len(node["parents"]) > 1 for node in bare)):
        return None
    every = [
        [(f, 1.0) for f in itertools.product((0, 1), repeat=len(node["table"]))]
        if is_bare(node)
        else functions(node)[1]
        for node in nodes
    ]
    found = {}
    for word, by in coefficients(nodes, case, causes, finding, every).items():
        if len(bare) == 1:
            found[word] = _program(bare[0]["table"], {key[0]: sums for key, sums in by.items()})
            continue
        values = [_at(by, corner) for corner in itertools.product(*map(_corners, bare))]
        found[word] = (min(values), max(values))
    return found


def _corners(node: dict[str, Any]) -> list[dict[Function, float]]:
    """The two extreme couplings of a table of one parent."""
    low, high = node["table"]
    found = []
    for both in (max(0.0, low + high - 1.0), min(low, high)):
        neither = 1.0 - low - high + both
        found.append({(1, 1): both, (1, 0): low - both, (0, 1): high - both, (0, 0): neither})
    return found


def _at(by: dict[tuple[Function, ...], list[float]], corner: Any) -> float:
    """The conditional probability under a coupling of each bare table."""
    event = whole = 0.0
    for key, sums in by.items():
        weight = np.prod([coupling[f] for coupling, f in zip(corner, key, strict=True)])
        event, whole = event + weight * sums[0], whole + weight * sums[1]
    return float(event / whole) if whole > 1e-12 else np.nan


def _program(on: list[float], by: dict[Function, list[float]]) -> tuple[float, float]:
    """The ends over every coupling of one table."""
    from scipy.optimize import linprog

    every = list(itertools.product((0, 1), repeat=len(on)))
    rows = np.array([[1.0] * len(every), *np.array(every).T])
    known = np.array([1.0, *on])
    event, whole = (np.array([by.get(f, [0.0, 0.0])[i] for f in every]) for i in (0, 1))
    some = linprog(np.zeros(len(every)), A_eq=rows, b_eq=known).x
    condition = float(whole @ some)
    if condition <= 1e-12:
        return np.nan, np.nan
    low, high = (s * linprog(s * event, A_eq=rows, b_eq=known).fun for s in (1.0, -1.0))
    return low / condition, high / condition


def compare(seed: int) -> tuple[float, list[str]] | None:
    """(largest difference, statuses) of one random model; None for evidence that cannot happen."""
    nodes, case, causes, finding = draw(np.random.default_rng(seed))
    truth = enumerated(nodes, case, causes, finding)
    if truth["both"] is None:
        return None
    told = replace(case, present=[*case.present, finding]) if seed % 3 == 0 else case
    found = hickam.causation(model_of(nodes), told, causes, finding)  # what it says is set aside
    limits = ends(nodes, case, causes, finding)
    worst, statuses = 0.0, []
    for word, expected in truth.items():
        one = getattr(found, word)
        if expected is None or one is None:
            assert one is expected, (seed, word)
            continue
        differences = [one.probability - expected]
        if one.lower is not None:
            assert one.lower <= expected + 1e-9, (seed, word)
            assert expected - 1e-9 <= one.upper, (seed, word)
        if limits is not None and one.lower is not None:
            differences += [one.lower - limits[word][0], one.upper - limits[word][1]]
        worst = max(worst, np.abs(differences).max())
        statuses.append(f"{one.status}{'' if one.lower is not None else ' without bounds'}")
        statuses += ["bounds compared"] if len(differences) > 1 else []
    return worst, statuses


if __name__ == "__main__":
    from collections import Counter

    worst, counted, models, seed = 0.0, Counter[str](), 0, 0
    while models < int(sys.argv[1]):
        seed += 1
        result = compare(seed)
        if result is None:
            continue
        models += 1
        counted.update(result[1])
        if result[0] > worst:
            worst = result[0]
            print(f"model {seed}: off by {worst:.2g}", flush=True)
    print(f"{models} models, off by at most {worst:.2g}; {dict(counted)}")
