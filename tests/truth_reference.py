"""Exact answers for networks with any coupling, in positive arithmetic, independent of our engines.

Written from the definitions of the paper: every link and every leak is a mechanism that fires on
its own; a disease or finding is on if its leak fires or a mechanism of a cause that is on. Diseases
are visited one at a time. The state is the set of open findings produced so far together with the
states of the open risk factors; a risk factor or finding is open from the first of its diseases to
the last. All terms are positive but in three differences ("only this one did it", and a chance from
its complement), whose error is that of the larger term. Cost and memory double with each node that
is open at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.model.adapted import adapted
from hickam.model.network import Network

Array = np.ndarray[Any, Any]
EASY = 0.1  # leave a link out by division if it fails at least this often
KEPT = 2**25  # numbers of forward tables to keep at once; beyond, they are computed twice
RARE = -400.0  # log evidence below which double precision might run out of range


class TooWide(Exception):
    """The reference would need more cells than allowed."""


class Impossible(Exception):
    """The evidence has probability 0."""


@dataclass(frozen=True)
class Truth:
    """Exact answers about one case; the axes are those of `Beliefs`."""

    posterior: Array  # [disease]
    disabled: Array  # [disease, present]
    sustained: Array  # [disease, present]
    unexplained: Array  # [present]
    log_evidence: float
    width: int  # nodes open at once
    doubt: float  # rounding error in the unit of `Accuracy.error`, generously


@dataclass
class Part:
    """One disease as the evidence leaves it. Links are (index, acts, fails)."""

    disease: int
    on: Any  # chance of its leak and of observed risk factors
    off: Any
    weight_on: Any  # likelihood ratio and absent findings
    weight_off: Any
    links: list[tuple[int, Any, Any]]  # to present findings
    causes: list[tuple[int, Any, Any]]  # from open risk factors that other parts share
    private: list[tuple[int, Any, Any]] = field(default_factory=list)  # from the others


@dataclass
class Reduced:
    """A case reduced to the diseases that its evidence touches."""

    parts: list[Part]
    idle: list[Part]  # diseases without evidence
    prior: dict[int, tuple[Any, Any]]  # open risk factor → P(off), P(on)
    leak: list[tuple[Any, Any]]  # present finding → fails, acts
    log_constant: float


def truth(network: Network, case: Case, *, cells: float = 2.0**22, dtype: Any = None) -> Truth:
    """The exact answers about a case.

    Raises `TooWide` if more than so many cells would be open at once, `Impossible` for impossible
    evidence. Double precision unless it might run out of range; `numpy.longdouble` on demand.
    """
    dtype = dtype or np.float64
    problem = reduced(network, case, dtype)
    order, width = plan(problem)
    if 2.0**width > cells:
        raise TooWide(f"{width} nodes open at once")
    with np.errstate(under="ignore"):
        found = Sweep(network, problem, order, dtype).answers(width)
    if dtype is np.float64 and (found is None or found.log_evidence < RARE):
        return truth(network, case, cells=cells, dtype=np.longdouble)
    if found is None:
        raise Impossible
    return found


def width_of(network: Network, case: Case) -> int:
    """How many nodes the reference would have open at once."""
    return plan(reduced(network, case, np.float64))[1]


def reduced(network: Network, case: Case, dtype: Any) -> Reduced:
    """The case with everything observed folded away."""
    evidence = locate(case, network)
    network = adapted(network, evidence.circumstances)
    place = {int(f): i for i, f in enumerate(evidence.present)}
    absent = {int(f) for f in evidence.absent}
    known = {int(r): True for r in evidence.risks_on} | {int(r): False for r in evidence.risks_off}
    if any(network.risk_prior[j] == (0.0 if on else 1.0) for j, on in known.items()):
        raise Impossible
    log_constant = 0.0
    for finding in absent:
        fails = float(network.finding_leak_fails[finding])
        if fails == 0.0:
            raise Impossible
        log_constant += math.log(fails)
    touched, idle = [], []
    for k in range(len(network.diseases)):
        part = Part(
            k,
            on=dtype(network.disease_leak[k]),
            off=dtype(network.disease_leak_fails[k]),
            weight_on=dtype(evidence.likelihood[k]),
            weight_off=dtype(1.0),
            links=[],
            causes=[],
        )
        touches = evidence.likelihood[k] != 1.0
        for link in range(*network.effects.of_cause(k).indices(len(network.effects))):
            s = int(network.effects.effect[link])
            acts, fails = dtype(network.effects.acts[link]), dtype(network.effects.fails[link])
            if acts == 0.0:
                continue
            if s in place:
                part.links.append((place[s], acts, fails))
            elif s in absent:
                part.weight_on *= fails
            touches |= s in place or s in absent
        for link in network.causes.of_effect(k):
            j = int(network.causes.cause[link])
            acts, fails = dtype(network.causes.acts[link]), dtype(network.causes.fails[link])
            if j not in known:
                part.causes.append((j, acts, fails))
            elif known[j]:
                part.on, part.off = part.on + part.off * acts, part.off * fails
        if part.weight_on > 1.0:
            log_constant += float(np.log(part.weight_on))
            part.weight_off, part.weight_on = dtype(1.0) / part.weight_on, dtype(1.0)
        (touched if touches else idle).append(part)
    children: dict[int, int] = {}
    for part in touched:
        for j, _, _ in part.causes:
            children[j] = children.get(j, 0) + 1
    for part in touched:
        part.private = [cause for cause in part.causes if children[cause[0]] == 1]
        part.causes = [cause for cause in part.causes if children[cause[0]] > 1]
    prior = {
        j: (dtype(1.0) - dtype(p), dtype(p))
        for j, p in enumerate(network.risk_prior)
        if j not in known
    }
    leak = [
        (dtype(network.finding_leak_fails[s]), dtype(network.finding_leak[s]))
        for s in evidence.present
    ]
    return Reduced(touched, idle, prior, leak, log_constant)


def plan(problem: Reduced, tries: int = 24) -> tuple[list[int], int]:
    """An order of the parts that keeps few nodes open at once, and how many that is."""
    number: dict[tuple[str, int], int] = {}
    masks = []
    for part in problem.parts:
        nodes = [("r", j) for j, _, _ in part.causes] + [("f", s) for s, _, _ in part.links]
        masks.append(sum(1 << number.setdefault(node, len(number)) for node in nodes))
    uses = [sum(mask >> b & 1 for mask in masks) for b in range(len(number))]
    rng = np.random.default_rng(0)
    best: tuple[float, list[int], int] = (math.inf, [], 0)
    for attempt in range(tries):
        noise = rng.random(len(masks)) * (0.9 if attempt else 0.0)
        during = rng.random() if attempt else 0.0
        order, cost, widest = _greedy(masks, uses, noise, during, best[0])
        if cost < best[0]:
            best = (cost, order, widest)
        if best[0] < 64.0 * len(masks) + 1.0:
            break
    return best[1], best[2]


def _greedy(
    masks: list[int], uses: list[int], noise: Array, during: float, stop: float
) -> tuple[list[int], float, int]:
    """An order that closes nodes as early as it can, its cost, and its width."""
    left = set(range(len(masks)))
    remaining = list(uses)
    last = sum(1 << b for b, count in enumerate(remaining) if count == 1)
    opened, cost, widest = 0, 0.0, 0
    order = []
    while left:
        chosen, score = -1, math.inf
        for k in left:
            new = opened | masks[k]
            size = (new & ~(masks[k] & last)).bit_count() + during * new.bit_count() + noise[k]
            if size < score:
                chosen, score = k, size
        mask = masks[chosen]
        opened |= mask
        widest = max(widest, opened.bit_count())
        cost += 2.0 ** opened.bit_count() * (mask.bit_count() + 2)
        if cost >= stop:
            return order, math.inf, widest
        for b in range(mask.bit_length()):
            if mask >> b & 1:
                remaining[b] -= 1
                if remaining[b] == 1:
                    last |= 1 << b
                elif remaining[b] == 0:
                    opened &= ~(1 << b)
        left.discard(chosen)
        order.append(chosen)
    return order, cost, widest


@dataclass
class Step:
    """A part with the nodes that open before it, close after it, and are open meanwhile."""

    part: Part
    new_risks: list[int]
    new_findings: list[int]
    risks: list[int]  # outermost first
    findings: list[int]
    done_risks: list[int]
    done_findings: list[int]


class Sweep:
    """The forward and backward passes. A table is [set of findings, setting of risk factors]."""

    def __init__(self, network: Network, problem: Reduced, order: list[int], dtype: Any) -> None:
        self.network, self.problem, self.dtype = network, problem, dtype
        self.steps = list(_steps([problem.parts[k] for k in order]))
        self.prior = problem.prior
        self.coupled = {j for part in problem.parts for j, _, _ in (*part.causes, *part.private)}

    def answers(self, width: int) -> Truth | None:
        """All measures of all diseases; None if the evidence has no probability."""
        shape = (len(self.network.diseases), len(self.problem.leak))
        posterior = np.zeros(shape[0], self.dtype)
        disabled, sustained = np.zeros(shape, self.dtype), np.zeros(shape, self.dtype)
        unexplained = np.ones(shape[1], self.dtype)
        joints: list[tuple[Step, Array, Array]] = []
        total = self.forward()
        if not total > 0.0:
            return None
        later = np.ones((1, 1), self.dtype)
        for step, table in self.backwards():
            before, later = table, _reopen(later, step)
            k, part = step.part.disease, step.part
            on, off = self.chances(part, step.risks)
            acted = later.copy()
            _pull(acted, step, part.links)
            without, with_it = (before * later).sum(axis=0), (before * acted).sum(axis=0)
            whole = (on * with_it).sum() + (off * without).sum()
            posterior[k] = (on * with_it).sum() / whole
            forced = before * on
            for s, only, any_cause in _links(forced, later, acted, step):
                disabled[k, s], sustained[k, s] = only / whole, any_cause / whole
            joints.append((step, without * part.weight_off, with_it * part.weight_on))
            later = off * later + on * acted
            for s in step.new_findings[::-1]:
                fails, acts = self.problem.leak[s]
                half = len(later) // 2
                without, with_it = later[:half], later[half:]
                unexplained[s] = (before[half:] * (with_it - without)).sum() / whole
                before = before[half:] / acts if acts > fails else before[:half] / fails
                later = fails * without + acts * with_it
            for j in step.new_risks[::-1]:
                half = later.shape[1] // 2
                later = self.prior[j][0] * later[:, :half] + self.prior[j][1] * later[:, half:]
        for part in self.problem.idle:
            posterior[part.disease] = self.idle_posterior(part, joints, total)
        depth = sum(len(s.part.links) + len(s.part.causes) + 4 for s in self.steps) + 4
        return Truth(
            posterior,
            np.clip(disabled, 0.0, None),
            sustained,
            np.clip(unexplained, 0.0, None),
            float(np.log(total)) + self.problem.log_constant,
            width,
            2e3 * math.sqrt(depth) * float(np.finfo(self.dtype).eps),
        )

    def forward(self) -> Any:
        """The probability of the evidence, but for constant factors."""
        table = np.ones((1, 1), self.dtype)
        for step in self.steps:
            table = self.advance(self.open(table, step), step)
        caused = {s for step in self.steps for s in step.findings}
        lone = [leak[1] for s, leak in enumerate(self.problem.leak) if s not in caused]
        return table[0, 0] * math.prod(lone, start=self.dtype(1.0))

    def backwards(self) -> Iterator[tuple[Step, Array]]:
        """The steps from the last, each with the table in force before its disease acts."""
        sizes = [2 ** (len(s.risks) + len(s.findings)) for s in self.steps]
        fits = sum(sizes) <= KEPT
        stride = len(sizes) if fits else math.isqrt(len(sizes)) + 1
        starts, table = [], np.ones((1, 1), self.dtype)
        for i, step in enumerate(self.steps):
            if i % stride == 0:
                starts.append(table)
                if fits:
                    break
            table = self.advance(self.open(table, step), step)
        while starts:
            first = (len(starts) - 1) * stride
            table, kept = starts.pop(), []
            for step in self.steps[first : first + stride]:
                kept.append(self.open(table, step))
                table = self.advance(kept[-1], step)
            for step in self.steps[first : first + stride][::-1]:
                yield step, kept.pop()

    def open(self, table: Array, step: Step) -> Array:
        """The table with the step's new risk factors and findings as outermost axes."""
        for j in step.new_risks:
            off, on = self.prior[j]
            table = np.concatenate([table * off, table * on], axis=1)
        for s in step.new_findings:
            fails, acts = self.problem.leak[s]
            table = np.concatenate([table * fails, table * acts], axis=0)
        return table

    def advance(self, table: Array, step: Step) -> Array:
        """The table after the step's disease has acted and the done nodes have closed."""
        on, off = self.chances(step.part, step.risks)
        acted = table.copy()
        for s, acts, fails in step.part.links:
            view = _axis(acted, step, s)
            view[:, 1] += acts * view[:, 0]
            view[:, 0] *= fails
        table = off * table + on * acted
        findings, risks = list(step.findings), list(step.risks)
        for s in step.done_findings:
            i = findings.index(s)
            findings.remove(s)
            table = table.reshape(2**i, 2, -1)[:, 1].reshape(-1, table.shape[1])
        for j in step.done_risks:
            i = risks.index(j)
            risks.remove(j)
            table = table.reshape(len(table), 2**i, 2, -1).sum(axis=2).reshape(len(table), -1)
        return table

    def chances(self, part: Part, risks: list[int], bare: bool = False) -> tuple[Array, Array]:
        """[setting] weights of the disease on and off; risk factors not listed are averaged."""
        size = 2 ** len(risks)
        on, off = np.full(size, part.on), np.full(size, part.off)
        for j, acts, fails in (*part.causes, *part.private):
            if j in risks:
                inner = 2 ** (len(risks) - 1 - risks.index(j))
                upper, lower = (x.reshape(-1, 2, inner)[:, 1] for x in (on, off))
                upper += lower * acts
                lower *= fails
            else:
                p_off, p_on = self.prior[j]
                on = on * (p_off + p_on) + off * (p_on * acts)
                off = off * (p_off + p_on * fails)
        return (on, off) if bare else (on * part.weight_on, off * part.weight_off)

    def idle_posterior(
        self, part: Part, joints: list[tuple[Step, Array, Array]], total: Any
    ) -> Any:
        """P(on | evidence) of a disease without evidence, through the risk factors it shares."""
        needed = {j for j, _, _ in part.causes} & self.coupled
        if not needed:
            return self.chances(part, [], bare=True)[0][0]
        for step, without, with_it in joints:
            own = [j for j, _, _ in step.part.private if j in needed]
            if not needed <= {*step.risks, *own}:
                continue
            on, off = self.chances(step.part, [*step.risks, *own], bare=True)
            repeat = 2 ** len(own)
            joint = on * np.repeat(with_it, repeat) + off * np.repeat(without, repeat)
            for i, j in enumerate(own):
                view = joint.reshape(-1, 2, 2 ** (len(own) - 1 - i))
                view *= np.array(self.prior[j])[None, :, None]
            mine = self.chances(part, [*step.risks, *own], bare=True)[0]
            return (joint * mine).sum() / joint.sum()
        everywhere = self.prior
        self.prior = dict(everywhere)
        factor = part.off
        for j, _, fails in part.causes:
            p_off, p_on = everywhere[j]
            if j in needed:
                self.prior[j] = (p_off, p_on * fails)
            else:
                factor *= p_off + p_on * fails
        all_off = self.forward() / total
        self.prior = everywhere
        return 1.0 - factor * all_off


