"""The NumPy twin of the compiled sampler: every disease each step, fewer kinds of moves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hickam.inference.problem import Problem
from hickam.inference.sampling.heat import Level, ladder_of
from hickam.inference.sampling.taking_in import bridge, weigh_prior
from hickam.model.network import Floats

CYCLE = 8  # steps of a chain between exchanges of temperatures
SWEEP = 4  # steps between visits to the risk factors
STAGES = 8  # from findings that arise by themselves to those that are required
KEPT = 2048  # sets of present diseases of each chain


def slot_gibbs(
    problem: Problem, chains: int, batches: int, steps: int, seed: int, seconds: float | None = None
) -> dict[str, Any]:
    """Batch means of independent chains, under the names that the compiled kernel uses."""
    end = np.inf if seconds is None else time.monotonic() + seconds
    levels = ladder_of(problem)
    ladders = [_Ladder(levels, np.random.default_rng([seed, c])) for c in range(chains)]
    found: dict[str, list[Any]] = {}
    kept = []
    for position, ladder in enumerate(ladders):
        now = time.monotonic()
        until = now + (end - now) / (chains - position)
        ladder.cool(max(1, steps // 8 // (STAGES + len(levels))), now + 0.3 * (until - now))
        sets: list[Any] = []
        for _ in range(batches):
            sums: dict[str, Floats] = {}
            count = 0
            while count < max(1, steps // batches) and (count == 0 or time.monotonic() < until):
                for name, value in ladder.step().items():
                    sums[name] = sums[name] + value if name in sums else value
                sets.append(np.flatnonzero(ladder.chains[0].inside))
                count += 1
            found.setdefault("steps", []).append(float(count))
            for name, value in sums.items():
                found.setdefault(name, []).append(value / count)
        sets = sets[:: len(sets) // KEPT + 1]
        kept.append((np.cumsum([0, *map(len, sets)]), np.concatenate(sets)))
    result: dict[str, Any] = {name: np.array(values) for name, values in found.items()}
    where = problem.acts > 0.0
    for kind in ("set", "slot"):
        tables = {t: result.pop(f"{kind}_{t}") for t in ("sustained", "disabled")}
        result[f"{kind}_scores"] = np.stack(
            [tables["sustained"].sum(axis=2), tables["disabled"].sum(axis=2)], axis=2
        ).reshape(chains * batches, -1)
        for name, table in tables.items():
            result[f"{kind}_{name}"] = table.mean(axis=0)[where]
    scale = levels[0].log_nothing - levels[-1].log_nothing
    result["log_weights"] = np.array([ladder.log_weight for ladder in ladders]) + scale
    noted = zip(*(ladder.bridges for ladder in ladders), strict=True)  # by bridge, then by chain
    bridges = [bridge([c for c, _ in chains_of], [h for _, h in chains_of]) for chains_of in noted]
    result["middles"] = np.array([middle for middle, _ in bridges])
    result["bridges"] = np.array([means for _, means in bridges]).reshape(-1, chains, 2)
    return result | {"kept": kept}


class _Ladder:
    """The posterior's chain and hotter ones that hand it new explanations."""

    def __init__(self, levels: Sequence[Level], random: np.random.Generator) -> None:
        self.random = random
        self.chains = [_Chain(level, random) for level in levels]
        self.bridges: list[tuple[list[float], list[float]]] = [
            ([], []) for _ in range(STAGES + len(levels) - 1)
        ]
        self.cycles = 0
        self.log_weight, risks = weigh_prior(levels[-1], random)
        self.chains[-1].place(risks)

    def cool(self, steps_each: int, until: float) -> None:
        """From findings that arise by themselves to the posterior, noting the bridges."""
        hottest = self.chains[-1]
        for stage in range(STAGES + 1):
            hottest.power = stage / STAGES
            for i in range(steps_each):
                hottest.move()
                last = i + 1 == steps_each or time.monotonic() > until
                if 2 * i >= steps_each or last:
                    here = hottest.log_findings(stage / STAGES)
                    if stage > 0:
                        before = hottest.log_findings((stage - 1) / STAGES)
                        self.bridges[stage - 1][0].append(here - before)
                    if stage < STAGES:
                        after = hottest.log_findings((stage + 1) / STAGES)
                        self.bridges[stage][1].append(after - here)
                if last:
                    break
        for colder, hotter in zip(self.chains[-2::-1], self.chains[:0:-1], strict=True):
            colder.take(hotter)
            for _ in range(steps_each):
                if time.monotonic() < until:
                    colder.move()

    def step(self) -> dict[str, Floats]:
        """One step at the posterior, now and then one of the others and an exchange."""
        said = self.chains[0].move()
        self.cycles += 1
        if len(self.chains) > 1:
            self.chains[1 + self.cycles % (len(self.chains) - 1)].move()
        if self.cycles % CYCLE == 0:
            for at in range(self.cycles // CYCLE % 2, len(self.chains) - 1, 2):
                self._exchange(at)
        return said

    def _exchange(self, at: int) -> None:
        one, two = self.chains[at], self.chains[at + 1]
        ratios = [chain.log_target(one.level) - chain.log_target(two.level) for chain in (one, two)]
        for noted, ratio in zip(self.bridges[-1 - at], ratios, strict=True):
            noted.append(ratio)
        if np.log(self.random.random()) < ratios[1] - ratios[0]:
            inside, risks = one.inside, one.risks
            one.take(two)
            two.inside, two.risks = inside, risks
            two.set_odds()


class _Chain:
    """The set of present diseases, and the states of unobserved risk factors, moving."""

    def __init__(self, level: Level, random: np.random.Generator) -> None:
        self.level = level
        self.random = random
        self.power = 1.0
        self.moves = 0
        self.inside = np.zeros(len(level.on), dtype=bool)
        self.risks = np.zeros(len(level.risk), dtype=bool)
        self.set_odds()

    def take(self, other: _Chain) -> None:
        """Go where another chain is."""
        self.inside, self.risks = other.inside.copy(), other.risks.copy()
        self.set_odds()

    def place(self, risks: Any) -> None:
        """Start from these risk factors, the diseases drawn as if no finding were known."""
        self.risks = risks
        self.set_odds()
        self.inside = self.random.random(len(self.odds)) * (1.0 + self.odds) < self.odds

    def set_odds(self) -> None:
        """Follow the risk factors."""
        self.log_off = self.level.log_off(self.risks)
        up = self.level.weight_on * -np.expm1(self.log_off)
        down = self.level.weight_off * np.exp(self.log_off)
        odds = np.minimum(up / np.maximum(down, 1e-250), 1e25)
        self.odds = np.where(self.level.quiet, 0.0, odds)

    def look(self) -> tuple[Floats, Floats]:
        """[present] P(finding on) and P(finding off) given the set."""
        return self.level.look(self.inside, self.power)

    def log_findings(self, power: float) -> float:
        """log P(findings | D) as it would be if they were required so far."""
        return float(np.log(self.level.look(self.inside, power)[0]).sum())

    def log_target(self, level: Level) -> float:
        """log of the target at a temperature, up to its log_nothing."""
        log_off = level.log_off(self.risks)
        on, _ = level.look(self.inside, 1.0)
        return float(
            level.log_odds[self.risks].sum()
            + level.log_rows(log_off, self.inside).sum()
            - level.log_rows_of_nothing
            + np.log(on).sum()
        )

    def move(self) -> dict[str, Floats]:
        """Risk factors, alone or with their diseases, then one slot; what the slot says."""
        self.moves += 1
        if len(self.risks) and self.moves % SWEEP == 0:
            for j in range(len(self.risks)):
                self.visit_risk(j)
        elif len(self.risks) and self.moves % SWEEP == 2:
            self.joint_step()
        return self.refill()

    def refill(self) -> dict[str, Floats]:
        """Refill one slot; what that says about every disease."""
        level = self.level
        members = np.flatnonzero(self.inside)
        mark = int(self.random.integers(len(members) + 1))
        if mark < len(members):
            self.inside[members[mark]] = False
        on, off = self.look()
        with np.errstate(over="ignore"):
            gain = np.minimum(np.exp(np.log1p(off / on * level.acts).sum(axis=1)), 1e200)
        weight = np.where(self.inside, 0.0, self.odds * gain)
        size = int(self.inside.sum())
        empty, share = 1.0 / (size + 1), weight / (size + 2)
        norm = empty + share.sum()
        produced = level.acts / (on + off * level.acts)
        quiet = np.where(level.quiet, level.posterior(self.log_off), 0.0)
        slot = weight / norm
        said = {
            "indicator": self.inside + share / norm + quiet,
            "slot": slot + quiet,
            "picked": slot + quiet,
            "slot_sustained": slot[:, None] * produced,
            "slot_disabled": slot[:, None] * produced * off,
        }
        drawn = self.random.random() * norm - empty
        if drawn >= 0.0:
            refill = int(np.searchsorted(np.cumsum(share), drawn))
            self.inside[min(refill, len(share) - 1)] = True
        return said | self._of_set(quiet)

    def _of_set(self, quiet: Floats) -> dict[str, Floats]:
        """What each disease of the set produces, and produces alone."""
        level = self.level
        on, _ = self.look()
        sustained = np.where(self.inside[:, None], level.acts / on, 0.0)
        disabled = np.zeros_like(sustained)
        leak, leak_fails = level.leaks(self.power)
        for k in np.flatnonzero(self.inside):
            others = self.inside.copy()
            others[k] = False
            disabled[k] = sustained[k] * leak_fails * level.fails[others].prod(axis=0)
        return {
            "present": self.inside + quiet,
            "set_sustained": sustained,
            "set_disabled": disabled,
            "unexplained": leak * level.fails[self.inside].prod(axis=0) / on,
        }

    def visit_risk(self, j: int) -> None:
        """Gibbs over one risk factor given the diseases."""
        rows = self.level.rows_of[j]
        without = self.log_off[rows] - (self.level.log_fails[j, rows] if self.risks[j] else 0.0)
        settings = without, without + self.level.log_fails[j, rows]
        off, on = (self.level.log_rows(x, self.inside[rows], rows).sum() for x in settings)
        log_odds = self.level.log_odds[j] + on - off
        turned = bool(self.random.random() < 1.0 / (1.0 + np.exp(np.clip(-log_odds, -700, 700))))
        if turned != self.risks[j]:
            self.risks[j] = turned
            self.set_odds()

    def joint_step(self) -> None:
        """Flip a risk factor, or two that share a disease, and redraw the diseases they cause.

        Each disease is redrawn given all others, in a random order; going back in the opposite
        order it meets the same others. What remains of the Metropolis-Hastings ratio is the prior
        of the risk factors and, for each disease, the ratio of its mass over both states.
        """
        flips = self._some_risks()
        before, log_off = (self.inside.copy(), self.risks.copy()), self.log_off
        change = float(np.where(self.risks[flips], -1.0, 1.0) @ self.level.log_odds[flips])
        self.risks[flips] = ~self.risks[flips]
        self.set_odds()
        moved = np.unique(np.concatenate([self.level.rows_of[i] for i in flips]))
        for k in self.random.permutation(moved):
            self.inside[k] = False
            on, off = self.look()
            gain = min(float(np.prod(1.0 + off / on * self.level.acts[k])), 1e200)
            up, down = self.level.masses(k, self.log_off[k], gain)
            change += np.log(up + down) - np.log(sum(self.level.masses(k, log_off[k], gain)))
            if not self.level.quiet[k]:
                self.inside[k] = self.random.random() * (up + down) < up
        if not np.log(self.random.random()) < change:
            self.inside, self.risks = before
            self.set_odds()

    def _some_risks(self) -> list[int]:
        """A risk factor, half of the time with one that shares a disease with it."""
        level, random = self.level, self.random
        j = int(random.integers(len(self.risks)))
        if random.random() < 0.5 and len(level.rows_of[j]):
            k = int(random.choice(level.rows_of[j]))
            return list({j, int(random.choice(np.nonzero(level.log_fails[:, k])[0]))})
        return [j]
