"""What may cause many findings, while inference would keep the next question waiting.

Chains begin at the leading explanations, in proportion to their weights, and go on by drawing each
risk factor and each disease anew, given all others (Gibbs sampling). A disease counts with its
probability given the rest of a chain, not with what was drawn. Everything else is in closed form:
a present finding goes away without disease k if all else failed, and stays with k alone if k acts.
[CD expected-disablement] [CD expected-sufficiency]

The generator is fixed: the same case has the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.advise.explanations import FASTEST, Explanations
from hickam.beliefs.beliefs import UNSEEN, WIDTH, Accuracy, Beliefs, relative_error
from hickam.evidence.case import Evidence
from hickam.inference.engines import finish
from hickam.inference.problem import Problem, Solution, Tables, log_fails
from hickam.inference.reduce import reduce
from hickam.model.network import Floats, Ints, Network

ENGINE = "chains"
CHAINS = 64
SWEEPS = 10  # after the first few, which are not counted
BEFORE = 2
TINY = 1e-300


def provisional(network: Network, evidence: Evidence, found: Explanations) -> Beliefs:
    """Beliefs by a short run of chains, with the error of a sample."""
    problem = reduce(network, evidence)
    place = np.full(problem.size, -1)
    place[problem.rows] = np.arange(len(problem.rows))
    chains = _Chains.begin(problem, found, place[found.diseases])
    rng = np.random.default_rng(0)
    means = None
    for sweep in range(BEFORE + SWEEPS):
        chains.draw_risks(rng)
        chains.draw_diseases(rng)
        if sweep >= BEFORE:
            seen = chains.tables()
            means = seen if means is None else [a + b for a, b in zip(means, seen, strict=True)]
    assert means is not None
    tables, errors = _summary(problem, chains, found, [mean / SWEEPS for mean in means])
    scores = np.stack(
        [tables.posterior, tables.disabled.sum(axis=1), tables.sustained.sum(axis=1)], axis=1
    )
    bounds = WIDTH * errors + UNSEEN / (CHAINS * SWEEPS)
    accuracy = Accuracy("sampled", relative_error(bounds, scores), stated_errors=bounds)
    return finish(network, evidence, problem, Solution(tables, ENGINE, accuracy))


def _summary(
    problem: Problem, chains: _Chains, found: Explanations, means: list[Floats]
) -> tuple[Tables, Floats]:
    """The tables over all rows, and [row, 3] the standard errors over chains."""
    there, gone, kept, nothing = means
    posterior = found.background[problem.rows]
    disabled, sustained = np.zeros_like(problem.acts), np.zeros_like(problem.acts)
    errors = np.zeros((len(problem.rows), 3))
    posterior[chains.rows] = there.mean(axis=0)
    disabled[chains.rows] = gone.mean(axis=0)
    sustained[chains.rows] = kept.mean(axis=0)
    for column, score in enumerate((there, gone.sum(axis=2), kept.sum(axis=2))):
        errors[chains.rows, column] = score.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    tables = Tables(0.0, posterior, disabled, sustained, nothing.mean(axis=0))
    return tables, errors


@dataclass(slots=True, eq=False)
class _Chains:
    """Where every chain is: its diseases and its risk factors."""

    rows: Ints  # [candidate]  its row in the problem
    members: npt.NDArray[np.bool_]  # [chain, candidate]
    risks: npt.NDArray[np.bool_]  # [chain, risk]
    risk_odds: Floats  # [risk]  log
    lost: Floats  # [risk, candidate]  log λ of risk factors
    never: Floats  # [risk]  log P(no other disease that could cause a finding | risk on) − … off
    off: Floats  # [candidate]  log P(D = 0) with all risk factors off
    soft: Floats  # [candidate]  log odds from absent findings and soft evidence
    acts: Floats  # [candidate, present]
    fails: Floats  # [candidate, present]  log λ
    leak: Floats  # [present]
    quiet: Floats  # [chain, present]  log P(finding absent)

    @classmethod
    def begin(cls, problem: Problem, found: Explanations, rows: Ints) -> _Chains:
        """Chains at the explanations, as many at each as it has weight."""
        level = (np.arange(CHAINS) + 0.5) / CHAINS
        at = np.searchsorted(np.cumsum(found.weight), level).clip(max=len(found.weight) - 1)
        members = found.members[at]
        lost = np.zeros((len(problem.risks), len(problem.rows)))
        lost[problem.edge_risk, problem.edge_row] = np.maximum(
            log_fails(problem.edge_acts, problem.edge_fails), -FASTEST
        )
        others = np.setdiff1d(np.flatnonzero((problem.acts > 0.0).any(axis=1)), rows)
        prior = np.clip(problem.risk_prior, 1e-12, 1.0 - 1e-12)
        with np.errstate(divide="ignore"):
            soft = np.log(problem.weight_on[rows]) - np.log(problem.weight_off[rows])
        fails = np.maximum(log_fails(problem.acts[rows], problem.fails[rows]), -FASTEST)
        leak = np.maximum(np.log(np.maximum(problem.leak_fails, TINY)), -FASTEST)
        return cls(
            rows=rows,
            members=members,
            risks=np.broadcast_to(prior > level[:, None], (CHAINS, len(prior))).copy(),
            risk_odds=np.log(prior) - np.log1p(-prior),
            lost=lost[:, rows],
            never=lost[:, others].sum(axis=1),
            off=np.log(np.maximum(problem.off[rows], TINY)),
            soft=np.clip(soft, -700.0, 700.0),
            acts=problem.acts[rows],
            fails=fails,
            leak=leak,
            quiet=leak[None, :] + members @ fails,
        )

    def draw_risks(self, rng: np.random.Generator) -> None:
        """Each risk factor anew, given the diseases and the other risk factors."""
        for risk in range(len(self.lost)):
            mine = np.flatnonzero(self.lost[risk])
            without = self.off[mine] + self.risks @ self.lost[:, mine]
            without -= self.risks[:, risk, None] * self.lost[risk, mine]
            raised = np.log(_shown(without + self.lost[risk, mine])) - np.log(_shown(without))
            turn = np.where(self.members[:, mine], raised, self.lost[risk, mine]).sum(axis=1)
            odds = self.risk_odds[risk] + self.never[risk] + turn
            self.risks[:, risk] = rng.random(CHAINS) < _chance(odds)

    def draw_diseases(self, rng: np.random.Generator) -> None:
        """Each candidate anew, given the other diseases and the risk factors."""
        prior = self._prior_odds()
        for candidate in range(len(self.rows)):
            mine = np.flatnonzero(self.acts[candidate] > 0.0)
            fails = self.fails[candidate, mine]
            without = self.quiet[:, mine] - self.members[:, candidate, None] * fails
            ratio = np.log(_shown(without + fails)) - np.log(_shown(without))
            odds = prior[:, candidate] + ratio.sum(axis=1)
            there = rng.random(CHAINS) < _chance(odds)
            self.quiet[:, mine] = without + there[:, None] * fails
            self.members[:, candidate] = there

    def _prior_odds(self) -> Floats:
        """[chain, candidate] log odds of each disease given the risk factors alone."""
        off = self.off + self.risks @ self.lost
        return np.log(_shown(off)) - off + self.soft

    def tables(self) -> list[Floats]:
        """[chain, …] P(D = 1), that a finding goes away, that it stays, that nothing causes it."""
        without = self.quiet[:, None, :] - self.members[:, :, None] * self.fails
        shown = _shown(without + self.fails)
        odds = self._prior_odds() + (np.log(shown) - np.log(_shown(without))).sum(axis=2)
        there = _chance(odds)
        kept = there[:, :, None] * self.acts / shown
        nothing = np.exp(self.quiet - self.leak) * -np.expm1(self.leak) / _shown(self.quiet)
        return [there, kept * np.exp(without), kept, nothing]


def _shown(quiet: Floats) -> Floats:
    """P(there) from the log of P(not there)."""
    return np.maximum(-np.expm1(quiet), TINY)


def _chance(log_odds: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))
