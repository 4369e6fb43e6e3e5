"""What came out of a study's inference: positions and scores by algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hickam.evidence.vignette import Vignette
from hickam.issues import Issue
from hickam.model.network import Floats, Ints, Network
from hickam.study.design import Setting, Study
from hickam.study.tune import Tuned
from hickam.work.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa

Rows = list[dict[str, Any]]  # of a table
TUNED = "tuned"


class Algorithm(NamedTuple):
    """A way to rank: a setting's name and a measure."""

    setting: str
    measure: str


SETTING, GRID, FUSION = "setting", "tuning grid", "second opinion"  # stages of a study


@dataclass(frozen=True, slots=True)
class Answered:
    """How one setting's inference went."""

    stage: str
    setting: str
    cases: int
    engines: Mapping[str, int]
    exact: int
    largest_error: float  # stated, relative to max(score, 0.001)
    over: int  # answers whose stated error is larger than was asked for
    problems: Mapping[str, str]  # vignette → why it could not be answered


@dataclass(eq=False)
class Results:
    """Everything the tables and figures of a study are made of."""

    study: Study
    network: Network
    vignettes: tuple[Vignette, ...]
    excluded: tuple[str, ...]  # ids of vignettes that do not fit, places of unreadable ones
    issues: tuple[Issue, ...]
    unreadable: int = 0  # how many of the excluded could not be read at all
    settled: Counter[str] = field(default_factory=Counter)  # what rules on doctors' lists changed
    positions: dict[Algorithm, Ints] = field(default_factory=dict)
    scores: dict[Algorithm, Floats] = field(default_factory=dict)  # [vignette, disease]
    answered: list[Answered] = field(default_factory=list)
    tuned: dict[str, Tuned] = field(default_factory=dict)  # measure → its tuning
    grid: dict[str, dict[Setting, Ints]] = field(default_factory=dict)  # measure → positions
    fusion: Fused | None = None

    @property
    def settings(self) -> list[str]:
        """The names of the settings, the tuned one last."""
        return list(dict.fromkeys(algorithm.setting for algorithm in self.positions))

    def splits(self, algorithm: Algorithm) -> Ints:
        """[split, vignette] positions: every random split of a tuned algorithm, else one row."""
        if algorithm.setting == TUNED and algorithm.measure in self.tuned:
            return self.tuned[algorithm.measure].splits
        return self.positions[algorithm][None, :]

    def went(self, setting: str) -> Answered:
        """How the inference of a setting of the study went."""
        found = (a for a in self.answered if (a.stage, a.setting) == (SETTING, setting))
        return next(found)


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Doctor alone, algorithm alone and both, on held-out opinions, at the doctor's size."""

    doctor_of: Ints  # [opinion]
    vignette_of: Ints  # [opinion]
    left_out: int  # opinions without any opinion of other doctors on other vignettes to learn from
    hits: Mapping[str, Ints]  # agent → [opinion] 1 if the truth is in its list
    weights: Sequence[tuple[tuple[float, ...], float, str]]  # (listed, unlisted, source) per cell
    pooled: tuple[tuple[float, ...], float, str]  # fitted to all opinions, for use elsewhere


def collect(
    parts: Iterable[Part], measures: Sequence[str], *, whole: bool
) -> tuple[dict[str, Ints], dict[str, Floats], pa.Table]:
    """(positions, scores, table) of one setting from its finished pieces, in order."""
    from pyarrow import concat_tables

    table = concat_tables([part.read() for part in parts])
    positions = {m: table[f"{m}_position"].to_numpy().astype(np.int64) for m in measures}
    scores = {}
    if whole:
        for measure in measures:
            column = table[f"{measure}_scores"].combine_chunks()
            scores[measure] = column.flatten().to_numpy().reshape(table.num_rows, -1)
    return positions, scores, table


def answered(table: pa.Table, stage: str, setting: str, tolerance: float) -> Answered:
    """How the inference behind a table of positions went."""
    columns = {name: table[name].to_pylist() for name in ("vignette", "problem", "engine")}
    errors = [error for error in table["error"].to_pylist() if error is not None]
    return Answered(
        stage=stage,
        setting=setting,
        cases=table.num_rows,
        engines=Counter(engine or "none" for engine in columns["engine"]),
        exact=table["accuracy"].to_pylist().count("exact"),
        largest_error=max(errors, default=0.0),
        over=sum(error > tolerance for error in errors),
        problems={
            vignette: problem
            for vignette, problem in zip(columns["vignette"], columns["problem"], strict=True)
            if problem
        },
    )
