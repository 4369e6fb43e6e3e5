"""A bulk diagnosis from plan to finished folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hickam.batch.plan import MANIFEST, Job, Shard, plan
from hickam.batch.work import work

Spread = Callable[[Callable[[Shard], str], Sequence[Shard]], Iterator[str]]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished job holds."""

    cases: int
    problems: int
    parts: int
    folder: str


def run_batch(job: Job, folder: Path, spread: Spread, progress: Progress) -> Outcome:
    """Do every shard that is not finished and say what the folder now holds."""
    shards = plan(job, folder)
    left = [shard for shard in shards if not shard.path.exists()]
    done = len(shards) - len(left)
    progress("cases", done, len(shards))
    for number, _ in enumerate(spread(work, left), start=1):
        progress("cases", done + number, len(shards))
    return finish(shards, folder)


def finish(shards: Sequence[Shard], folder: Path) -> Outcome:
    """Count what the parts hold, remove what dead workers left, and note it in the manifest."""
    from pyarrow import parquet

    missing = [shard.number for shard in shards if not shard.path.exists()]
    if missing:
        raise RuntimeError(f"parts {missing[:5]} were reported finished but are not there")
    problems = 0
    for shard in shards:
        column = parquet.read_table(shard.path, columns=["problem"])["problem"]
        problems += len(column) - column.null_count
    for leftover in folder.glob("part-*.tmp"):
        leftover.unlink()
    cases = sum(shard.count for shard in shards)
    path = folder / MANIFEST
    said = json.loads(path.read_text())
    said["finished"] = {"cases": cases, "problems": int(problems), "parts": len(shards)}
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(said, indent=1))
    unfinished.replace(path)
    return Outcome(cases, int(problems), len(shards), str(folder))
