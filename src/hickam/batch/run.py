"""A bulk diagnosis from plan to finished folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hickam.batch.cases import spool
from hickam.batch.job import Job, fingerprint_of
from hickam.batch.plan import LINES, SPOOL, plan
from hickam.io.cases import PARQUET
from hickam.issues import invalid
from hickam.work.folder import alone, finish
from hickam.work.parts import disown
from hickam.work.run import Progress, run, silent
from hickam.work.spread import Spread, one_by_one


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished job holds."""

    cases: int
    problems: int
    parts: int
    folder: str


def run_batch(
    job: Job, folder: Path, spread: Spread = one_by_one, progress: Progress = silent
) -> Outcome:
    """Do every shard that is not finished and say what the folder now holds."""
    with alone(folder):
        return _run(job, folder, spread, progress)


def _run(job: Job, folder: Path, spread: Spread, progress: Progress) -> Outcome:
    """The same, with the folder to ourselves."""
    shards = plan(job, folder)
    spooled = folder / SPOOL

    def prepare() -> None:
        if not Path(job.cases).is_dir() and Path(job.cases).suffix.lower() == PARQUET:
            spool(Path(job.cases), spooled, job.part)

    parts = run(shards, folder, spread, progress, "cases", prepare)
    if fingerprint_of(Path(job.cases)) != job.fingerprint:
        disown(folder)
        fix = "start over in an empty folder"
        raise invalid(f"file '{job.cases}'", "changed while it was being diagnosed", fix)
    for copy in (SPOOL, LINES):
        (folder / copy).unlink(missing_ok=True)
    counts = finish(folder, parts)
    cases, problems = counts.get("cases", 0), counts.get("problems", 0)
    return Outcome(cases, problems, len(parts), str(folder))
