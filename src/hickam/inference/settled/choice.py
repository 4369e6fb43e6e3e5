"""The choice among the engines for settled risk factors: predicted time and memory decide.

Where nothing exact fits, links to findings that matter little are cut; or all is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.explanations import TABLE_BYTES, explained, predicted_seconds
from hickam.inference.coupled.thinned import held_to_sampling
from hickam.inference.frontier.visit import frontier, price
from hickam.inference.problem import Problem, Solution, Tables, impossible
from hickam.inference.sampling.sampled import by_sampling
from hickam.inference.settled.components import Part, join, parts_of, restrict
from hickam.inference.settled.cover import COVER_ACCURACY, FEW_CELLS, FEW_FINDINGS, cover
from hickam.inference.settled.lattice import lattice
from hickam.issues import Issue, LostPrecision, TooHard, error
from hickam.kernels import compiled

PATIENCE = 20.0  # seconds that an exact answer may take when no deadline is given
LONGEST_LATTICE = 28  # findings; larger tables are refused before they are measured
GOOD = 1e-9  # rounding error at which no further digits are sought
# Seconds per elementary operation, measured by benchmarks/settled.py; NumPy: how much slower.
COVER_COST = 4e-10
LATTICE_COST = {1: 6e-10, 2: 6e-9, 4: 8e-8}
ROW_COST = {1: 3e-9, 2: 3e-8, 4: 6e-7}
NUMPY_FACTOR = 20.0
SAMPLING_BYTES = 3000  # per row and per link: sums of 32 batches
TRYING = 0.5  # of the time until a deadline, after which what is left is for sampling


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to solve a connected part exactly, with its predicted price."""

    name: str
    seconds: float
    memory: float  # bytes
    sure: bool  # whether its digits can be counted on before it has run
    run: Callable[[Deadline], Solution]


