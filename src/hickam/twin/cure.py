"""Curing sets of diseases on a general model: what goes away, and the smallest set for a goal."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from hickam.beliefs.options import Options, read_options
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.issues import invalid
from hickam.model.network import Network
from hickam.model.scm import SCM
from hickam.twin.exact import Setting, chance_of, log_chance, solve
from hickam.twin.observe import explain_conflict, observe
from hickam.twin.worlds import Action

Removed = Mapping[str, float]  # present finding → P(it goes away)

CANDIDATES = 8
LARGEST_PROVEN = 2


class Cures:
    """Answers about one case: what each set of cured diseases removes. [CD expected-disablement]"""

    def __init__(self, model: SCM, case: Case, options: Options) -> None:
        assumptions, limits = read_options(options)
        seen = observe(model, locate(case, cast(Network, model), assumptions))
        self.setting = Setting(model, seen.states, seen.weights, limits.memory)
        self.present = seen.present
        if log_chance(self.setting) == -math.inf:
            raise explain_conflict(
                model,
                seen.states,
                seen.weights,
                lambda s, w: log_chance(Setting(model, s, w, limits.memory)),
            )

    def of(self, diseases: Sequence[str]) -> Removed:
        """P(each present finding goes away under do(every one of the diseases = off))."""
        action = Action(do=dict.fromkeys(diseases, 0))
        solved = solve(self.setting, [action], [(1, finding) for finding in self.present])
        return {f: chance_of(solved, f, world=1, state=0) for f in self.present}

    def smallest(self, at_least: float) -> tuple[tuple[str, ...], Removed, bool] | None:
        """(diseases, what they remove, whether no smaller set reaches the goal), or None.

        Every set of up to two of the most useful single cures is tried, then the best one grows.
        """
        count = len(self.present)
        if not 0.0 < at_least <= count:
            where = f"the goal of removing {at_least!r} findings"
            raise invalid(where, f"is outside (0, {count}]", f"{count} findings are present")
        model = self.setting.model
        able = [d for d in model.diseases if model.descendants(d) & set(self.present)]
        if not able or sum(self.of(able).values()) < at_least:
            return None
        alone = {disease: sum(self.of([disease]).values()) for disease in able}
        ranked = sorted(able, key=lambda disease: -alone[disease])
        for size in range(1, LARGEST_PROVEN + 1):
            tried = [(s, self.of(s)) for s in itertools.combinations(ranked[:CANDIDATES], size)]
            best = max(tried, key=lambda pair: sum(pair[1].values()), default=None)
            if best is not None and sum(best[1].values()) >= at_least:
                return (*best, size == 1 or len(ranked) <= CANDIDATES)
        return next(g for g in self._grow(ranked) if sum(g[1].values()) >= at_least)

    def _grow(self, ranked: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Removed, bool]]:
        """Ever larger sets, each adding the disease that removes most."""
        chosen: tuple[str, ...] = ()
        while len(chosen) < len(ranked):
            tried = {d: self.of([*chosen, d]) for d in ranked if d not in chosen}
            best = max(tried, key=lambda disease: sum(tried[disease].values()))
            chosen = (*chosen, best)
            yield chosen, tried[best], False
