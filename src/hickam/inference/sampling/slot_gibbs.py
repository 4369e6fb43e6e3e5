"""The NumPy twin of the compiled sampler: slot Gibbs, one temperature, every disease each step."""

from __future__ import annotations

import numpy as np

from hickam.inference.problem import Problem, log_fails
from hickam.model.network import Floats

LEAST_LEAK = 1e-20  # keeps every set of diseases reachable
MOST_ODDS = 1e25


def slot_gibbs(
    problem: Problem, chains: int, batches: int, steps: int, seed: int
) -> dict[str, Floats]:
    """Batch means of independent chains, under the names that the compiled kernel uses."""
    per_batch = max(1, steps // batches)
    found: dict[str, list[Floats]] = {}
    chances = []
    for chain in range(chains):
        walk = _Chain(problem, np.random.default_rng([seed, chain]))
        chances.append(walk.warm_up(max(5, steps // 8 // (len(problem.leak) + 1))))
        for _ in range(batches):
            sums: dict[str, Floats] = {}
            for _ in range(per_batch):
                for name, value in walk.step().items():
                    sums[name] = sums[name] + value if name in sums else value
            for name, value in sums.items():
                found.setdefault(name, []).append(value / per_batch)
    where = problem.acts > 0.0
    result = {name: np.array(values) for name, values in found.items()}
    for kind in ("set", "slot"):
        tables = {t: result.pop(f"{kind}_{t}") for t in ("sustained", "disabled")}
        result[f"{kind}_scores"] = np.stack(
            [tables["sustained"].sum(axis=2), tables["disabled"].sum(axis=2)], axis=2
        ).reshape(chains * batches, -1)
        for name, table in tables.items():
            result[f"{kind}_{name}"] = table.mean(axis=0)[where]
    result["chances"] = np.array(chances)
    result["steps"] = np.full(chains * batches, float(per_batch))
    return result


class _Chain:
    """The set of present diseases, and the states of unobserved risk factors, moving."""

    def __init__(self, problem: Problem, random: np.random.Generator) -> None:
        self.problem = problem
        self.random = random
        self.inside = np.zeros(len(problem.rows), dtype=bool)
        self.risks = np.zeros(len(problem.risks), dtype=bool)
        self.log_edge = log_fails(problem.edge_acts, problem.edge_fails)
        self.considered = np.ones(len(problem.leak), dtype=bool)
        self.leak = np.maximum(problem.leak, LEAST_LEAK)
        self.set_odds()

    def log_off(self) -> Floats:
        """[row] log P(D = 0 | risk factors)."""
        lit = self.risks[self.problem.edge_risk]
        own = log_fails(self.problem.on, self.problem.off)
        rows = len(self.problem.rows)
        return own + np.bincount(self.problem.edge_row[lit], self.log_edge[lit], rows)

    def set_odds(self) -> None:
        """Follow the risk factors."""
        log_off = self.log_off()
        down = self.problem.weight_off * np.exp(log_off)
        up = self.problem.weight_on * -np.expm1(log_off)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.odds = np.where(up > 0.0, np.minimum(up / down, MOST_ODDS), 0.0)

    def look(self) -> tuple[Floats, Floats]:
        """[present] P(finding on) and P(finding off) given the set."""
        on, off = self.leak.copy(), self.problem.leak_fails.copy()
        for k in np.flatnonzero(self.inside):
            on += off * self.problem.acts[k]
            off = off * self.problem.fails[k]
        return on, off

    def warm_up(self, steps: int) -> Floats:
        """[present] P(present | those before it), while taking the findings in one by one."""
        chance = np.zeros(len(self.leak))
        self.considered[:] = False
        for s in range(len(chance)):
            seen = []
            for _ in range(steps):
                self.step()
                seen.append(self.look()[0][s])
            chance[s] = np.mean(seen)
            self.considered[s] = True
        for _ in range(steps):
            self.step()
        return chance

    def step(self) -> dict[str, Floats]:
        """Refill one slot; what that says about every disease."""
        if len(self.risks):
            self.visit_risks()
        members = np.flatnonzero(self.inside)
        mark = int(self.random.integers(len(members) + 1))
        if mark < len(members):
            self.inside[members[mark]] = False
        on, off = self.look()
        ratio = np.where(self.considered, off / on, 0.0)
        weight = np.where(
            self.inside, 0.0, self.odds * np.exp(np.log1p(ratio * self.problem.acts).sum(axis=1))
        )
        size = int(self.inside.sum())
        empty, share = 1.0 / (size + 1), weight / (size + 2)
        norm = empty + share.sum()
        produced = self.problem.acts / (on + off * self.problem.acts)
        slot = weight / norm
        said = {
            "indicator": self.inside + share / norm,
            "slot": slot,
            "picked": slot,
            "slot_sustained": slot[:, None] * produced,
            "slot_disabled": slot[:, None] * produced * off,
        }
        drawn = self.random.random() * norm - empty
        if drawn >= 0.0:
            refill = int(np.searchsorted(np.cumsum(share), drawn))
            self.inside[min(refill, len(share) - 1)] = True
        return said | self._of_set()

    def _of_set(self) -> dict[str, Floats]:
        """What each disease of the set produces, and produces alone."""
        problem = self.problem
        on, _ = self.look()
        sustained = np.where(self.inside[:, None], problem.acts / on, 0.0)
        disabled = np.zeros_like(sustained)
        for k in np.flatnonzero(self.inside):
            others = self.inside.copy()
            others[k] = False
            alone = problem.leak_fails * problem.fails[others].prod(axis=0)
            disabled[k] = sustained[k] * alone
        unexplained = self.leak * problem.fails[self.inside].prod(axis=0) / on
        return {
            "present": self.inside.astype(np.float64),
            "set_sustained": sustained,
            "set_disabled": disabled,
            "unexplained": unexplained,
        }

    def visit_risks(self) -> None:
        """Gibbs over the unobserved risk factors given the diseases."""
        for j in range(len(self.risks)):
            logs = []
            for state in (False, True):
                self.risks[j] = state
                log_off = self.log_off()
                with np.errstate(divide="ignore"):
                    chosen = np.where(self.inside, np.log(-np.expm1(log_off)), log_off)
                    prior = self.problem.risk_prior[j]
                    logs.append(np.log(prior if state else 1.0 - prior) + chosen.sum())
            gap = logs[0] - logs[1]
            self.risks[j] = self.random.random() < 1.0 / (1.0 + np.exp(min(gap, 700.0)))
        self.set_odds()
