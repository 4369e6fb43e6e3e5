"""A study from plan to results: cut into pieces, done anywhere, resumed where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hickam.infer import engines_of
from hickam.issues import (
    InvalidInput,
    Level,
    did_you_mean,
    error,
    errors,
    invalid,
    raise_errors,
    warning,
)
from hickam.model.network import Ints
from hickam.study.admit import admit
from hickam.study.design import Fusion, Setting, Study
from hickam.study.fuse import (
    class_masses,
    gather,
    held_out,
    position_weights,
    single_fault_scores,
)
from hickam.study.pieces import Piece, plan
from hickam.study.results import (
    FUSION,
    GRID,
    SETTING,
    TUNED,
    Algorithm,
    Fused,
    Results,
    answered,
    collect,
)
from hickam.study.sources import open_network, open_vignettes
from hickam.study.tune import choose, folds_of, tune
from hickam.work.folder import alone, claim
from hickam.work.parts import Part, sweep
from hickam.work.run import Progress, run, silent
from hickam.work.spread import Spread, one_by_one

TOO_FEW = warning(
    "the second opinion",
    "needs opinions of two doctors on two vignettes: some to learn from, some to judge",
    "it is left out",
)


def run_study(
    study: Study, folder: Path, spread: Spread = one_by_one, progress: Progress = silent
) -> Results:
    """The results of a study; finished pieces in the folder are used and not done again.

    A folder belongs to one study, told by its name, network and vignettes; another is refused.
    """
    results = open_study(study)
    with alone(folder):
        _answer(results, folder, spread, progress)
    return results


def _answer(results: Results, folder: Path, spread: Spread, progress: Progress) -> None:
    """Do all pieces of a study, with the folder to ourselves."""
    study = results.study
    said = {"name": study.name, "network": study.network, "vignettes": study.vignettes}
    claim(folder, "study", study.identity, said, traces="report.html")
    base = Piece(
        network=study.network,
        network_hash=results.network.hash,
        setting=study.settings[0],
        measures=study.all_measures,
        engine=study.engine,
        tolerance=study.tolerance,
        vignettes=results.vignettes,
    )
    work = _Work(folder / "parts", spread, progress)
    _settings(results, base, work)
    if study.tune is not None:
        _tune(results, base, work)
    if study.second_opinion is not None:
        _fuse(results, base, study.second_opinion, work)
    sweep(work.folder)


def open_study(study: Study) -> Results:
    """A study's network and vignettes, ready to be judged; a study of nothing is refused."""
    network, network_issues = open_network(study.network)
    known = engines_of(network)
    if study.engine not in known:
        fix = did_you_mean(study.engine, known)
        raise invalid(f"engine {study.engine!r}", "is not known", fix)
    vignettes, vignette_issues = open_vignettes(study.vignettes, network, study.seed)
    bad = {(issue.file, issue.line): issue for issue in errors(vignette_issues)}
    unreadable = [f"{Path(file or '').name}:{line}" for file, line in bad]
    admitted = admit(network, vignettes, study.outside)
    raise_errors(admitted.issues)
    excluded = (*unreadable, *admitted.excluded)
    issues = (*network_issues, *vignette_issues, *admitted.issues)
    if not admitted.vignettes:
        what = f"has no vignette that can be judged; excluded: {len(excluded)}"
        shown = [replace(issue, level=Level.ERROR) for issue in issues if issue.where][:20]
        raise InvalidInput([error(f"study '{study.name}'", what), *shown])
    return Results(
        study,
        network,
        admitted.vignettes,
        excluded,
        issues,
        unreadable=len(unreadable),
        settled=admitted.opinions,
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """Where the parts of a study go and who does them."""

    folder: Path
    spread: Spread
    progress: Progress

    def do(self, pieces: Sequence[Piece], what: str) -> dict[Setting, list[Part]]:
        """Setting → the parts of its pieces, in order."""
        parts = run(pieces, self.folder, self.spread, self.progress, what)
        found: dict[Setting, list[Part]] = {}
        for piece, part in zip(pieces, parts, strict=True):
            found.setdefault(piece.setting, []).append(part)
        return found


def _settings(results: Results, base: Piece, work: _Work) -> None:
    """Every setting of the study, with all scores kept."""
    settings = results.study.settings
    parts = work.do(plan(base, settings), "settings")
    for setting in settings:
        positions, scores, table = collect(parts[setting], base.measures, whole=True)
        results.answered.append(answered(table, SETTING, setting.name, base.tolerance))
        for measure in base.measures:
            results.positions[Algorithm(setting.name, measure)] = positions[measure]
            results.scores[Algorithm(setting.name, measure)] = scores[measure]


def _tune(results: Results, base: Piece, work: _Work) -> None:
    """The tuning grid, positions only, and nested cross-validation per measure."""
    tuning = results.study.tune
    assert tuning is not None
    if len(results.vignettes) < 2:
        what = "needs two vignettes: one to choose by and one to judge"
        results.issues += (warning("tuning", what, "it is left out"),)
        return
    grid: dict[str, dict[Setting, Ints]] = {measure: {} for measure in base.measures}
    parts = work.do(plan(base, tuning.settings(), keep_scores=False), "tuning grid")
    for setting in tuning.settings():
        positions, _, table = collect(parts[setting], base.measures, whole=False)
        results.answered.append(answered(table, GRID, setting.name, base.tolerance))
        for measure in base.measures:
            grid[measure][setting] = positions[measure]
    for measure in base.measures:
        tuned = tune(grid[measure], tuning, results.study.seed, results.study.top)
        results.tuned[measure] = tuned
        results.positions[Algorithm(TUNED, measure)] = tuned.positions
    results.grid = grid


def _fuse(results: Results, base: Piece, fusion: Fusion, work: _Work) -> None:
    """Doctors' lists fused on opinions whose doctor and vignette the weights never saw."""
    study, vignettes = results.study, results.vignettes
    opinions = gather(vignettes)
    if len(opinions.doctors) < 2:
        results.issues += (TOO_FEW,)
        return
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
    if not told:
        results.issues += (TOO_FEW,)
        return
    by_setting: dict[Setting, list[int]] = {}
    for number, item in enumerate(told):
        by_setting.setdefault(item.setting, []).append(number)
    pieces: list[Piece] = []
    for used, numbers in by_setting.items():
        some = tuple(told[number].vignette for number in numbers)
        pieces += plan(replace(base, vignettes=some), [used], keep_scores=False)
    parts = work.do(pieces, "second opinions")
    judged = np.array(sorted(item.row for item in told), dtype=np.int64)
    size, vignette_of = opinions.size[judged], opinions.vignette[judged]
    hits = {f"fused, {measure}": np.zeros(len(opinions), np.int64) for measure in base.measures}
    for used, numbers in by_setting.items():
        positions, _, table = collect(parts[used], base.measures, whole=False)
        results.answered.append(answered(table, FUSION, used.name, base.tolerance))
        rows = np.array([told[number].row for number in numbers])
        for measure in base.measures:
            hits[f"fused, {measure}"][rows] = positions[measure] <= opinions.size[rows]
    alone = {}
    for algorithm, places in results.positions.items():
        if algorithm.setting in (TUNED, study.settings[-1].name):
            name = f"{algorithm.measure}, {algorithm.setting}"
            alone[name] = (places[vignette_of] <= size).astype(np.int64)
    pooled_scores = single_fault_scores(results.network, vignettes, chosen[0])
    masses = class_masses(results.network, vignettes, opinions, pooled_scores, fusion.positions)
    everyone = np.ones(len(opinions), dtype=bool)
    pooled = position_weights(masses, everyone, f"all {len(opinions)} opinions")
    fused = {agent: hit[judged] for agent, hit in hits.items()}
    results.fusion = Fused(
        doctor_of=opinions.doctor[judged],
        vignette_of=vignette_of,
        left_out=len(opinions) - len(judged),
        hits={"doctor": opinions.hit[judged], **alone, **fused},
        weights=[(cell.listed, cell.unlisted, cell.source) for cell in cells],
        pooled=(pooled.listed, pooled.unlisted, pooled.source),
    )
