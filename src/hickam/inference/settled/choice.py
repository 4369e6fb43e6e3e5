"""The choice among the engines for settled risk factors: predicted time and memory decide."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.inference.kernels import compiled
from hickam.inference.reduce import Problem, Tables, impossible
from hickam.inference.sampling.sampled import sampled
from hickam.inference.settled.components import Part, join, parts_of, restrict
from hickam.inference.settled.cover import cover
from hickam.inference.settled.lattice import lattice
from hickam.issues import Issue, LostPrecision, TooHard, error

# Up to so many present findings COVER needs no planning.
FEW_FINDINGS = 12
PATIENCE = 20.0  # seconds that an exact answer may take when no deadline is given
LONGEST_LATTICE = 28  # findings; larger tables are refused before they are measured
GOOD = 1e-10  # rounding error at which no further digits are sought
COVER_ACCURACY = Accuracy("exact", 1e-12)
# Seconds per elementary operation, measured by benchmarks/settled.py; NumPy: how much slower.
COVER_COST = 4e-10
LATTICE_COST = {1: 6e-10, 2: 6e-9, 4: 8e-8}
ROW_COST = {1: 3e-9, 2: 3e-8, 4: 6e-7}
NUMPY_FACTOR = 20.0
SAMPLING_BYTES = 3000  # per row and per link: sums of 32 batches
SHORTEST = 0.02  # seconds that sampling needs to say anything


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to solve a connected part exactly, with its predicted price."""

    name: str
    seconds: float
    memory: float  # bytes
    sure: bool  # whether its digits can be counted on before it has run
    run: Callable[[float], tuple[Tables, Accuracy]]  # seconds it may take → answer


def settled(
    problem: Problem, limits: Limits, only: str | None = None
) -> tuple[Tables, str, Accuracy]:
    """The tables of a settled problem, the engine that gave them, and how accurate they are.

    `only` one exact engine may be asked for by name; then there is no falling back on sampling.
    """
    if not problem.settled:
        what = (
            f"needs settled risk factors, but {len(problem.risks)} unobserved ones couple diseases"
        )
        raise TooHard([error(f"engine '{only}'", what, "use engine 'auto'")])
    if len(problem.leak) <= FEW_FINDINGS and limits.deadline is None and only != "lattice":
        return cover(problem), "cover", COVER_ACCURACY
    began = time.monotonic()
    parts = parts_of(problem)
    answers: list[tuple[Tables, str, Accuracy]] = []
    for part in parts:
        answer = _exactly(restrict(problem, part), left(limits, began), only)
        if answer is None:
            return _by_sampling(problem, parts, left(limits, began), limits, only)
        answers.append(answer)
        if answer[0].log_evidence == -np.inf:
            return impossible(problem), answer[1], answer[2]
    tables = join(problem, parts, [tables for tables, _, _ in answers])
    tables = _certain(problem, parts, tables, answers)
    names = dict.fromkeys(name for _, name, _ in answers)
    accuracy = max((how for _, _, how in answers), key=lambda a: a.error, default=COVER_ACCURACY)
    return tables, " + ".join(names) or "cover", accuracy


def exact_ways(problem: Problem) -> list[Way]:
    """The ways to solve one connected part exactly, the quickest first."""
    n = len(problem.leak)
    if n > LONGEST_LATTICE:
        return []
    links = (problem.acts > 0.0).sum(axis=1)
    size = 2.0**n
    slow = 1.0 if compiled() is not None else NUMPY_FACTOR
    stored = 2.0 * np.sqrt(len(problem.rows)) + 4.0
    ways = [
        Way(
            "cover",
            slow * COVER_COST * size * float((4.0 * links + 5.0).sum()),
            8.0 * size * stored,
            True,
            lambda seconds: (cover(problem, seconds=seconds), COVER_ACCURACY),
        )
    ]
    for parts in (1, 2, 4) if compiled() is not None else (1, 2):

        def by_lattice(seconds: float, parts: int = parts) -> tuple[Tables, Accuracy]:
            tables, rounding, condition = lattice(problem, parts, seconds)
            return tables, Accuracy("exact", rounding, condition)

        rows = float(np.minimum((links + 2.0) * 2.0**links, 4.0 * size).sum())
        ways.append(
            Way(
                "lattice",
                slow * (LATTICE_COST[parts] * n * size + ROW_COST[parts] * rows),
                3.0 * 8.0 * parts * size,
                parts > 1,
                by_lattice,
            )
        )
    return sorted(ways, key=lambda way: way.seconds)


def _exactly(
    problem: Problem, limits: Limits, only: str | None
) -> tuple[Tables, str, Accuracy] | None:
    """The exact answer for one connected part, or None if no way fits the limits."""
    began = time.monotonic()
    best = None
    for way in exact_ways(problem):
        remaining = left(limits, began).deadline
        allowed = PATIENCE if remaining is None else 0.4 * remaining
        if only not in (None, way.name) or way.memory > limits.memory:
            continue
        if way.seconds > allowed and not (only and remaining is None):
            continue
        try:
            tables, accuracy = way.run(0.0 if remaining is None else max(0.6 * remaining, 1e-6))
        except (LostPrecision, TimeoutError):
            continue
        if best is None or accuracy.error < best[2].error:
            best = (tables, way.name, accuracy)
        if accuracy.error <= GOOD:
            break
    return best if best is not None and best[2].error <= min(limits.tolerance, 1e-6) else None


def _by_sampling(
    problem: Problem, parts: list[Part], limits: Limits, given: Limits, only: str | None
) -> tuple[Tables, str, Accuracy]:
    """The sampled answer for the whole problem, or a refusal that says what it would take."""
    needs = SAMPLING_BYTES * (len(problem.rows) + (problem.acts > 0.0).sum())
    late = limits.deadline is not None and limits.deadline < SHORTEST
    if only is None and needs <= limits.memory and not late:
        tables, accuracy = sampled(problem, limits)
        return tables, "sampling", accuracy
    raise TooHard([_refusal(problem, parts, given, only)])


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
    answers: list[tuple[Tables, str, Accuracy]],
) -> Tables:
    """The tables with the columns of findings whose leak is certain filled in.

    They stay whatever the diseases do. P(no disease causes one) is the chance that the finding
    without its leak would be absent: the evidence with λ as a further weight, over the evidence.
    """
    certain = np.flatnonzero(problem.leak_fails == 0.0)
    if len(certain) == 0:
        return tables
    sustained, unexplained = tables.sustained.copy(), tables.unexplained.copy()
    sustained[:, certain] = problem.acts[:, certain] * tables.posterior[:, None]
    for s in certain:
        weighed = replace(problem, weight_on=problem.weight_on * problem.fails[:, s])
        again = [
            cover(restrict(weighed, part))
            if name == "cover"
            else lattice(restrict(weighed, part), 4)[0]
            for part, (_, name, _) in zip(parts, answers, strict=True)
        ]
        log_chance = join(weighed, parts, again).log_evidence
        unexplained[s] = np.exp(log_chance - tables.log_evidence)
    return replace(tables, sustained=sustained, unexplained=unexplained)


def left(limits: Limits, began: float) -> Limits:
    """The limits with the time already used taken off the deadline."""
    if limits.deadline is None:
        return limits
    return replace(limits, deadline=limits.deadline - (time.monotonic() - began))
