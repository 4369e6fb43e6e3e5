"""A study from plan to results: cut into pieces, done anywhere, resumed where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hickam.study.admit import admit
from hickam.study.design import Fusion, Setting, Study
from hickam.study.fuse import (
    class_masses,
    gather,
    held_out,
    position_weights,
    single_fault_scores,
)
from hickam.study.results import TUNED, Algorithm, Fused, Results, collect
from hickam.study.sources import open_network, open_vignettes
from hickam.study.tune import choose, folds_of, tune
from hickam.study.work import Piece, plan, work

# How pieces are spread: over nothing, processes or a cluster. Results come in any order.
Spread = Callable[[Callable[[Piece], str], Sequence[Piece]], Iterator[str]]
Progress = Callable[[str, int, int], None]  # what, done, total


def one_by_one(function: Callable[[Piece], str], pieces: Sequence[Piece]) -> Iterator[str]:
    """Do the pieces in this process, in order."""
    return map(function, pieces)


def silent(_what: str, _done: int, _total: int) -> None:
    """Report no progress."""


def run_study(
    study: Study, folder: Path, spread: Spread = one_by_one, progress: Progress = silent
) -> Results:
    """The results of a study; finished pieces in the folder are used and not done again."""
    network, network_issues = open_network(study.network)
    vignettes, vignette_issues = open_vignettes(study.vignettes, network, study.seed)
    admitted = admit(network, vignettes)
    results = Results(
        study,
        network,
        admitted.vignettes,
        admitted.excluded,
        (*network_issues, *vignette_issues, *admitted.issues),
    )
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    base = Piece(
        network=study.network,
        network_hash=network.hash,
        setting=study.settings[0],
        measures=study.all_measures,
        engine=study.engine,
        tolerance=study.tolerance,
        vignettes=admitted.vignettes,
        folder=str(parts),
    )
    _settings(results, base, spread, progress)
    if study.tune is not None and results.vignettes:
        _tune(results, base, spread, progress)
    if study.second_opinion is not None and any(v.opinions for v in results.vignettes):
        _fuse(results, base, study.second_opinion, spread, progress)
    return results


def _do(pieces: list[Piece], what: str, spread: Spread, progress: Progress) -> None:
    """Do the pieces that are not finished, reporting progress over all of them."""
    left = [piece for piece in pieces if not piece.path.exists()]
    done = len(pieces) - len(left)
    progress(what, done, len(pieces))
    for number, _ in enumerate(spread(work, left), start=1):
        progress(what, done + number, len(pieces))


def _settings(results: Results, base: Piece, spread: Spread, progress: Progress) -> None:
    """Every setting of the study, with all scores kept."""
    settings = results.study.settings
    pieces = plan(base, settings)
    _do(pieces, "settings", spread, progress)
    for setting in settings:
        own = [str(piece.path) for piece in pieces if piece.setting == setting]
        positions, scores, answered = collect(own, setting, base.measures, whole=True)
        results.answered[setting.name] = answered
        for measure in base.measures:
            results.positions[Algorithm(setting.name, measure)] = positions[measure]
            results.scores[Algorithm(setting.name, measure)] = scores[measure]


def _tune(results: Results, base: Piece, spread: Spread, progress: Progress) -> None:
    """The tuning grid, positions only, and nested cross-validation per measure."""
    tuning = results.study.tune
    assert tuning is not None
    grid: dict[str, dict[Setting, np.ndarray]] = {measure: {} for measure in base.measures}
    pieces = plan(base, tuning.settings(), keep_scores=False)
    _do(pieces, "tuning grid", spread, progress)
    for setting in tuning.settings():
        own = [str(piece.path) for piece in pieces if piece.setting == setting]
        positions, _, answered = collect(own, setting, base.measures, whole=False)
        results.answered[setting.name] = answered
        for measure in base.measures:
            grid[measure][setting] = positions[measure]
    for measure in base.measures:
        tuned = tune(grid[measure], tuning, results.study.seed, results.study.top)
        results.tuned[measure] = tuned
        results.positions[Algorithm(TUNED, measure)] = tuned.positions
    results.grid = grid


def _fuse(
    results: Results, base: Piece, fusion: Fusion, spread: Spread, progress: Progress
) -> None:
    """Doctors' lists fused on opinions whose doctor and vignette the weights never saw."""
    study, vignettes = results.study, results.vignettes
    opinions = gather(vignettes)
    rng = np.random.default_rng([study.seed, 2])
    vignette_fold = folds_of(len(vignettes), min(fusion.folds, len(vignettes)), rng)
    doctor_fold = folds_of(len(opinions.doctors), min(fusion.folds, len(opinions.doctors)), rng)
    folds = int(vignette_fold.max()) + 1
    setting = Setting("fusion", fusion.case_mix, fusion.dial)
    chosen = [setting] * folds
    if results.tuned and study.tune is not None:
        grid = results.grid[fusion.measure]
        chosen = [
            replace(best, dial=fusion.dial)
            for best in choose(grid, vignette_fold, study.tune.criterion, study.top)
        ]
    told, cells = held_out(
        results.network, vignettes, opinions, chosen, vignette_fold, doctor_fold, fusion.positions
    )
    by_setting: dict[Setting, list[int]] = {}
    for number, item in enumerate(told):
        by_setting.setdefault(item.setting, []).append(number)
    pieces: list[Piece] = []
    members = []
    for used, numbers in by_setting.items():
        some = tuple(told[number].vignette for number in numbers)
        pieces += plan(replace(base, vignettes=some), [used], keep_scores=False)
        members.append((used, numbers))
    _do(pieces, "second opinions", spread, progress)
    hits = {
        f"fused, {measure}": np.zeros(len(opinions), dtype=np.int64) for measure in base.measures
    }
    for used, numbers in members:
        own = [str(piece.path) for piece in pieces if piece.setting == used]
        positions, _, _ = collect(own, used, base.measures, whole=False)
        rows = np.array([told[number].row for number in numbers])
        for measure in base.measures:
            hits[f"fused, {measure}"][rows] = positions[measure] <= opinions.size[rows]
    alone = {}
    for algorithm, places in results.positions.items():
        if algorithm.setting in (TUNED, study.settings[-1].name):
            name = f"{algorithm.measure}, {algorithm.setting}"
            alone[name] = (places[opinions.vignette] <= opinions.size).astype(np.int64)
    pooled_scores = single_fault_scores(results.network, vignettes, chosen[0])
    masses = class_masses(results.network, vignettes, opinions, pooled_scores, fusion.positions)
    everyone = np.ones(len(opinions), dtype=bool)
    pooled = position_weights(masses, everyone, f"all {len(opinions)} opinions")
    results.fusion = Fused(
        doctor_of=opinions.doctor,
        vignette_of=opinions.vignette,
        hits={"doctor": opinions.hit, **alone, **hits},
        weights=[(cell.listed, cell.unlisted, cell.source) for cell in cells],
        pooled=(pooled.listed, pooled.unlisted, pooled.source),
    )
