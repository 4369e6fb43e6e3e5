"""Every engine for layered networks, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from hickam.beliefs.beliefs import Beliefs, tidy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import turn
from hickam.beliefs.engine import Engine, choose
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.evidence.conflict import explain_conflict, is_possible
from hickam.inference.coupled.checked import by_messages
from hickam.inference.coupled.elimination import by_elimination
from hickam.inference.coupled.explanations import by_explanations
from hickam.inference.coupled.mixed import by_mixture
from hickam.inference.coupled.thinned import by_thinned
from hickam.inference.enumeration import enumerate_worlds
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.problem import Problem, Solution
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import by_sampling
from hickam.inference.settled.choice import by_cover, by_lattice
from hickam.inference.single_fault import few_diseases, single_fault
from hickam.inference.solve import solve
from hickam.issues import ImpossibleEvidence, LostPrecision, TooHard, error
from hickam.model.network import Network

Solver = Callable[[Problem, Limits, Deadline], Solution]


def by_engine(network: Network, evidence: Evidence, name: str, limits: Limits) -> Beliefs:
    """What an engine concludes from the evidence; impossible evidence is explained."""
    engine = choose(ENGINES, name)
    check_possible(network, evidence)
    return engine.run(network, evidence, limits)


def with_dial(network: Network, evidence: Evidence, beliefs: Beliefs) -> Beliefs:
    """Beliefs with the dial of the evidence turned."""
    return beliefs if evidence.dial == 1.0 else turn(beliefs, few_diseases(network, evidence))


def check_possible(network: Network, evidence: Evidence) -> None:
    """Refuse evidence of probability zero, naming a smallest part of it that conflicts."""
    if has_certainties(network) and not is_possible(network, evidence):
        raise explain_conflict(network, evidence)


@lru_cache(maxsize=128)
def has_certainties(network: Network) -> bool:
    """Whether anything in a network is certain; without certainties no evidence is impossible."""
    fails = (network.finding_leak_fails, network.disease_leak_fails, network.effects.fails)
    certain = any((part == 0.0).any() for part in (*fails, network.causes.fails))
    unlikely = (network.finding_leak == 0.0).any()
    settled_risks = ((network.risk_prior == 0.0) | (network.risk_prior == 1.0)).any()
    return bool(certain or unlikely or settled_risks)


def on_problem(name: str, solver: Solver) -> Callable[[Network, Evidence, Limits], Beliefs]:
    """A solver of reduced problems as an engine for networks."""

    def run(network: Network, evidence: Evidence, limits: Limits) -> Beliefs:
        deadline = Deadline.after(limits.deadline)
        problem = reduce(network, evidence)
        try:
            solution = solver(problem, limits, deadline)
            if np.isfinite(solution.tables.log_evidence):
                return finish(network, evidence, problem, solution)
        except LostPrecision as lost:
            what = f"cannot vouch for its digits here: {lost}"
            raise TooHard([error(f"engine '{name}'", what, "use engine 'auto'")]) from None
        except TimeoutError:
            time = "time" if limits.deadline is None else f"than {limits.deadline:g} seconds"
            what = f"needs more {time}"
            raise TooHard([error(f"engine '{name}'", what, "give more time")]) from None
        what = "has a probability too small to be told from zero"
        raise ImpossibleEvidence([error("the evidence", what, "check the findings")])

    return run


def finish(network: Network, evidence: Evidence, problem: Problem, solution: Solution) -> Beliefs:
    """An engine's tables over a problem's rows as beliefs over all diseases."""
    tables, engine, accuracy = solution
    posterior = problem.elsewhere.copy()
    disabled = np.zeros((problem.size, len(evidence.present)))
    sustained = np.zeros_like(disabled)
    posterior[problem.rows] = tables.posterior
    disabled[problem.rows] = tables.disabled
    sustained[problem.rows] = tables.sustained
    posterior, disabled, sustained = tidy(posterior, disabled, sustained, accuracy.error)
    if accuracy.stated_errors is not None:
        errors = np.zeros((problem.size, 3))
        errors[problem.rows] = accuracy.stated_errors
        accuracy = replace(accuracy, stated_errors=errors)
        accuracy = accuracy.of_leading(posterior, disabled, sustained)
    return Beliefs(
        present=tuple(network.findings[finding] for finding in evidence.present),
        log_evidence=tables.log_evidence + problem.log_scale,
        posterior=posterior,
        disabled=disabled,
        sustained=sustained,
        unexplained=np.clip(tables.unexplained, 0.0, 1.0),
        single_fault=single_fault(network, evidence)
        if problem.single_fault is None
        else problem.single_fault,
        engine=engine,
        accuracy=accuracy,
        in_force=evidence.in_force,
    )


def _engine(name: str, meaning: str, solver: Solver) -> Engine[Network]:
    return Engine(name, meaning, on_problem(name, solver))


ENGINES: Mapping[str, Engine[Network]] = {
    engine.name: engine
    for engine in (
        _engine("auto", "the best answer within the limits, by predicted time and memory", solve),
        Engine("enumeration", "every world, one by one: slow, obviously right", enumerate_worlds),
        _engine("cover", "exact for settled risk factors, free of cancellation", by_cover),
        _engine("lattice", "exact for settled risk factors, for thousands of diseases", by_lattice),
        _engine("frontier", "exact: only open risk factors and findings in the state", by_frontier),
        _engine("conditioning", "the frontier, under a name of version 0.1", by_frontier),
        _engine(
            "elimination",
            "exact for few findings: risk factors summed out on every subset of them",
            by_elimination,
        ),
        _engine(
            "explanations",
            "exact for few diseases: every set of them, risk factors folded in one by one",
            by_explanations,
        ),
        _engine(
            "bethe",
            "estimated, its error measured: messages between risk factors and diseases",
            by_messages,
        ),
        _engine(
            "mixture",
            "expanded, or sampled: strong couplings, corrected by weighed explanations",
            by_mixture,
        ),
        _engine(
            "thinned",
            "sampled: minor links to findings cut, corrected by weighed explanations",
            by_thinned,
        ),
        _engine("sampling", "sampled, with standard errors, for any size", by_sampling),
    )
}
