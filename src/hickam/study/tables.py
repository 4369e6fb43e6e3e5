"""The tables of a study, as plain rows: each becomes a Parquet file and a part of the report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hickam.evidence.vignette import RARENESS
from hickam.study.accuracy import by_class, error_reduction, mean_position, top_k
from hickam.study.calibration import errors_by, reliability, truth_table, urgent_misses
from hickam.study.compare import (
    mcnemar,
    paired_bootstrap,
    paired_hits,
    sign_test,
)
from hickam.study.design import BASELINE
from hickam.study.results import TUNED, Algorithm, Results, Rows
from hickam.study.tables_doctors import (
    difficulty,
    doctor_trials,
    doctors,
    second_opinion,
    standing_rows,
    weights,
)
from hickam.work.parts import whole

COUNTERFACTUAL = ("sufficiency", "disablement")
PROBABILITIES = ("posterior", BASELINE)


def all_tables(results: Results) -> dict[str, Rows]:
    """Name → rows of every table that the study supports."""
    trials = doctor_trials(results)
    found = {
        "positions": positions(results),
        "accuracy": accuracy(results),
        "mean_position": mean_positions(results),
        "comparisons": comparisons(results),
        "tuning": tuning(results),
        "doctors": doctors(trials),
        "standings": standing_rows(trials),
        "difficulty": difficulty(results, trials),
        "second_opinion": second_opinion(results),
        "position_weights": weights(results),
        "calibration": calibration(results),
        "urgent": urgent(results),
        "errors": errors(results),
        "inference": inference(results),
        "issues": issues(results),
    }
    return {name: rows for name, rows in found.items() if rows}


def write_tables(tables: dict[str, Rows], folder: Path) -> None:
    """Each table as a Parquet file; tables of an earlier run that are not among them go."""
    import pyarrow as pa
    from pyarrow import parquet

    for name, rows in tables.items():
        with whole(folder / f"{name}.parquet") as unfinished:
            parquet.write_table(pa.Table.from_pylist(rows), unfinished)
    for path in folder.glob("*.parquet"):
        if path.stem not in tables:
            path.unlink()


def classes(results: Results) -> dict[str, Any]:
    """ "all" and each rareness class → its vignettes."""
    labels = [vignette.rareness for vignette in results.vignettes]
    found: dict[str, Any] = {"all": np.arange(len(labels))}
    split = by_class(labels, RARENESS)
    return found | split if len(split) > 1 else found


def positions(results: Results) -> Rows:
    """Where every algorithm ranks the truth of every vignette."""
    return [
        {
            "vignette": vignette.id,
            "rareness": vignette.rareness,
            "setting": algorithm.setting,
            "measure": algorithm.measure,
            "position": int(places[row]),
        }
        for algorithm, places in results.positions.items()
        for row, vignette in enumerate(results.vignettes)
    ]


def accuracy(results: Results) -> Rows:
    """Top-k accuracy by algorithm and rareness class, with the error reduction on the posterior."""
    rows = []
    largest = results.study.top
    for algorithm in results.positions:
        places = results.splits(algorithm)
        other = Algorithm(algorithm.setting, "posterior")
        reference = results.splits(other) if other in results.positions else None
        for name, members in classes(results).items():
            found = top_k(places[:, members], largest)
            saved = np.zeros(largest)
            if reference is not None:
                saved = error_reduction(top_k(reference[:, members], largest), found)
            rows += [
                {
                    "setting": algorithm.setting,
                    "measure": algorithm.measure,
                    "class": name,
                    "k": k + 1,
                    "accuracy": float(found.accuracy[k]),
                    "error": float(found.error[k]),
                    "low": float(found.low[k]),
                    "high": float(found.high[k]),
                    "error_reduction": float(saved[k]),
                    "vignettes": found.vignettes,
                    "splits": len(places),
                }
                for k in range(largest)
            ]
    return rows


def mean_positions(results: Results) -> Rows:
    """Mean position ± sd, capped as in the paper, by algorithm and rareness class."""
    rows = []
    for algorithm in results.positions:
        places = results.splits(algorithm)
        for name, members in classes(results).items():
            mean, spread = mean_position(places[:, members], results.study.top)
            rows.append(
                {
                    "setting": algorithm.setting,
                    "measure": algorithm.measure,
                    "class": name,
                    "vignettes": len(members),
                    "mean": mean,
                    "sd": spread,
                }
            )
    return rows


def _pairs(results: Results) -> Iterable[tuple[Algorithm, Algorithm]]:
    """Which algorithms to compare: against the posterior, the baseline, and tuned with untuned."""
    for algorithm in results.positions:
        if algorithm.measure in COUNTERFACTUAL:
            for other in PROBABILITIES:
                second = Algorithm(algorithm.setting, other)
                if second in results.positions:
                    yield algorithm, second
        if algorithm.setting == TUNED:
            for setting in results.study.settings:
                second = Algorithm(setting.name, algorithm.measure)
                if second in results.positions:
                    yield algorithm, second


def comparisons(results: Results) -> Rows:
    """Paired comparisons: wins, losses, draws, sign test, McNemar and bootstrap by class."""
    study, rows = results.study, []
    for first, second in _pairs(results):
        for name, members in classes(results).items():
            one, two = results.positions[first][members], results.positions[second][members]
            signs = sign_test(one, two)
            capped = [np.minimum(p, study.top + 1) for p in (one, two)]
            rng = np.random.default_rng([study.seed, 3])
            gap = paired_bootstrap(capped[0], capped[1], rng, rounds=study.bootstrap)
            row: dict[str, Any] = {
                "first": f"{first.measure}, {first.setting}",
                "second": f"{second.measure}, {second.setting}",
                "class": name,
                "vignettes": len(members),
                "wins": signs.wins,
                "losses": signs.losses,
                "draws": signs.draws,
                "sign_p": signs.p_value,
                "position_difference": gap.mean,
                "position_low": gap.low,
                "position_high": gap.high,
            }
            for k in (1, 3, 5, 10):
                rng = np.random.default_rng([study.seed, 3, k])
                test = mcnemar(one <= k, two <= k)
                span = paired_hits(one <= k, two <= k, rng, rounds=study.bootstrap)
                row |= {
                    f"top{k}_difference": span.mean,
                    f"top{k}_low": span.low,
                    f"top{k}_high": span.high,
                    f"top{k}_mcnemar_p": test.p_value,
                }
            rows.append(row)
    return rows


def tuning(results: Results) -> Rows:
    """What nested cross-validation chose, per measure, and how much the split matters."""
    rows = []
    for measure, tuned in results.tuned.items():
        mean, spread = tuned.repeats.mean(axis=0), tuned.repeats.std(axis=0)
        names = ("top1", "top3", "top5", "top10", "position")
        total = sum(tuned.counts.values())
        for rank, (setting, count) in enumerate(tuned.counts.items()):
            rows.append(
                {
                    "measure": measure,
                    "case_mix": setting.case_mix,
                    "dial": setting.dial,
                    "chosen_share": count / total,
                    "rank": rank + 1,
                    **{name: float(mean[i]) for i, name in enumerate(names)},
                    **{f"{name}_sd": float(spread[i]) for i, name in enumerate(names)},
                }
            )
    return rows


def calibration(results: Results) -> Rows:
    """Reliability bins, Brier score and log loss of the two probabilities, per setting."""
    truths = truth_table(results.network, results.vignettes)
    rows = []
    for algorithm, scores in results.scores.items():
        if algorithm.measure not in PROBABILITIES:
            continue
        found = reliability(np.clip(scores, 0.0, 1.0), truths)
        rows += [
            {
                "setting": algorithm.setting,
                "measure": algorithm.measure,
                "brier": found.brier,
                "log_loss": found.log_loss,
                "low": bar.low,
                "high": bar.high,
                "mean": bar.mean,
                "share": bar.share,
                "share_low": bar.share_low,
                "share_high": bar.share_high,
                "count": bar.count,
            }
            for bar in found.bins
        ]
    return rows


def urgent(results: Results) -> Rows:
    """How often an urgent truth misses the top k; empty if the network states no urgency."""
    ks = (1, 3, 5, 10)
    rows = []
    for algorithm, places in results.positions.items():
        found = urgent_misses(results.network, results.vignettes, places, ks)
        if found.urgent:
            rows.append(
                {
                    "setting": algorithm.setting,
                    "measure": algorithm.measure,
                    "urgent": found.urgent,
                    **{f"missed_top{k}": found.missed[i] for i, k in enumerate(ks)},
                    "missed": list(found.ids),
                }
            )
    return rows


def errors(results: Results) -> Rows:
    """Diseases and findings with the most vignettes missed in the top 5, per algorithm."""
    return [
        {
            "setting": algorithm.setting,
            "measure": algorithm.measure,
            "what": what,
            "id": name,
            "name": results.network.label(name) if name in results.network.entries else name,
            "vignettes": total,
            "missed": missed,
        }
        for algorithm, places in results.positions.items()
        for what in ("disease", "finding")
        for name, total, missed in errors_by(results.vignettes, places, 5, what)
    ]


def inference(results: Results) -> Rows:
    """How the inference of every setting, grid cell and fused cell went."""
    return [
        {
            "stage": went.stage,
            "setting": went.setting,
            "cases": went.cases,
            "exact": went.exact,
            "largest_error": went.largest_error,
            "over_tolerance": went.over,
            "not_answered": len(went.problems),
        }
        for went in results.answered
    ]


def issues(results: Results) -> Rows:
    """Every problem of the input and every policy applied."""
    return [
        {"level": str(issue.level), "where": issue.where, "what": issue.what, "fix": issue.fix}
        for issue in results.issues
    ]