def _steps(parts: list[Part]) -> Iterator[Step]:
    """The parts with what opens and closes around each."""
    last_risk = {j: i for i, part in enumerate(parts) for j, _, _ in part.causes}
    last_finding = {s: i for i, part in enumerate(parts) for s, _, _ in part.links}
    risks: list[int] = []
    findings: list[int] = []
    for i, part in enumerate(parts):
        new_risks = [j for j, _, _ in part.causes if j not in risks]
        new_findings = [s for s, _, _ in part.links if s not in findings]
        risks = [*new_risks[::-1], *risks]
        findings = [*new_findings[::-1], *findings]
        done_risks = [j for j in risks if last_risk[j] == i]
        done_findings = [s for s in findings if last_finding[s] == i]
        yield Step(part, new_risks, new_findings, risks, findings, done_risks, done_findings)
        risks = [j for j in risks if j not in done_risks]
        findings = [s for s in findings if s not in done_findings]


def _axis(table: Array, step: Step, finding: int) -> Array:
    """A view of the table with the finding as the middle axis."""
    return table.reshape(2 ** step.findings.index(finding), 2, -1)


def _pull(table: Array, step: Step, links: list[tuple[int, Any, Any]]) -> None:
    """Average the table, in place, over what the links produce."""
    for s, acts, fails in links:
        view = _axis(table, step, s)
        view[:, 0] *= fails
        view[:, 0] += acts * view[:, 1]