def by_cover(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution by COVER alone."""
    return settled(problem, limits, deadline, only="cover")


def by_lattice(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution by inclusion–exclusion alone."""
    return settled(problem, limits, deadline, only="lattice")


def settled(
    problem: Problem, limits: Limits, deadline: Deadline = NEVER, only: str | None = None
) -> Solution:
    """The tables of a settled problem, the engine that gave them, and how accurate they are.

    `only` one exact engine may be asked for by name; then there is no falling back on sampling.
    """
    if not problem.settled:
        what = (
            f"needs settled risk factors, but {len(problem.risks)} unobserved ones couple diseases"
        )
        raise TooHard([error(f"engine '{only}'", what, "use engine 'auto'")])
    few = len(problem.leak) <= FEW_FINDINGS and deadline.end is None
    small = few and len(problem.rows) << len(problem.leak) <= FEW_CELLS
    if (few and only == "cover") or (small and only is None):
        return cover(problem)
    parts = parts_of(problem)
    answers: list[Solution] = []
    trying = deadline.share(TRYING) if only is None else deadline
    for part in parts:
        answer = None
        if only is not None or not trying.over:
            answer = _exactly(restrict(problem, part), limits, deadline, trying, only)
        if answer is None:
            return _by_sampling(problem, parts, limits, deadline, only)
        answers.append(answer)
        if answer.tables.log_evidence == -np.inf:
            return answer._replace(tables=impossible(problem))
    tables = join(problem, parts, [answer.tables for answer in answers])
    try:
        tables = _certain(problem, parts, tables, answers, trying)
    except TimeoutError:
        return _by_sampling(problem, parts, limits, deadline, only)
    names = dict.fromkeys(answer.engine for answer in answers)
    accuracy = max((a.accuracy for a in answers), key=lambda a: a.error, default=COVER_ACCURACY)
    return Solution(tables, " + ".join(names) or "cover", accuracy)


def exact_ways(problem: Problem) -> list[Way]:
    """The ways to solve one connected part exactly, the quickest first."""
    n = len(problem.leak)
    ways = []
    seconds, memory = price(problem, PATIENCE)
    if np.isfinite(seconds):
        by_frontier = partial(_by_frontier, problem)
        ways.append(Way("frontier", seconds, memory, True, by_frontier))
    seconds = predicted_seconds(problem)
    if seconds <= PATIENCE:
        memory = TABLE_BYTES * 2.0 ** len(problem.rows)
        by_explanations = partial(_by_explanations, problem)
        ways.append(Way("explanations", seconds, memory, True, by_explanations))
    if n > LONGEST_LATTICE:
        return sorted(ways, key=lambda way: way.seconds)
    links = (problem.acts > 0.0).sum(axis=1)
    size = 2.0**n
    slow = 1.0 if compiled() is not None else NUMPY_FACTOR
    stored = 2.0 * np.sqrt(len(problem.rows)) + 4.0
    ways.append(
        Way(
            "cover",
            slow * COVER_COST * size * float((4.0 * links + 5.0).sum()),
            8.0 * size * stored,
            True,
            lambda deadline: cover(problem, deadline),
        )
    )
    for parts in (1, 2, 4) if compiled() is not None else (1, 2):

        def run(deadline: Deadline, parts: int = parts) -> Solution:
            return lattice(problem, parts, deadline)

        rows = float(np.minimum((links + 2.0) * 2.0**links, 4.0 * size).sum())
        ways.append(
            Way(
                "lattice",
                slow * (LATTICE_COST[parts] * n * size + ROW_COST[parts] * rows),
                3.0 * 8.0 * parts * size,
                parts > 1,
                run,
            )
        )
    return sorted(ways, key=lambda way: way.seconds)


def _by_explanations(problem: Problem, deadline: Deadline) -> Solution:
    solution, _ = explained(problem, np.inf, Limits(), deadline)
    if solution is None:
        raise LostPrecision("terms underflow, or there is no time for all explanations")
    return solution


def _exactly(
    problem: Problem, limits: Limits, deadline: Deadline, trying: Deadline, only: str | None
) -> Solution | None:
    """The exact answer for one connected part, or None if no way fits the limits.

    Ways are chosen by what is left of the deadline, and given up when the time to try is over.
    """
    best: Solution | None = None
    for way in exact_ways(problem):
        remaining = deadline.left
        allowed = PATIENCE if remaining is None else 0.15 * remaining
        if only not in (None, way.name) or way.memory > limits.memory:
            continue
        if way.seconds > allowed and not (only and remaining is None):
            continue
        try:
            found = way.run(trying.before(deadline.share(0.6)))
        except (LostPrecision, TimeoutError):
            continue
        if best is None or found.accuracy.error < best.accuracy.error:
            best = found
        if found.accuracy.error <= GOOD:
            break
    enough = min(limits.tolerance, 1e-6)
    return best if best is not None and best.accuracy.error <= enough else None


def _by_sampling(
    problem: Problem, parts: list[Part], limits: Limits, deadline: Deadline, only: str | None
) -> Solution:
    """The answer for the whole problem by draws, or a refusal that says what it would take."""
    needs = SAMPLING_BYTES * (len(problem.rows) + (problem.acts > 0.0).sum())
    if only is None and needs <= limits.memory:
        best = held_to_sampling(problem, limits, deadline)
        return by_sampling(problem, limits, deadline) if best is None else best
    raise TooHard([_refusal(problem, parts, limits, only)])


def _refusal(problem: Problem, parts: list[Part], limits: Limits, only: str | None) -> Issue:
    """What an answer would need, and the way out."""
    largest = max(parts, key=lambda part: len(part.columns))
    ways = [
        way for way in exact_ways(restrict(problem, largest)) if only is None or way.name == only
    ]
    what = f"is too hard: {len(largest.columns)} present findings that share causes"
    if ways:
        price = min((way for way in ways if way.sure), key=lambda way: way.memory)
        what += f" need about {price.memory / 1e6:.3g} MB and {price.seconds:.2g} s to be exact"
    else:
        what += " are too many for an exact answer"
    what += f"; the limits are {limits.memory / 1e6:.3g} MB"
    what += "" if limits.deadline is None else f" and {max(limits.deadline, 0.0):.2g} s"
    fix = "raise the limits" if only is None else "raise the limits or use engine 'auto'"
    return error("the case" if only is None else f"engine '{only}'", what, fix)


def _certain(
    problem: Problem,
    parts: list[Part],
    tables: Tables,
    answers: list[Solution],
    deadline: Deadline,
) -> Tables:
    """The tables with the columns of findings whose leak is certain filled in.

    They stay whatever the diseases do. P(no disease causes one) is the chance that the finding
    without its leak would be absent: the evidence with λ as a further weight, over the evidence.
    TimeoutError after the deadline.
    """
    certain = np.flatnonzero(problem.leak_fails == 0.0)
    if len(certain) == 0:
        return tables
    sustained, unexplained = tables.sustained.copy(), tables.unexplained.copy()
    sustained[:, certain] = problem.acts[:, certain] * tables.posterior[:, None]
    for s in certain:
        weighed = replace(problem, weight_on=problem.weight_on * problem.fails[:, s])
        again = [
            _again(restrict(weighed, part), answer.engine, deadline)
            for part, answer in zip(parts, answers, strict=True)
        ]
        log_chance = join(weighed, parts, again).log_evidence
        unexplained[s] = np.exp(log_chance - tables.log_evidence)
    return replace(tables, sustained=sustained, unexplained=unexplained)


def _again(problem: Problem, engine: str, deadline: Deadline) -> Tables:
    """The tables of a part by the engine that solved it, or by COVER where that finds no digit.

    The chance of a finding without its leak may be zero, and a sum that cancels cannot say so.
    """
    if engine == "lattice":
        try:
            return lattice(problem, 4, deadline).tables
        except LostPrecision:
            pass
    if engine == "frontier":
        return _by_frontier(problem, deadline).tables
    return cover(problem, deadline).tables


def _by_frontier(problem: Problem, deadline: Deadline) -> Solution:
    """The exact solution by the frontier, whatever it takes."""
    found = frontier(problem, seconds=deadline.seconds)
    if found.tables is None:
        raise TimeoutError("the frontier does not fit")
    return Solution(found.tables, "frontier", Accuracy("exact", found.rounding))
