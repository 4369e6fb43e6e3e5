"""The statistics of one record from the tables of the engines: the twin of the compiled kernel.

Records with so many findings that the kernel would take too long come here as well: the engines
know more ways.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Tables
from hickam.inference.solve import solve
from hickam.learn.batch import Batch
from hickam.learn.numbers import Numbers
from hickam.model.network import Floats, Ints


class Statistics(NamedTuple):
    """What one record says."""

    acted: Floats  # [number]
    could: Floats  # [number]
    posterior: Floats  # [disease]
    log_evidence: float


class Turned(NamedTuple):
    """Chances with their odds multiplied, and how many draws were rejected for that."""

    chance: Floats
    on: Floats
    off: Floats


def turn(chance: Floats, factor: Floats) -> Turned:
    """Multiply the odds of chances; see `expect` for the rejected draws."""
    lost_on = chance * np.maximum(1.0 - factor, 0.0)
    lost_off = (1.0 - chance) * np.maximum(1.0 - 1.0 / np.maximum(factor, 1.0), 0.0)
    turned = factor * chance / (factor * chance + 1.0 - chance)
    return Turned(turned, lost_on / (1.0 - lost_on), lost_off / (1.0 - lost_off))


def expect_record(numbers: Numbers, values: Floats, batch: Batch, record: int) -> Statistics | None:
    """The statistics of a record, averaged over the settings of its risk factors; or impossible."""
    settings = batch.settings
    rows = range(int(settings.start[record]), int(settings.start[record + 1]))
    found = [_under(numbers, values, batch, record, settings.states[row]) for row in rows]
    logs = np.array(
        [
            one.log_evidence + settings.log_weight[row] if one is not None else -np.inf
            for row, one in zip(rows, found, strict=True)
        ]
    )
    peak = logs.max()
    if not peak > -np.inf:
        return None
    share = np.exp(logs - peak)
    total = share.sum()
    pairs = [(one, part) for one, part in zip(found, share / total, strict=True) if one is not None]
    return Statistics(
        np.sum([part * one.acted for one, part in pairs], axis=0),
        np.sum([part * one.could for one, part in pairs], axis=0),
        np.sum([part * one.posterior for one, part in pairs], axis=0),
        float(peak + np.log(total)),
    )


def _under(
    numbers: Numbers, values: Floats, batch: Batch, record: int, risks: Ints
) -> Statistics | None:
    """The statistics of a record in one setting of the risk factors; None if that cannot be."""
    own, atoms = numbers.network, batch.atoms
    person = int(batch.records.person[record])
    prior, leak, cause, finding_leak, effect = (
        values[numbers.of_kind(kind)]
        for kind in ("prior", "disease leak", "cause", "finding leak", "effect")
    )
    acted, could = np.zeros(numbers.size), np.zeros(numbers.size)
    risk_acted, risk_could = acted[numbers.of_kind("prior")], could[numbers.of_kind("prior")]
    with np.errstate(divide="ignore"):
        turned = turn(prior, batch.risk_factor[person])
        said = risks >= 0
        log_chance = np.log(np.where(risks == 1, turned.chance, 1.0 - turned.chance))[said].sum()
        risk_acted[said] = (risks + turned.on)[said]
        risk_could[said] = (1.0 + turned.on + turned.off)[said]

        on_links = risks[own.causes.cause] == 1
        log_off = np.log1p(-leak) + np.bincount(
            own.causes.effect[on_links], np.log1p(-cause[on_links]), len(leak)
        )
        by_cause = -np.expm1(log_off)
        turned = turn(by_cause, batch.disease_factor[person])
        leaks = turn(finding_leak, batch.leak_factor[person])
        absent = atoms.absent[atoms.absent_start[record] : atoms.absent_start[record + 1]]
        groups = [
            atoms.atoms[atoms.atom_start[group] : atoms.atom_start[group + 1]]
            for group in range(*atoms.group_start[record : record + 2].tolist())
        ]
        states = batch.records.diseases[record]
        seen = np.isin(own.effects.effect, np.concatenate([absent, *groups]))
        reached = states >= 0
        reached[own.effects.cause[seen]] = True
        denied = np.isin(own.effects.effect, absent)
        log_lost = np.zeros(len(leak))
        np.add.at(log_lost, own.effects.cause[denied], np.log1p(-effect[denied]))
        log_chance += np.log1p(-leaks.chance[absent]).sum()
        known = np.log(np.where(states == 1, turned.chance, 1.0 - turned.chance))
        known = np.where(states == 1, known + log_lost, known)
        log_chance += known[states >= 0].sum()
        if not log_chance > -np.inf:
            return None
        acts, fails = _grouped(numbers, effect, groups)
        leak_off = np.array([np.prod(1.0 - leaks.chance[group]) for group in groups])
        background = leak_off * fails[states == 1].prod(axis=0)
        tables, rows = _solved(turned.chance, log_lost, states, reached, acts, fails, background)
    if not tables.log_evidence > -np.inf:
        return None
    posterior = np.where(states >= 0, states, turned.chance)
    posterior[rows] = np.clip(tables.posterior, 0.0, 1.0)

    each = np.divide(posterior + turned.on, by_cause, where=by_cause > 0.0, out=0.0 * by_cause)
    draws = 1.0 + turned.on + turned.off
    acted[numbers.of_kind("disease leak")] = np.where(reached, each * leak, 0.0)
    could[numbers.of_kind("disease leak")] = np.where(reached, draws, 0.0)
    used = on_links & reached[own.causes.effect]
    acted[numbers.of_kind("cause")] = np.where(used, each[own.causes.effect] * cause, 0.0)
    could[numbers.of_kind("cause")] = np.where(used, draws[own.causes.effect], 0.0)

    own_acted, own_could = (part[numbers.of_kind("finding leak")] for part in (acted, could))
    link_acted, link_could = (part[numbers.of_kind("effect")] for part in (acted, could))
    observed = np.concatenate([absent, *groups]).astype(np.int64)
    own_acted[observed] = leaks.on[observed]
    own_could[observed] = (1.0 + leaks.on + leaks.off)[observed]
    link_could[seen] = posterior[own.effects.cause[seen]]
    row_of = {int(disease): row for row, disease in enumerate(rows)}
    for column, group in enumerate(groups):
        alone = float(np.clip(tables.unexplained[column], 0.0, 1.0))
        free = 1.0 - background[column]
        share = (alone + (1.0 - alone) * free) / free if free > 0.0 else 0.0
        for atom in group.tolist():
            own_acted[atom] += share * leaks.chance[atom]
            for link in own.effects.of_effect(atom).tolist():
                disease = int(own.effects.cause[link])
                if states[disease] == 1:
                    link_acted[link] = share * effect[link]
                elif states[disease] < 0 and acts[disease, column] > 0.0:
                    kept = tables.sustained[row_of[disease], column]
                    kept = min(max(kept, 0.0), posterior[disease])
                    link_acted[link] = kept * effect[link] / acts[disease, column]
    return Statistics(acted, could, posterior, float(log_chance + tables.log_evidence))


def _grouped(numbers: Numbers, effect: Floats, groups: list[Ints]) -> tuple[Floats, Floats]:
    """[disease, group] the chance that a disease causes any atom of a group, and that it fails."""
    links = numbers.network.effects
    fails = np.ones((len(numbers.network.diseases), len(groups)))
    for column, group in enumerate(groups):
        for atom in group.tolist():
            into = links.of_effect(atom)
            fails[links.cause[into], column] *= 1.0 - effect[into]
    return 1.0 - fails, fails


def _solved(
    chance: Floats,
    log_lost: Floats,
    states: Ints,
    reached: Ints,
    acts: Floats,
    fails: Floats,
    background: Floats,
) -> tuple[Tables, Ints]:
    """The engines' tables over the diseases of unknown state, and which those are."""
    rows = np.flatnonzero(np.asarray(reached, dtype=bool) & (states < 0))
    nothing = np.zeros(0, dtype=np.int64)
    problem = Problem(
        size=len(chance),
        rows=rows,
        reached=np.ones(len(rows), dtype=bool),
        on=chance[rows],
        off=1.0 - chance[rows],
        weight_on=np.exp(log_lost[rows]),
        weight_off=np.ones(len(rows)),
        acts=acts[rows],
        fails=fails[rows],
        leak=1.0 - background,
        leak_fails=background,
        risks=nothing,
        risk_prior=np.zeros(0),
        edge_risk=nothing,
        edge_row=nothing,
        edge_acts=np.zeros(0),
        edge_fails=np.zeros(0),
        log_scale=0.0,
        elsewhere=chance,
    )
    return solve(problem, Limits()).tables, rows
