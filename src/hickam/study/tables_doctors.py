"""The tables of doctors: beside the algorithms, on hard vignettes, and with a second opinion."""

from __future__ import annotations

from typing import Any

import numpy as np

from hickam.study.compare import crossed_bootstrap
from hickam.study.design import BASELINE
from hickam.study.difficulty import by_difficulty, trends
from hickam.study.doctors import Trial, shadow, standings
from hickam.study.results import Results, Rows


def doctor_trials(results: Results) -> list[Trial]:
    """Every doctor against every algorithm."""
    places = {f"{a.measure}, {a.setting}": p for a, p in results.positions.items()}
    return shadow(results.vignettes, places, results.study.minimum_vignettes)


def doctors(trials: list[Trial]) -> Rows:
    """Accuracy and error of each doctor and of the algorithms shadowing it."""
    return [
        {
            "number": number,
            "doctor": trial.doctor,
            "vignettes": trial.vignettes,
            "size": trial.size,
            "agent": agent,
            "accuracy": trial.accuracy(agent),
            "error": trial.error(agent),
        }
        for number, trial in enumerate(trials)
        for agent in trial.hits
    ]


def standing_rows(trials: list[Trial]) -> Rows:
    """The N >= K table in long form."""
    return [
        {
            "agent": standing.agent,
            "accuracy": standing.accuracy,
            "error": standing.error,
            "other": other,
            "at_least": standing.at_least[other],
            "surely": standing.surely[other],
            "trials": len(trials),
        }
        for standing in standings(trials)
        for other in standing.at_least
    ]


def difficulty(results: Results, trials: list[Trial]) -> Rows:
    """Algorithms and doctors on vignettes that other doctors find easy or hard, and by trial."""
    places = {f"{a.measure}, {a.setting}": p for a, p in results.positions.items()}
    moves = {trend.agent: trend for trend in trends(trials)}
    return [
        {
            "difficulty": stratum.name,
            "opinions": stratum.opinions,
            "agent": agent,
            "accuracy": share,
            "correlation_with_doctors": moves[agent].together if agent in moves else None,
            "correlation_of_lead": moves[agent].lead if agent in moves else None,
        }
        for stratum in by_difficulty(results.vignettes, places)
        for agent, share in stratum.accuracy.items()
    ]


def second_opinion(results: Results) -> Rows:
    """Doctor alone, algorithms alone and fused, each against the doctor with paired intervals."""
    fused = results.fusion
    if fused is None:
        return []
    rows = []
    for agent, hits in fused.hits.items():
        row: dict[str, Any] = {
            "agent": agent,
            "opinions": len(hits),
            "accuracy": float(hits.mean()),
        }
        primary = f"fused, {_fusion_measure(results)}"
        for name, other in (("doctor", fused.hits["doctor"]), ("fused", fused.hits[primary])):
            rng = np.random.default_rng([results.study.seed, 4])
            span = crossed_bootstrap(
                hits,
                other,
                rng,
                rows=fused.doctor_of,
                columns=fused.vignette_of,
                rounds=results.study.bootstrap,
            )
            row |= {f"minus_{name}": span.mean, f"{name}_low": span.low, f"{name}_high": span.high}
        rows.append(row)
    return rows


def _fusion_measure(results: Results) -> str:
    """The measure that fused lists are ranked by."""
    fusion = results.study.second_opinion
    return fusion.measure if fusion is not None else BASELINE


def weights(results: Results) -> Rows:
    """Fitted likelihood ratios by position, per held-out cell and for all opinions together."""
    if results.fusion is None:
        return []
    return [
        {"fit": source, "unlisted": unlisted, "listed": list(listed)}
        for listed, unlisted, source in (*results.fusion.weights, results.fusion.pooled)
    ]
