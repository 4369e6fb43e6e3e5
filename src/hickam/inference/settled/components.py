"""A settled problem as independent parts: their probabilities multiply."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.inference.problem import Problem, Tables
from hickam.model.network import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Rows and present findings that are connected to each other and to nothing else."""

    rows: Ints
    columns: Ints


def weights(problem: Problem) -> tuple[Floats, Floats]:
    """[row] the weights of D = 0 and of D = 1, absent findings and soft evidence included."""
    return problem.weight_off * problem.off, problem.weight_on * problem.on


def parts_of(problem: Problem) -> list[Part]:
    """The connected parts; a finding with a certain leak connects nothing and is in none."""
    uncertain = problem.leak_fails > 0.0
    linked = (problem.acts > 0.0) & uncertain & (weights(problem)[1] > 0.0)[:, None]
    label = np.where(uncertain, np.arange(len(uncertain)), -1)
    for column in np.flatnonzero(uncertain):
        shared = np.flatnonzero(linked[linked[:, column]].any(axis=0))
        joined = np.unique(label[np.append(shared, column)])
        if len(joined) > 1:
            label[np.isin(label, joined)] = joined[0]
    found = []
    for name in np.unique(label[uncertain]):
        columns = np.flatnonzero(label == name)
        found.append(Part(np.flatnonzero(linked[:, columns].any(axis=1)), columns))
    return found


def restrict(problem: Problem, part: Part) -> Problem:
    """The problem of one part alone."""
    cells = np.ix_(part.rows, part.columns)
    return replace(
        problem,
        rows=problem.rows[part.rows],
        reached=problem.reached[part.rows],
        on=problem.on[part.rows],
        off=problem.off[part.rows],
        weight_on=problem.weight_on[part.rows],
        weight_off=problem.weight_off[part.rows],
        acts=np.ascontiguousarray(problem.acts[cells]),
        fails=np.ascontiguousarray(problem.fails[cells]),
        leak=problem.leak[part.columns],
        leak_fails=problem.leak_fails[part.columns],
    )


def join(problem: Problem, parts: list[Part], answers: list[Tables]) -> Tables:
    """The tables of the whole problem; findings with a certain leak are left for `certain`."""
    stay_off, turn_on = weights(problem)
    mass = stay_off + turn_on
    loose = np.ones(len(problem.rows), dtype=bool)
    for part in parts:
        loose[part.rows] = False
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior = np.where(mass > 0.0, turn_on / mass, 0.0)
        log_evidence = float(np.log(mass[loose]).sum())
    disabled, sustained = np.zeros_like(problem.acts), np.zeros_like(problem.acts)
    unexplained = np.zeros(len(problem.leak))
    for part, tables in zip(parts, answers, strict=True):
        cells = np.ix_(part.rows, part.columns)
        posterior[part.rows] = tables.posterior
        disabled[cells] = tables.disabled
        sustained[cells] = tables.sustained
        unexplained[part.columns] = tables.unexplained
        log_evidence += tables.log_evidence
    return Tables(log_evidence, posterior, disabled, sustained, unexplained)
