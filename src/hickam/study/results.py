"""What came out of a study's inference: positions and scores by algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hickam.evidence.vignette import Vignette
from hickam.issues import Issue
from hickam.model.network import Floats, Ints, Network
from hickam.study.design import Setting, Study
from hickam.study.tune import Tuned
from hickam.work.parts import Part

TUNED = "tuned"


class Algorithm(NamedTuple):
    """A way to rank: a setting's name and a measure."""

    setting: str
    measure: str


@dataclass(frozen=True, slots=True)
class Answered:
    """How one setting's inference went."""

    engines: Mapping[str, int]
    exact: int
    largest_error: float
    problems: Mapping[str, str]  # vignette → why it could not be answered


@dataclass(eq=False)
class Results:
    """Everything the tables and figures of a study are made of."""

    study: Study
    network: Network
    vignettes: tuple[Vignette, ...]
    excluded: tuple[str, ...]
    issues: tuple[Issue, ...]
    positions: dict[Algorithm, Ints] = field(default_factory=dict)
    scores: dict[Algorithm, Floats] = field(default_factory=dict)  # [vignette, disease]
    answered: dict[str, Answered] = field(default_factory=dict)
    tuned: dict[str, Tuned] = field(default_factory=dict)  # measure → its tuning
    grid: dict[str, dict[Setting, Ints]] = field(default_factory=dict)  # measure → positions
    fusion: Fused | None = None

    @property
    def settings(self) -> list[str]:
        """The names of the settings, the tuned one last."""
        return list(dict.fromkeys(algorithm.setting for algorithm in self.positions))


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Doctor alone, algorithm alone and both, on held-out opinions, at the doctor's size."""

    doctor_of: Ints  # [opinion]
    vignette_of: Ints  # [opinion]
    hits: Mapping[str, Ints]  # agent → [opinion] 1 if the truth is in its list
    weights: Sequence[tuple[tuple[float, ...], float, str]]  # (listed, unlisted, source) per cell
    pooled: tuple[tuple[float, ...], float, str]  # fitted to all opinions, for use elsewhere


def collect(
    parts: Iterable[Part], measures: Sequence[str], *, whole: bool
) -> tuple[dict[str, Ints], dict[str, Floats], Answered]:
    """(positions, scores, how it went) of one setting from its finished pieces, in order."""
    from pyarrow import concat_tables

    table = concat_tables([part.read() for part in parts])
    positions = {m: table[f"{m}_position"].to_numpy().astype(np.int64) for m in measures}
    scores = {}
    if whole:
        for measure in measures:
            column = table[f"{measure}_scores"].combine_chunks()
            scores[measure] = column.flatten().to_numpy().reshape(table.num_rows, -1)
    engines: dict[str, int] = {}
    for engine in table["engine"].to_pylist():
        engines[engine or "none"] = engines.get(engine or "none", 0) + 1
    problems = {
        vignette: problem
        for vignette, problem in zip(
            table["vignette"].to_pylist(), table["problem"].to_pylist(), strict=True
        )
        if problem
    }
    errors = [error for error in table["error"].to_pylist() if error is not None]
    exact = sum(kind == "exact" for kind in table["accuracy"].to_pylist())
    return positions, scores, Answered(engines, exact, max(errors, default=0.0), problems)
