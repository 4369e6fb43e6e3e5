"""Network + case → beliefs: the door to every engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Unpack

import numpy as np

from hickam.beliefs.beliefs import Accuracy, Beliefs, tidy
from hickam.beliefs.options import Limits, Options, read_options
from hickam.evidence.case import Case, Evidence
from hickam.evidence.conflict import explain_conflict, is_possible
from hickam.evidence.locate import locate
from hickam.inference.coupled.conditioning import condition_on_risks
from hickam.inference.enumeration import enumerate_worlds
from hickam.inference.reduce import Problem, Tables, need_three_layers, reduce
from hickam.inference.sampling.sampled import sampled
from hickam.inference.settled.choice import settled
from hickam.inference.single_fault import single_fault
from hickam.inference.solve import solve
from hickam.issues import TooHard, did_you_mean, error, invalid
from hickam.model.network import Network

# 2 ** this many runs of COVER is all that conditioning is good for.
MAX_CONDITIONED = 12


def infer(
    network: Network, case: Case, engine: str = "auto", **options: Unpack[Options]
) -> Beliefs:
    """What the network concludes about a case; the options are those of `Options`.

    >>> import hickam
    >>> network = hickam.load("smoker")
    >>> beliefs = infer(network, Case(present=["chest pain"]))
    >>> beliefs.accuracy.exact
    True
    """
    if not isinstance(network, Network):
        return infer_other(network, case, engine, options)
    return consider(network, case, engine, options)[1]


def consider(
    network: Network, case: Case, engine: str, options: Options
) -> tuple[Evidence, Beliefs]:
    """The evidence of a case and what the network concludes from it."""
    if not isinstance(network, Network):
        assumptions, _ = read_options(options)
        beliefs = infer_other(network, case, engine, options)
        return locate(case, network, assumptions), beliefs
    if engine not in ENGINES:
        raise invalid(f"engine {engine!r}", "is not known", did_you_mean(engine, ENGINES))
    evidence, limits = take(network, case, options)
    return evidence, ENGINES[engine](network, evidence, limits)


def infer_other(model: Any, case: Case, engine: str, options: Mapping[str, object]) -> Beliefs:
    """Beliefs on another kind of model, from the function that the model itself names.

    So nothing here depends on general models, and a run on a network never imports them.
    """
    door = getattr(model, "door", None)
    if not isinstance(door, str):
        raise invalid(f"a {type(model).__name__}", "is neither a network nor a general model")
    module, name = door.split(":")
    beliefs: Beliefs = getattr(import_module(module), name)(model, case, engine, options)
    return beliefs


def take(network: Network, case: Case, options: Options) -> tuple[Evidence, Limits]:
    """The evidence of a case and the limits of its inference, both checked; never impossible."""
    need_three_layers(network)
    assumptions, limits = read_options(options)
    evidence = locate(case, network, assumptions)
    if has_certainties(network) and not is_possible(network, evidence):
        raise explain_conflict(network, evidence)
    return evidence, limits


@lru_cache(maxsize=32)
def has_certainties(network: Network) -> bool:
    """Whether anything in a network is certain; without certainties no evidence is impossible."""
    fails = (network.finding_leak_fails, network.disease_leak_fails, network.effects.fails)
    certain = any((part == 0.0).any() for part in (*fails, network.causes.fails))
    unlikely = (network.finding_leak == 0.0).any()
    settled_risks = ((network.risk_prior == 0.0) | (network.risk_prior == 1.0)).any()
    return bool(certain or unlikely or settled_risks)


def finish(
    network: Network,
    evidence: Evidence,
    problem: Problem,
    tables: Tables,
    engine: str,
    accuracy: Accuracy,
) -> Beliefs:
    """An engine's tables over a problem's rows as beliefs over all diseases."""
    posterior = problem.elsewhere.copy()
    disabled = np.zeros((problem.size, len(evidence.present)))
    sustained = np.zeros_like(disabled)
    posterior[problem.rows] = tables.posterior
    disabled[problem.rows] = tables.disabled
    sustained[problem.rows] = tables.sustained
    posterior, disabled, sustained = tidy(posterior, disabled, sustained)
    if accuracy.standard_errors is not None:
        errors = np.zeros((problem.size, 3))
        errors[problem.rows] = accuracy.standard_errors
        accuracy = replace(accuracy, standard_errors=errors)
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


def _enumeration(network: Network, evidence: Evidence, _limits: Limits) -> Beliefs:
    return enumerate_worlds(network, evidence)


def _cover(network: Network, evidence: Evidence, limits: Limits) -> Beliefs:
    problem = reduce(network, evidence)
    tables, _, accuracy = settled(problem, limits, only="cover")
    return finish(network, evidence, problem, tables, "cover", accuracy)


def _lattice(network: Network, evidence: Evidence, limits: Limits) -> Beliefs:
    problem = reduce(network, evidence)
    tables, _, accuracy = settled(problem, limits, only="lattice")
    return finish(network, evidence, problem, tables, "lattice", accuracy)


def _sampling(network: Network, evidence: Evidence, limits: Limits) -> Beliefs:
    problem = reduce(network, evidence)
    tables, accuracy = sampled(problem, limits)
    return finish(network, evidence, problem, tables, "sampling", accuracy)


def _conditioning(network: Network, evidence: Evidence, _limits: Limits) -> Beliefs:
    problem = reduce(network, evidence)
    if len(problem.risks) > MAX_CONDITIONED:
        what = f"would settle {len(problem.risks)} risk factors (at most {MAX_CONDITIONED})"
        raise TooHard([error("engine 'conditioning'", what, "use engine 'auto'")])
    tables = condition_on_risks(problem)
    return finish(network, evidence, problem, tables, "conditioning", Accuracy("exact", 1e-12))


def _auto(network: Network, evidence: Evidence, limits: Limits) -> Beliefs:
    problem = reduce(network, evidence)
    tables, engine, accuracy = solve(problem, limits)
    return finish(network, evidence, problem, tables, engine, accuracy)


ENGINES: Mapping[str, Callable[[Network, Evidence, Limits], Beliefs]] = {
    "auto": _auto,
    "enumeration": _enumeration,
    "cover": _cover,
    "lattice": _lattice,
    "sampling": _sampling,
    "conditioning": _conditioning,
}