def _reopen(later: Array, step: Step) -> Array:
    """The backward table before the done nodes closed: a done finding must have been produced."""
    findings = [s for s in step.findings if s not in step.done_findings]
    risks = [j for j in step.risks if j not in step.done_risks]
    for j in step.done_risks[::-1]:
        risks = [r for r in step.risks if r in risks or r == j]
        i = risks.index(j)
        later = np.repeat(later.reshape(len(later), 2**i, 1, -1), 2, axis=2)
        later = later.reshape(len(later), -1)
    for s in step.done_findings[::-1]:
        findings = [f for f in step.findings if f in findings or f == s]
        i = findings.index(s)
        wide = np.zeros((2**i, 2, later.size >> i), later.dtype)
        wide[:, 1] = later.reshape(2**i, -1)
        later = wide.reshape(-1, later.shape[1])
    return later if later.flags.owndata else later.copy()


def _links(forced: Array, later: Array, acted: Array, step: Step) -> Iterator[tuple[int, Any, Any]]:
    """(finding, weight of this link as its only active cause, weight of this link active)."""
    hard = [link for link in step.part.links if link[2] < EASY]
    for s, acts, fails in step.part.links:
        had, has = _axis(forced, step, s), _axis(acted, step, s)
        active = acts * ((had[:, 0] + had[:, 1]) * has[:, 1]).sum()
        if fails >= EASY:
            only = acts / fails * (had[:, 0] * (has[:, 1] - has[:, 0])).sum()
            yield s, only, active
        else:
            others = later.copy()
            _pull(others, step, [link for link in step.part.links if link[2] >= EASY])
            _pull(others, step, [link for link in hard if link[0] != s])
            rest = _axis(others, step, s)
            yield s, acts * (had[:, 0] * (rest[:, 1] - rest[:, 0])).sum(), active
