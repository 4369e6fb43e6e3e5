"""Mechanisms: how a node is set from its parents and its own noise. [CD scm] [CD noisy-or]

Every mechanism is a function of the parents' states and of independent noise variables. `noises`
gives their distributions and `evaluate` the node's state, element by element over arrays, so that
one definition serves enumeration and sampling alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hickam.model.expression import Expression
from hickam.model.network import Floats, Ints
from hickam.model.numbers import Chance

COUPLINGS = ("monotone", "independent", "gate")
MATCHED = 1e-9  # difference from a gate's own table that is no more than rounding of floats


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """A noisy-OR or noisy-AND over two-state parents.

    Noisy-OR: on if its own cause (the leak) fires or an on parent's link fires.
    Noisy-AND: off if its own inhibitor fires or an off parent's link fires; the link of a parent
    fires if the parent is needed, so P(on | parents) = keep * prod waived_p ** (1 - parent_p) with
    keep = own.fails and waived_p = links[p].fails. It is the noisy-OR of the negations, which is
    why one class serves both.
    """

    kind: str  # "or" | "and"
    parents: tuple[str, ...]
    own: Chance
    links: tuple[Chance, ...]

    @property
    def rows(self) -> Floats:
        """[state of parent 1, …, state of parent n, own state] the gate as a table."""
        wanted = self.kind == "or"
        quiet = np.array(self.own.fails)
        for link in self.links:
            quiet = np.multiply.outer(quiet, [1.0, link.fails] if wanted else [link.fails, 1.0])
        return np.stack([quiet, 1.0 - quiet] if wanted else [1.0 - quiet, quiet], axis=-1)

    @property
    def noises(self) -> tuple[Floats, ...]:
        """P(does not fire), P(fires) of the own cause and of each link."""
        return tuple(np.array([c.fails, c.acts]) for c in (self.own, *self.links))

    def evaluate(
        self, parents: Sequence[Ints], noises: Sequence[Ints], silenced: bool = False
    ) -> Ints:
        """The node's state.

        `silenced` switches off whatever can make the node present in place of a missing cause: the
        leak of a noisy-OR, the waivers of a noisy-AND.
        """
        wanted = self.kind == "or"
        fired = noises[0] == 1
        if silenced and wanted:
            fired = np.zeros_like(fired)
        for state, noise in zip(parents, noises[1:], strict=True):
            if _is_everywhere(state, int(not wanted)):
                continue
            fires = np.ones_like(fired) if silenced and not wanted else noise == 1
            fired = fired | ((state == int(wanted)) & fires)
        return (fired == wanted).astype(np.int8)


def _is_everywhere(state: Ints, value: int) -> bool:
    """Whether an array is one value spread out, as after an intervention; cheap, may say no."""
    return state.ndim == 1 and len(state) > 1 and state.strides == (0,) and int(state[0]) == value


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A deterministic Boolean function of the parents; it has no noise."""

    parents: tuple[str, ...]
    expression: Expression
    text: str

    @property
    def noises(self) -> tuple[Floats, ...]:
        """No noise."""
        return ()

    def evaluate(
        self, parents: Sequence[Ints], noises: Sequence[Ints], silenced: bool = False
    ) -> Ints:
        """The function's value; nothing in it can be silenced."""
        values = dict(zip(self.parents, parents, strict=True))
        return np.asarray(self.expression.value(values)).astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A conditional table, which leaves open how the noise couples different parent states.

    `coupling` names the reading: "monotone" draws one quantile and uses it in every row (from the
    last state downwards, so that "on" in a row stays "on" in every row where it is likelier);
    "independent" draws every row's answer on its own; "gate" has the noise of a noisy gate, and one
    quantile that corrects the gate's answer in rows that are rounded.
    """

    parents: tuple[str, ...]
    rows: Floats  # [state of parent 1, …, state of parent n, own state]
    coupling: str = "monotone"
    # For two states: pair of rows → P(on in both), in place of the coupling for these rows.
    pairs: Mapping[tuple[int, int], float] | None = None
    # For the coupling "gate": the gate, and for each parent whether it is taken with its states
    # exchanged.
    gate: Gate | None = None
    flips: tuple[bool, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether the table leaves open how its answers in different rows hang together."""
        uncertain = bool(np.any((self.rows > 0.0) & (self.rows < 1.0)))
        return bool(self.parents) and self.gate is None and uncertain

    @property
    def quiet_state(self) -> int:
        """The state of a table with a gate in which nothing in that gate fires."""
        return int(self.gate is not None and self.gate.kind == "and")

    def as_taken(self, parents: Sequence[Ints]) -> list[Ints]:
        """The parents' states as the gate of the table takes them."""
        return [np.asarray(p) ^ int(f) for p, f in zip(parents, self.flips, strict=True)]

    @property
    def corrections(self) -> tuple[Floats, Floats]:
        """([row] P(stays quiet | gate is quiet), [row] P(becomes quiet | gate is not))."""
        assert self.gate is not None
        turned = tuple(axis for axis, flip in enumerate(self.flips) if flip)
        expected = np.flip(self.gate.rows, turned).reshape(-1, 2)[:, self.quiet_state]
        stated = self.flat[:, self.quiet_state]
        keeps, gains = np.ones(len(stated)), np.zeros(len(stated))
        if np.abs(expected - stated).max() > MATCHED:
            np.divide(stated, expected, out=keeps, where=stated < expected)
            np.divide(stated - expected, 1.0 - expected, out=gains, where=stated > expected)
        return keeps, gains

    @property
    def flat(self) -> Floats:
        """[row, own state], rows in the order of the parents, the last one fastest."""
        return self.rows.reshape(-1, self.rows.shape[-1])

    @property
    def from_last(self) -> Floats:
        """[row, own state] P(own state >= this one): the upper end of each state's interval."""
        return np.cumsum(self.flat[:, ::-1], axis=1)[:, ::-1]

    @property
    def noises(self) -> tuple[Floats, ...]:
        """Monotone: the cells between all interval ends; independent: one noise per row."""
        if self.coupling == "independent":
            return tuple(self.flat)
        own = (np.diff(self.ends),)
        return own if self.gate is None else (*self.gate.noises, *own)

    @property
    def ends(self) -> Floats:
        """All interval ends of all rows, ascending: the borders of the cells of the quantile."""
        inner = self.from_last[:, 1:].ravel() if self.gate is None else np.ravel(self.corrections)
        ends: Floats = np.unique(np.concatenate([[0.0, 1.0], inner]))
        return ends

    def row(self, parents: Sequence[Ints]) -> Ints:
        """The row that the parents' states select."""
        if not parents:
            return np.zeros((), dtype=np.int64)
        return np.asarray(np.ravel_multi_index(tuple(parents), self.rows.shape[:-1]))

    def evaluate(
        self, parents: Sequence[Ints], noises: Sequence[Ints], silenced: bool = False
    ) -> Ints:
        """The node's state; only a gate has a part that could be silenced."""
        row = self.row(parents)
        if self.coupling == "independent":
            answers = np.stack([np.asarray(noise) for noise in noises])
            row = np.broadcast_to(row, answers.shape[1:])
            return np.take_along_axis(answers, row[None], axis=0)[0]
        middle = self.ends[:-1] + np.diff(self.ends) / 2.0
        quantile = middle[np.asarray(noises[-1])]
        if self.gate is None:
            return self.at_quantile(row, quantile)
        state = self.gate.evaluate(self.as_taken(parents), noises[:-1], silenced)
        keeps, gains = self.corrections
        quiet = quantile < np.where(state == self.quiet_state, keeps[row], gains[row])
        return np.where(quiet, self.quiet_state, 1 - self.quiet_state)

    def at_quantile(self, row: Ints, quantile: Floats) -> Ints:
        """The state whose interval, counted from the last state, holds the quantile."""
        above = self.from_last[:, 1:][row]  # [..., state - 1]
        return np.asarray((quantile[..., None] < above).sum(axis=-1))


Mechanism: TypeAlias = Gate | Function | Table
