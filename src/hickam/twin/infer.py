"""General model + evidence → beliefs: every engine by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.beliefs.dial import Few, turn
from hickam.beliefs.engine import Engine, choose
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.issues import TooHard
from hickam.model.exclusive import rules, with_rules
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.abduction import abduct
from hickam.twin.actions import healthy
from hickam.twin.alone import log_only
from hickam.twin.beliefs import (
    Tables,
    exact_tables,
    log_with,
    particle_tables,
    unexplained_in,
)
from hickam.twin.exact import Setting, chance_of_any, log_chance, solve
from hickam.twin.identify import coupling_notes, recognition_notes
from hickam.twin.observe import Observations, explain_conflict, observe
from hickam.twin.sample import sample_until

EXACT = Accuracy("exact", 1e-10)


def infer_scm(model: SCM, evidence: Evidence, engine: str, limits: Limits) -> Beliefs:
    """What a general model concludes from the evidence."""
    model = adapted_scm(model, evidence.circumstances)
    return choose(ENGINES, engine).run(model, evidence, limits)


def _with(engine: str) -> Callable[[SCM, Evidence, Limits], Beliefs]:
    """Inference by one engine of general models."""

    def run(model: SCM, evidence: Evidence, limits: Limits) -> Beliefs:
        return _infer(model, evidence, engine, limits)

    return run


def _infer(model: SCM, evidence: Evidence, engine: str, limits: Limits) -> Beliefs:
    """Beliefs from the tables of an engine; impossible evidence is explained."""
    seen = observe(model, evidence)
    solver = "junction tree" if engine == "junction_tree" else "elimination"
    setting = Setting(model, seen.states, seen.weights, limits.memory, solver=solver)
    tables, used, accuracy = _run(setting, seen, engine, limits)
    if tables.log_evidence == -math.inf:
        raise explain_conflict(model, seen.states, seen.weights, _chance_in(setting))
    risks = risk_evidence(setting, seen)
    beliefs = Beliefs(
        present=seen.present,
        log_evidence=tables.log_evidence - risks,
        posterior=np.clip(tables.posterior, 0.0, 1.0),
        disabled=np.clip(tables.disabled, 0.0, 1.0),
        sustained=np.clip(tables.sustained, 0.0, 1.0),
        unexplained=np.clip(tables.unexplained, 0.0, 1.0),
        single_fault=tables.single_fault,
        engine=used,
        accuracy=accuracy,
        in_force=evidence.in_force,
    )
    if evidence.dial == 1.0:
        return beliefs
    return turn(beliefs, few_diseases(setting, seen, evidence.dial))


def few_diseases(setting: Setting, seen: Observations, dial: float) -> Few:
    """The worlds with no disease and with exactly one, for the Occam–Hickam dial."""
    risks = risk_evidence(setting, seen)
    nobody = log_with(setting, {})
    well = {**seen.states, **healthy(setting.model)}
    bare = unexplained_in(replace(setting, observed=well), seen.present)
    return Few(dial, nobody - risks, log_only(setting) - risks, bare=bare)


def _run(
    setting: Setting, seen: Observations, engine: str, limits: Limits
) -> tuple[Tables, str, Accuracy]:
    """The tables, the engine that made them, and how far they can be trusted."""
    model = setting.model
    if engine == "abduction":
        targets = (*model.diseases, *seen.present)
        particles = abduct(model, seen.states, seen.weights, targets)
        return replace(particle_tables(particles, seen.present), error=0.0), "abduction", EXACT
    if engine != "sampling":
        try:
            used = "twin" if engine == "auto" else engine
            tables = exact_tables(setting, seen.present)
            notes = () if tables.log_evidence == -math.inf else _notes(setting, seen)
            return tables, used, replace(EXACT, notes=notes)
        except TooHard:
            if engine != "auto":
                raise
    sampled, tables = sample_until(
        model,
        seen,
        lambda particles: particle_tables(particles, seen.present),
        limits,
    )
    notes = (f"{len(sampled.weight)} samples, worth {sampled.effective:.0f} independent ones",)
    accuracy = Accuracy("sampled", tables.error, notes=notes, log_evidence=sampled.log_error)
    return tables, "sampling", accuracy


def _notes(setting: Setting, seen: Observations) -> tuple[str, ...]:
    """What the numbers rest on besides the model's mechanisms."""
    return (*recognition_notes(setting.model), *coupling_notes(setting, seen.present))


def _chance_in(
    setting: Setting,
) -> Callable[[Mapping[str, int], Mapping[str, Floats]], float]:
    """The log probability of other evidence in the same setting."""

    def chance(states: Mapping[str, int], weights: Mapping[str, Floats]) -> float:
        return log_chance(replace(setting, observed=states, weights=weights))

    return chance


def risk_evidence(setting: Setting, seen: Observations) -> float:
    """log P(observed risk factors), which the log evidence of beliefs does not include."""
    if not seen.risks:
        return 0.0
    return log_chance(replace(setting, observed=seen.risks, weights={}))


def disease_priors(model: SCM) -> Floats:
    """[disease] P(not in its normal state) with nothing observed."""
    model = with_rules(model)
    return _posteriors(Setting(model, rules(model), {}))


def posteriors(model: SCM, evidence: Evidence) -> Floats:
    """[disease] P(not in its normal state | evidence), without any counterfactual."""
    model = adapted_scm(model, evidence.circumstances)
    seen = observe(model, evidence)
    return _posteriors(Setting(model, seen.states, seen.weights))


def _posteriors(setting: Setting) -> Floats:
    """[disease] P(not in its normal state)."""
    model = setting.model
    solved = solve(setting, (), [(0, disease) for disease in model.diseases])
    return np.array([chance_of_any(solved, model.nodes[disease]) for disease in model.diseases])


ENGINES: Mapping[str, Engine[SCM]] = {
    name: Engine(name, meaning, _with(name))
    for name, meaning in (
        ("auto", "exact on merged twins where that fits, sampled where not"),
        ("twin", "exact: elimination on merged twin networks"),
        ("junction_tree", "exact: pyAgrum's junction tree on merged twin networks"),
        ("abduction", "exact: every setting of the noise that fits the evidence"),
        ("sampling", "sampled: weighted settings of the noise, with standard errors"),
    )
}
