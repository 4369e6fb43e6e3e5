"""One piece of a study: some vignettes under one setting → one part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.case import Case
from hickam.evidence.vignette import Vignette
from hickam.infer import infer
from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, TooHard, invalid
from hickam.language.reading import read_value
from hickam.measures.scores import MEASURES
from hickam.model.network import Floats, Network
from hickam.study.accuracy import position
from hickam.study.design import Setting
from hickam.study.sources import open_network
from hickam.work.task import Product, digest

# The convention for categorical observations as a factor on scores.
FACTOR_FLOOR = 0.01
FACTOR_UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """Work that can be done anywhere: the network is found by source and checked by hash."""

    network: str | Mapping[str, Any]
    network_hash: str
    setting: Setting
    measures: tuple[str, ...]
    engine: str
    vignettes: tuple[Vignette, ...]
    tolerance: float = 1e-3
    whole: bool = True  # keep every score, not only the position of the truth

    @property
    def key(self) -> str:
        """A digest of everything that determines the result."""
        said = {
            "network": self.network_hash,
            "setting": asdict(replace(self.setting, name="")),
            "measures": self.measures,
            "engine": self.engine,
            "tolerance": self.tolerance,
            "whole": self.whole,
            "cases": [[asdict(v.case), v.diseases] for v in self.vignettes],
        }
        return digest(said)

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.key[:24]

    def do(self) -> Product:
        """Where every measure puts the truth of every vignette."""
        import pyarrow as pa

        network = settled_network(self.network, self.network_hash)
        rows = [_row(network, vignette, self) for vignette in self.vignettes]
        return Product(pa.Table.from_pylist(rows, schema=_schema(self)))


def plan(
    whole: Piece, settings: Sequence[Setting], *, size: int = 20, keep_scores: bool = True
) -> list[Piece]:
    """The work of a study cut into pieces of `size` vignettes per setting."""
    return [
        replace(
            whole,
            setting=setting,
            vignettes=whole.vignettes[start : start + size],
            whole=keep_scores,
        )
        for setting in settings
        for start in range(0, len(whole.vignettes), size)
    ]


def settled_network(source: str | Mapping[str, Any], expected: str) -> Network:
    """The network of a source, refused if its content has changed since the plan was made."""
    network, _ = open_network(source)
    if network.hash != expected:
        what = "has changed since this work was planned"
        raise invalid(f"network {network.name!r}", what, "start over in a new folder")
    return network


def ask(
    network: Network,
    case: Case,
    setting: Setting,
    engine: str = "auto",
    tolerance: float = 1e-3,
) -> tuple[Beliefs, Floats]:
    """(beliefs, factor on every score) of a case under a setting."""
    factor = np.ones(len(network.diseases))
    if setting.categories != "evidence":
        if setting.categories == "score":
            factor = category_factor(network, case)
        case = replace(case, categories={})
    if setting.leak_shift:
        network = shift_leaks(network, setting.leak_shift)
    options: dict[str, Any] = {**setting.options, "tolerance": tolerance}
    return infer(network, case, engine, **options), factor


def category_factor(network: Network, case: Case) -> Floats:
    """[disease] max(0.01, P(value | disease)) per observed category, 0.5 where none is given.

    The convention of the paper's authors' code: a factor on scores, not evidence.
    """
    factor = np.ones(len(network.diseases))
    for category in network.categories:
        entered = case.categories.get(category.id)
        if entered is None:
            continue
        reading = read_value(category, entered)
        if isinstance(reading, Issue):
            raise InvalidInput([reading])
        if reading.value is None:
            continue
        column = category.values.index(reading.value)
        chances = [category.given.get(disease) for disease in network.diseases]
        factor *= [FACTOR_UNKNOWN if c is None else max(FACTOR_FLOOR, c[column]) for c in chances]
    return factor


_SHIFTED: dict[tuple[str, float], Network] = {}


def shift_leaks(network: Network, amount: float) -> Network:
    """The network with every disease's leak raised by `amount`, at most to certainty."""
    key = (network.hash, amount)
    if key not in _SHIFTED:
        leak = np.minimum(network.disease_leak + amount, 1.0)
        _SHIFTED[key] = replace(network, disease_leak=leak, disease_leak_fails=1.0 - leak)
    return _SHIFTED[key]


def _row(network: Network, vignette: Vignette, piece: Piece) -> dict[str, Any]:
    """One vignette's result; one that cannot be answered ranks its truth last and says why."""
    truths = [network.diseases.index(disease) for disease in vignette.diseases]
    row: dict[str, Any] = {"vignette": vignette.id, "setting": piece.setting.name, "problem": ""}
    try:
        beliefs, factor = ask(network, vignette.case, piece.setting, piece.engine, piece.tolerance)
    except (ImpossibleEvidence, TooHard) as bad:
        size = len(network.diseases)
        empty: dict[str, Any] = {f"{m}_position": size for m in piece.measures}
        if piece.whole:
            empty |= {f"{m}_scores": np.zeros(size) for m in piece.measures}
        return {**row, **empty, "problem": str(bad)}
    weights = np.ones(len(beliefs.present))
    tie_break = beliefs.posterior * factor
    for measure in piece.measures:
        scores = MEASURES[measure](beliefs, weights) * factor
        row[f"{measure}_position"] = position(scores, tie_break, truths)
        if piece.whole:
            row[f"{measure}_scores"] = scores
    return {
        **row,
        "log_evidence": beliefs.log_evidence,
        "engine": beliefs.engine,
        "accuracy": beliefs.accuracy.kind,
        "error": beliefs.accuracy.error,
    }


def _schema(piece: Piece) -> Any:
    """The columns of a result."""
    import pyarrow as pa

    text = pa.string()
    columns = [("vignette", text), ("setting", text), ("problem", text)]
    for measure in piece.measures:
        columns.append((f"{measure}_position", pa.int32()))
        if piece.whole:
            columns.append((f"{measure}_scores", pa.list_(pa.float64())))
    columns += [("log_evidence", pa.float64()), ("engine", text), ("accuracy", text)]
    return pa.schema([*columns, ("error", pa.float64())])
