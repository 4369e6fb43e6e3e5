"""Where the numbers of a network enter the problem of one case.

P(evidence) and the weight of every score are multilinear in the numbers of a network, and so in the
entries of a `Problem`. An entry that can be turned alone is a knob. Several numbers may turn the
same knob: all that makes a disease likely before its findings are seen turns `on`, all its absent
findings turn `weight`. Each does so along a straight line, `x = at + rate * (number - value)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hickam.evidence.case import Evidence
from hickam.inference.problem import Problem
from hickam.model.network import Floats, Network
from hickam.trust.numbers import Number, number_of


@dataclass(frozen=True, slots=True)
class Knob:
    """One entry of a problem."""

    kind: str  # "acts" | "leak" | "weight" | "on" | "risk" | "edge"
    row: int  # row, risk or edge; of a leak the column
    column: int = -1  # of acts


@dataclass(frozen=True, slots=True)
class Turner:
    """A number of the network, the knob that it turns, and how fast."""

    number: Number
    knob: Knob
    at: float  # where the knob stands
    rate: float


def value_of(problem: Problem, knob: Knob) -> float:
    """Where a knob stands."""
    if knob.kind == "acts":
        return float(problem.acts[knob.row, knob.column])
    held = {
        "leak": problem.leak,
        "weight": problem.weight_on,
        "on": problem.on,
        "risk": problem.risk_prior,
        "edge": problem.edge_acts,
    }[knob.kind]
    return float(held[knob.row])


def elsewhere(problem: Problem, knob: Knob) -> float:
    """Another place for a knob, far enough that two points tell the line through them."""
    at = value_of(problem, knob)
    if knob.kind == "weight":
        return at / 4.0
    return 0.75 if at < 0.5 else 0.25


def turned(problem: Problem, knob: Knob, to: float) -> Problem:
    """The problem with one knob at another place."""
    if knob.kind == "acts":
        acts, fails = problem.acts.copy(), problem.fails.copy()
        acts[knob.row, knob.column], fails[knob.row, knob.column] = to, 1.0 - to
        return replace(problem, acts=acts, fails=fails)

    def put(held: Floats, value: float) -> Floats:
        changed = held.copy()
        changed[knob.row] = value
        return changed

    if knob.kind == "leak":
        return replace(
            problem, leak=put(problem.leak, to), leak_fails=put(problem.leak_fails, 1.0 - to)
        )
    if knob.kind == "weight":
        return replace(problem, weight_on=put(problem.weight_on, to))
    if knob.kind == "on":
        return replace(problem, on=put(problem.on, to), off=put(problem.off, 1.0 - to))
    if knob.kind == "risk":
        return replace(problem, risk_prior=put(problem.risk_prior, to))
    return replace(
        problem,
        edge_acts=put(problem.edge_acts, to),
        edge_fails=put(problem.edge_fails, 1.0 - to),
    )


def turners(network: Network, evidence: Evidence, problem: Problem) -> list[Turner]:
    """Every number that bears on the findings of a case, with its knob.

    The network is the one adapted to the patient. A number that is 0 or 1 is a statement about how
    things hang together, not an amount, and is left alone. So is a number of a disease that the
    evidence does not reach: it moves no other disease.
    """
    row_of = {int(disease): row for row, disease in enumerate(problem.rows) if problem.reached[row]}
    found = [
        *_of_present(network, evidence, row_of),
        *_of_absent(network, evidence, problem, row_of),
        *_of_diseases(network, evidence, problem, row_of),
        *_of_risks(network, problem),
    ]
    return [
        Turner(number, knob, value_of(problem, knob), rate)
        for number, knob, rate in found
        if 0.0 < number.value < 1.0 and rate != 0.0
    ]


Found = Iterator[tuple[Number, Knob, float]]


def _of_present(network: Network, evidence: Evidence, row_of: dict[int, int]) -> Found:
    """The leaks of present findings and the links into them."""
    links = network.effects
    for column, finding in enumerate(evidence.present.tolist()):
        name = network.findings[finding]
        leak = number_of(network, name, name, "leak", float(network.finding_leak[finding]))
        yield leak, Knob("leak", column), 1.0
        for link in links.of_effect(finding).tolist():
            disease = int(links.cause[link])
            if disease in row_of:
                cause, acts = network.diseases[disease], float(links.acts[link])
                number = number_of(network, cause, name, "link", acts)
                yield number, Knob("acts", row_of[disease], column), 1.0


def _of_absent(
    network: Network, evidence: Evidence, problem: Problem, row_of: dict[int, int]
) -> Found:
    """The links into absent findings: each multiplies the weight of its disease by λ."""
    links = network.effects
    for finding in evidence.absent.tolist():
        for link in links.of_effect(finding).tolist():
            disease, acts, fails = (
                int(links.cause[link]),
                float(links.acts[link]),
                links.fails[link],
            )
            if disease in row_of and fails > 0.0:
                row, cause = row_of[disease], network.diseases[disease]
                number = number_of(network, cause, network.findings[finding], "link", acts)
                yield number, Knob("weight", row), -float(problem.weight_on[row] / fails)


def _of_diseases(
    network: Network, evidence: Evidence, problem: Problem, row_of: dict[int, int]
) -> Found:
    """The leaks of diseases and the links into them."""
    links = network.causes
    observed = dict.fromkeys(evidence.risks_on.tolist(), True)
    observed |= dict.fromkeys(evidence.risks_off.tolist(), False)
    coupling = {int(risk): place for place, risk in enumerate(problem.risks)}
    pairs = zip(problem.edge_risk.tolist(), problem.edge_row.tolist(), strict=True)
    edge_of = {pair: edge for edge, pair in enumerate(pairs)}
    for disease, row in row_of.items():
        name, knob = network.diseases[disease], Knob("on", row)
        off = float(problem.off[row])
        leak, spared = float(network.disease_leak[disease]), network.disease_leak_fails[disease]
        if spared > 0.0:
            kind = "leak" if len(links.of_effect(disease)) else "prior"
            yield number_of(network, name, name, kind, leak), knob, off / float(spared)
        for link in links.of_effect(disease).tolist():
            risk = int(links.cause[link])
            cause, acts = network.risk_factors[risk], float(links.acts[link])
            number = number_of(network, cause, name, "link", acts)
            if risk in observed:
                if observed[risk] and links.fails[link] > 0.0:
                    yield number, knob, off / float(links.fails[link])
            elif risk in coupling:
                edge = edge_of.get((coupling[risk], row))
                if edge is not None:
                    yield number, Knob("edge", edge), 1.0
            else:  # averaged: it touches this disease alone
                prior = float(network.risk_prior[risk])
                spared = 1.0 - prior * acts
                if spared > 0.0:
                    yield number, knob, off * prior / spared
                    own = number_of(network, cause, cause, "prior", prior)
                    yield own, knob, off * acts / spared


def _of_risks(network: Network, problem: Problem) -> Found:
    """The priors of the open risk factors that several diseases share."""
    for place, risk in enumerate(problem.risks.tolist()):
        name = network.risk_factors[risk]
        prior = number_of(network, name, name, "prior", float(network.risk_prior[risk]))
        yield prior, Knob("risk", place), 1.0
