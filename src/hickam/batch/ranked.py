"""The answers of some cases as a table: one row for each case and ranked disease."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.issues import InvalidInput, Issue
from hickam.measures.differential import leading
from hickam.measures.scores import MEASURES
from hickam.model.described import Described

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Line:
    """One case of the input: its row, its id, its answer or why there is none, and warnings."""

    row: int
    case: str
    answer: Beliefs | InvalidInput
    warnings: tuple[Issue, ...] = ()

    @property
    def warning(self) -> str | None:
        """The warnings as text."""
        return "\n".join(map(str, self.warnings)) or None


def column_names() -> tuple[str, ...]:
    """The columns of the output in their order, one for each measure among them."""
    first = ("row", "case", "rank", "disease", "score")
    return (*first, *MEASURES, "log_evidence", "engine", "accuracy", "error", "problem", "warning")


def schema() -> pa.Schema:
    """The columns of the output: one row per case and ranked disease, in order."""
    import pyarrow as pa

    kinds = {"row": pa.int64(), "rank": pa.int32()}
    text = ("case", "disease", "engine", "accuracy", "problem", "warning")
    kinds |= {name: pa.string() for name in text}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in column_names()])


def ranked(network: Described, lines: Sequence[Line], measure: str, top: int) -> pa.Table:
    """The ranked diseases of every case, or one row that says why there are none."""
    import pyarrow as pa

    answers = [(line, line.answer) for line in lines if isinstance(line.answer, Beliefs)]
    refused = [line for line in lines if isinstance(line.answer, InvalidInput)]
    table = _answers(network, answers, measure, top)
    if not refused:
        return table
    said = [{"row": line.row, "case": line.case, "problem": str(line.answer)} for line in refused]
    table = pa.concat_tables([table, pa.Table.from_pylist(said, schema=schema())])
    return table.take(np.argsort(table["row"].to_numpy(), kind="stable"))


def _answers(
    network: Described, answers: Sequence[tuple[Line, Beliefs]], measure: str, top: int
) -> pa.Table:
    """The ranked diseases of the cases that have an answer."""
    import pyarrow as pa

    if not answers:
        return schema().empty_table()
    found = [beliefs for _, beliefs in answers]
    weights = [np.ones(len(beliefs.present)) for beliefs in found]
    scores = {
        name: np.stack([score(*given) for given in zip(found, weights, strict=True)])
        for name, score in MEASURES.items()
    }
    order, ranks = leading(scores[measure], np.stack([b.posterior for b in found]), top)
    count, each = order.shape

    def chosen(table: Any) -> Any:
        return np.take_along_axis(table, order, -1).ravel()

    def repeated(values: Sequence[Any], kind: Any = None) -> Any:
        return pa.array(values, kind).take(np.repeat(np.arange(count), each))

    columns = {
        "row": repeated([line.row for line, _ in answers]),
        "case": repeated([line.case for line, _ in answers]),
        "rank": ranks.ravel(),
        "disease": pa.array(network.diseases).take(order.ravel()),
        "score": chosen(scores[measure]),
        **{name: chosen(table) for name, table in scores.items()},
        "log_evidence": repeated([b.log_evidence for b in found]),
        "engine": repeated([b.engine for b in found]),
        "accuracy": repeated([b.accuracy.kind for b in found]),
        "error": repeated([b.accuracy.error for b in found]),
        "problem": pa.nulls(count * each, pa.string()),
        "warning": repeated([line.warning for line, _ in answers], pa.string()),
    }
    return pa.table({name: columns[name] for name in column_names()}, schema=schema())
