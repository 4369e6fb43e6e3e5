"""Tasks → parts: what is there and sound is kept, the rest is spread and done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hickam.work.parts import Errand, Part, find, fulfil
from hickam.work.spread import Spread, one_by_one
from hickam.work.task import Task, version

Progress = Callable[[str, int, int], None]  # what, done, total


def silent(_what: str, _done: int, _total: int) -> None:
    """Report no progress."""


def run(
    tasks: Sequence[Task],
    folder: Path,
    spread: Spread = one_by_one,
    progress: Progress = silent,
    what: str = "parts",
    before: Callable[[], None] | None = None,
) -> list[Part]:
    """The part of every task, in order; `before` is called if there is anything left to do."""
    errands = [Errand(task, str(folder.resolve()), version()) for task in tasks]
    parts = {errand.key: part for errand in errands if (part := find(errand)) is not None}
    left = {errand.key: errand for errand in errands if errand.key not in parts}
    done, total = len(parts), len(parts) + len(left)
    progress(what, done, total)
    if left and before is not None:
        before()
    for number, part in enumerate(spread(fulfil, list(left.values())), start=1):
        parts[part.key] = part
        progress(what, done + number, total)
    return [parts[errand.key] for errand in errands]
