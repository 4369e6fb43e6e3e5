"""Exact answers on merged worlds, within a predicted size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.factorise import factorise
from hickam.twin.factors import Plan, Variable
from hickam.twin.product import Product
from hickam.twin.shared import Shared
from hickam.twin.sums import Sums
from hickam.twin.worlds import Action, Const, build_twin

MEMORY = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """What exact inference is about: a model, its evidence, and what it may cost."""

    model: SCM
    observed: Mapping[str, int]
    weights: Mapping[str, Floats]  # soft evidence on factual states
    memory: int = MEMORY
    merge: bool = True
    solver: str = "elimination"  # or "junction tree"
    # pieces of the twins built so far; a setting that is replaced by another shares them with it
    shared: Shared = field(default_factory=Shared, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The worlds with the beliefs of their target nodes."""

    product: Product
    log_total: float
    beliefs: Mapping[Variable, Floats]

    def table(self, node: str) -> tuple[Ints, Floats]:
        """([tuple, world] the node's values, [tuple] their probability given the evidence)."""
        worlds = range(len(self.product.twin.actions))
        values = np.stack([self.product.column(node, world) for world in worlds], axis=1)
        chance = self.beliefs.get(node, np.ones(1))
        return values, chance


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Worlds built, factorised and planned: of known size, and not yet computed."""

    product: Product
    sums: Sums
    wanted: tuple[Variable, ...]
    solver: str

    def solve(self) -> Solved:
        """The total and the beliefs."""
        if self.solver == "junction tree":
            from hickam.twin.junction_tree import propagate

            found = propagate(self.product.factors, self.product.sizes, self.wanted)
        else:
            found = self.sums.calibrate(self.wanted)
        return Solved(self.product, found.log_total, found.beliefs)


def prepare(
    setting: Setting,
    actions: Sequence[Action],
    targets: Sequence[tuple[int, str]],
    demands: Sequence[tuple[int, str, int]] = (),
) -> Prepared:
    """The worlds that targets and demands need, refused here if they are too large."""
    asked = [*targets, *((world, node) for world, node, _ in demands)]
    twin = build_twin(
        setting.model,
        actions,
        setting.observed,
        asked,
        weighted=tuple(setting.weights),
        merge=setting.merge,
        shared=setting.shared,
    )
    product = factorise(twin, setting.weights, demands, shared=setting.shared)
    sums = Sums(product.factors, product.sizes)
    check_size(sums, setting.memory)
    wanted = [node for node in dict.fromkeys(node for _, node in targets) if node in product.sizes]
    return Prepared(product, sums, tuple(wanted), setting.solver)


def solve(
    setting: Setting,
    actions: Sequence[Action],
    targets: Sequence[tuple[int, str]],
    demands: Sequence[tuple[int, str, int]] = (),
) -> Solved:
    """The evidence's probability and the joint beliefs of each target node over all worlds."""
    return prepare(setting, actions, targets, demands).solve()


def check_size(work: Plan | Sums, memory: int) -> None:
    """Refuse work whose tables would not fit, with the predicted size and a way out."""
    needed = 16 * work.cells  # bytes: messages pass both ways
    if needed <= memory:
        return
    what = (
        f"would need about {needed / 1e9:.3g} GB of tables, the largest of "
        f"{work.widest:.2g} numbers (allowed: {memory / 1e9:.3g} GB)"
    )
    fix = "use engine 'sampling', or raise the option 'memory'"
    raise TooHard([error("exact inference on this model", what, fix)])


def log_chance(
    setting: Setting,
    actions: Sequence[Action] = (),
    demands: Sequence[tuple[int, str, int]] = (),
) -> float:
    """log P(evidence and demands), soft evidence included; -inf if impossible."""
    return solve(setting, actions, (), demands).log_total


def chance_of(solved: Solved, node: str, *, world: int, state: int) -> float:
    """P(node has a state in a world | evidence)."""
    position = solved.product.position(node, world)
    if isinstance(position, Const):
        return float(position.state == state)
    values, chance = solved.table(node)
    return float(chance[values[:, world] == state].sum())


def chance_of_any(solved: Solved, node: Node) -> float:
    """P(node has an abnormal state in the factual world | evidence)."""
    return sum(chance_of(solved, node.id, world=0, state=state) for state in node.abnormal)
