"""Exact for few diseases: every set of them, each an explanation with its chance.

The risk factors are folded in one after the other: where one is on, each of its diseases that is
off so far turns on with its chance. With the chance of the findings for every set that gives all
measures. Only non-negative terms are added, and neither the number of risk factors nor that of
findings is in the exponent: only that of the diseases that the evidence reaches.
"""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.frontier.visit import GRACE, LEAST, MARGIN, PATIENCE, PREDICTED, TRIFLE
from hickam.inference.problem import Problem, Solution, Tables, kernel_arguments
from hickam.issues import TooHard, error
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

SECONDS = 0.3e-9  # of one operation
NUMPY_SECONDS = 4e-9  # the same without compiled kernels
MOST_NUMPY = 20  # diseases without compiled kernels
TABLE_BYTES = 48.0  # of a set
UNLIKELY = 1e-200  # evidence below which terms that underflow may count
ROUNDING = 1e-13


def explained(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline
) -> tuple[Solution | None, float]:
    """The solution if it is predicted to take at most so many seconds, and those predicted."""
    left = deadline.left
    if left is not None:
        seconds = min(seconds, max(PREDICTED * left, TRIFLE))
        left = max(left, GRACE)
    kernels = compiled()
    if kernels is None:
        return _explained_numpy(problem, seconds, limits)
    answer, operations = kernels.explanations(
        *kernel_arguments(problem), seconds / SECONDS, limits.memory, left or 0.0
    )
    predicted = SECONDS * operations
    if answer is None:
        return None, predicted
    tables, _, rounding, _, _ = answer
    return _solution(Tables(*tables), rounding), predicted


def predicted_seconds(problem: Problem) -> float:
    """Seconds that all explanations are predicted to take; infinite where there are too many."""
    kernels = compiled()
    if kernels is None:
        return NUMPY_SECONDS * _operations_numpy(problem)
    _, operations = kernels.explanations(*kernel_arguments(problem), 0.0, 0.0, 0.0)
    return SECONDS * float(operations)


def accuracy(rounding: float) -> Accuracy:
    """What an answer with so much rounding is worth."""
    return Accuracy("exact", max(MARGIN * rounding, LEAST))


def _solution(tables: Tables, rounding: float) -> Solution:
    return Solution(tables, "explanations", accuracy(rounding))


def _explained_numpy(
    problem: Problem, seconds: float, limits: Limits
) -> tuple[Solution | None, float]:
    predicted = NUMPY_SECONDS * _operations_numpy(problem)
    cells = 2.0 ** np.count_nonzero(problem.reached)
    if predicted > seconds or TABLE_BYTES * cells > limits.memory:
        return None, predicted
    tables = explanations_numpy(problem)
    return None if tables is None else _solution(tables, ROUNDING), predicted


def _operations_numpy(problem: Problem) -> float:
    bits = int(np.count_nonzero(problem.reached))
    if bits > MOST_NUMPY:
        return np.inf
    edges = np.count_nonzero(problem.reached[problem.edge_row])
    links = np.count_nonzero(problem.acts)
    folding = 1.5 * edges + 3.0 * len(problem.risks) + 4.0
    listeners = len(problem.rows) - bits
    each = folding * (1.0 + listeners) + 14.0 * len(problem.leak) + 1.5 * links + bits
    return float(2.0**bits * each)


def explanations_numpy(problem: Problem) -> Tables | None:
    """The NumPy twin: reference of the kernel, and what runs without it.

    Tables [bit ...], one axis for each reached row. None where the evidence is too unlikely.
    """
    bits = np.flatnonzero(problem.reached)
    chance = _chances(problem, bits, np.ones(len(problem.risks)))
    weight = _product([(problem.weight_off[k], problem.weight_on[k]) for k in bits])
    findings = [_finding(problem, bits, s) for s in range(len(problem.leak))]
    for _, present in findings:
        weight = weight * present
    total = float((chance * weight).sum())
    if not total > UNLIKELY:
        return None
    posterior = np.zeros(len(problem.rows))
    for k in np.flatnonzero(~problem.reached).tolist():
        edges = problem.edge_row == k
        tilt = np.ones(len(problem.risks))
        tilt[problem.edge_risk[edges]] = problem.edge_fails[edges]
        off = min(float((_chances(problem, bits, tilt) * weight).sum()) / total, 1.0)
        posterior[k] = problem.on[k] + problem.off[k] * (1.0 - off)
    joint = chance * weight / total
    disabled, sustained = np.zeros_like(problem.acts), np.zeros_like(problem.acts)
    unexplained = np.zeros(len(problem.leak))
    for axis, k in enumerate(bits.tolist()):
        posterior[k] = joint.take(1, axis).sum()
    for s, (silent, present) in enumerate(findings):
        share = np.divide(joint, present, out=np.zeros_like(joint), where=joint > 0.0)
        unexplained[s] = problem.leak[s] * (share * silent).sum()
        for axis, k in enumerate(bits.tolist()):
            acts, with_it = problem.acts[k, s], share.take(1, axis)
            sustained[k, s] = acts * with_it.sum()
            disabled[k, s] = acts * problem.leak_fails[s] * (with_it * silent.take(0, axis)).sum()
    return Tables(float(np.log(total)), posterior, disabled, sustained, unexplained)


def _product(pairs: list[tuple[float, float]]) -> Floats:
    """[bit ...] the products of one of each pair."""
    table = np.ones(())
    for pair in pairs:
        table = np.multiply.outer(table, pair)
    return np.asarray(table)


def _chances(problem: Problem, bits: Ints, tilt: Floats) -> Floats:
    """[bit ...] the chance of every set; `tilt` [risk] weighs risk factors that are on."""
    axis_of = {int(k): axis for axis, k in enumerate(bits)}
    table = _product([(problem.off[k], problem.on[k]) for k in bits])
    for j, prior in enumerate(problem.risk_prior.tolist()):
        turned = table.copy()
        for e in np.flatnonzero(problem.edge_risk == j):
            axis = axis_of.get(int(problem.edge_row[e]))
            if axis is not None:
                state = np.moveaxis(turned, axis, 0)
                state[1] += problem.edge_acts[e] * state[0]
                state[0] *= problem.edge_fails[e]
        table = (1.0 - prior) * table + prior * tilt[j] * turned
    return table


def _finding(problem: Problem, bits: Ints, column: int) -> tuple[Floats, Floats]:
    """[bit ...] the chance that nothing in a set causes a finding, and that it is present."""
    silent, present = np.ones(()), np.array(problem.leak[column])
    for k in bits:
        caused = problem.leak_fails[column] * problem.acts[k, column] * silent
        present = np.stack([present, present + caused], axis=-1)
        fails = problem.fails[k, column] if problem.acts[k, column] > 0.0 else 1.0
        silent = np.stack([silent, silent * fails], axis=-1)
    return silent, present


def by_explanations(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, or a refusal."""
    solution, _ = explained(problem, PATIENCE, limits, deadline)
    if solution is None:
        count = int(np.count_nonzero(problem.reached))
        what = f"would go through every set of {count} diseases, too many for the limits"
        raise TooHard([error("engine 'explanations'", what, "use engine 'auto'")])
    return solution
