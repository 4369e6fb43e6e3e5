"""The NumPy twin of the exact frontier: its reference, and what runs without compiled kernels.

Simpler than the kernel: all present findings are in the state from the start, and each disease that
the evidence does not reach is answered by one more sweep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.inference.leaks import leaked, only_leaked
from hickam.inference.problem import Problem, Tables, impossible
from hickam.model.network import Floats


@dataclass(frozen=True, slots=True)
class Step:
    """One row, and the risk factors that are open while it is visited in the order they opened."""

    row: int
    open: tuple[int, ...]
    opens: int  # how many of them are new, the last ones
    closes: tuple[int, ...]  # positions among them, ascending


def steps_of(problem: Problem) -> list[Step]:
    """The reached rows in an order that leaves few risk factors open at a time."""
    todo: dict[int, set[int]] = {int(k): set() for k in np.flatnonzero(problem.reached)}
    for risk, row in zip(problem.edge_risk.tolist(), problem.edge_row.tolist(), strict=True):
        if row in todo:
            todo[row].add(risk)
    left = {j: sum(j in risks for risks in todo.values()) for j in range(len(problem.risks))}
    steps: list[Step] = []
    now: list[int] = []
    while todo:
        burden = {}
        for row, risks in todo.items():
            new = len(risks.difference(now))
            burden[row] = new - sum(left[j] == 1 for j in risks), new
        row = min(todo, key=burden.__getitem__)
        risks = todo.pop(row)
        fresh = sorted(risks.difference(now))
        now = now + fresh
        for j in risks:
            left[j] -= 1
        closes = tuple(place for place, j in enumerate(now) if left[j] == 0)
        steps.append(Step(row, tuple(now), len(fresh), closes))
        now = [j for j in now if left[j] > 0]
    return steps


def operations_numpy(problem: Problem) -> float:
    """Elementary operations that the sweeps take."""
    links = (problem.acts > 0.0).sum(axis=1)
    cells = 2.0 ** len(problem.leak)
    once = sum((4.0 * links[s.row] + 6.0) * cells * 2.0 ** len(s.open) for s in steps_of(problem))
    return float(once) * (1.0 + 0.4 * float((~problem.reached).sum()))


def frontier_numpy(problem: Problem) -> Tables:
    """The exact tables."""
    sweep = _Sweep(problem)
    kept, last, log_scale = sweep.forward()
    if not last[-1] > 0.0:
        return impossible(problem)
    log_evidence = float(np.log(last[-1])) + log_scale
    count, findings = problem.acts.shape
    posterior = np.zeros(count)
    disabled, sustained = np.zeros((count, findings)), np.zeros((count, findings))
    after, log_after = np.zeros_like(last), 0.0
    after[-1] = 1.0
    for step, (before, log_before) in zip(reversed(sweep.steps), reversed(kept), strict=True):
        k = step.row
        for place in step.closes:
            after = np.repeat(np.expand_dims(after, place), 2, axis=place)
        off, on = sweep.weights(step)
        given_on = sweep.given_on(k, after)
        share = on * before * np.exp(log_before + log_after - log_evidence)
        posterior[k] = (share * given_on).sum()
        for s in np.flatnonzero(problem.acts[k] > 0.0):
            f = share.reshape(-1, 2, 1 << int(s))
            y = sweep.given_on(k, after, but=int(s)).reshape(-1, 2, 1 << int(s))
            sustained[k, s] = problem.acts[k, s] * (f * y[:, 1:]).sum()
            disabled[k, s] = problem.acts[k, s] * (f[:, 0] * (y[:, 1] - y[:, 0])).sum()
        after = sweep.leave(step, off * after + on * given_on)
        peak = after.max()
        after, log_after = after / peak, log_after + float(np.log(peak))
    for k in np.flatnonzero(~problem.reached).tolist():
        edges = problem.edge_row == k
        tilt = np.ones(len(problem.risks))
        tilt[problem.edge_risk[edges]] = problem.edge_fails[edges]
        chance = np.exp(_Sweep(problem, tilt).log_evidence() - log_evidence)
        posterior[k] = problem.on[k] + problem.off[k] * max(0.0, 1.0 - chance)
    unexplained = only_leaked(
        problem, last, log_evidence, lambda other: _Sweep(other).forward()[1:]
    )
    return Tables(log_evidence, posterior, disabled, sustained, unexplained)


class _Sweep:
    """Tables [open risk factors ..., T] over the steps of a problem.

    `tilt` [risk] weighs the state in which a risk factor is on.
    """

    def __init__(self, problem: Problem, tilt: Floats | None = None) -> None:
        self.problem = problem
        self.steps = steps_of(problem)
        on = problem.risk_prior if tilt is None else problem.risk_prior * tilt
        self.prior = np.stack([1.0 - problem.risk_prior, on], axis=1)  # [risk, state]
        touched = np.zeros(len(on), dtype=bool)
        touched[problem.edge_risk[problem.reached[problem.edge_row]]] = True
        self.log_rest = float(np.log(self.prior[~touched].sum(axis=1)).sum())

    def log_evidence(self) -> float:
        """log P(evidence), tilted."""
        _, last, log_scale = self.forward()
        return float(np.log(last[-1])) + log_scale + self.log_rest

    def weights(self, step: Step) -> tuple[Floats, Floats]:
        """[open ..., 1] weights of the row being off and on."""
        p, k = self.problem, step.row
        off, on = np.array(p.off[k]), np.array(p.on[k])
        edge = {int(p.edge_risk[e]): e for e in np.flatnonzero(p.edge_row == k)}
        for risk in step.open:
            acts = p.edge_acts[edge[risk]] if risk in edge else 0.0
            fails = p.edge_fails[edge[risk]] if risk in edge else 1.0
            off, on = (
                np.stack([off, off * fails], axis=-1),
                np.stack([on, on + off * acts], axis=-1),
            )
        return p.weight_off[k] * off[..., None], p.weight_on[k] * on[..., None]

    def given_on(self, row: int, after: Floats, but: int = -1) -> Floats:
        """The completion table before a row that is on, one mechanism possibly left out."""
        acts, fails = self.problem.acts[row], self.problem.fails[row]
        table = after.copy()
        for s in np.flatnonzero(acts > 0.0):
            if s != but:
                pair = table.reshape(-1, 2, 1 << int(s))
                pair[:, 0] = fails[s] * pair[:, 0] + acts[s] * pair[:, 1]
        return table

    def forward(self) -> tuple[list[tuple[Floats, float]], Floats, float]:
        """The tables before every row with the logs of their scales, and the last one."""
        p = self.problem
        table, log_scale = leaked(p), 0.0
        kept = []
        for step in self.steps:
            for risk in step.open[len(step.open) - step.opens :]:
                table = np.stack([table * weight for weight in self.prior[risk]], axis=-2)
            kept.append((table, log_scale))
            off, on = self.weights(step)
            produced = on * table
            for s in np.flatnonzero(p.acts[step.row] > 0.0):
                pair = produced.reshape(-1, 2, 1 << int(s))
                pair[:, 1] += p.acts[step.row, s] * pair[:, 0]
                pair[:, 0] *= p.fails[step.row, s]
            table = (off * table + produced).sum(axis=step.closes)
            peak = table.max()
            if peak > 0.0:
                table, log_scale = table / peak, log_scale + float(np.log(peak))
        return kept, table, log_scale

    def leave(self, step: Step, table: Floats) -> Floats:
        """A completion table averaged over the risk factors that open at a step."""
        for risk in reversed(step.open[len(step.open) - step.opens :]):
            off, on = self.prior[risk]
            table = off * table[..., 0, :] + on * table[..., 1, :]
        return table
