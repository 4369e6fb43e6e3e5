"""A bulk diagnosis from plan to finished folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hickam.batch.cases import spool
from hickam.batch.job import Job
from hickam.batch.plan import SPOOL, plan
from hickam.io.cases import TEXT_SUFFIXES
from hickam.issues import invalid
from hickam.work.folder import finish
from hickam.work.parts import disown
from hickam.work.run import Progress, run, silent
from hickam.work.spread import Spread, one_by_one
from hickam.work.task import fingerprint


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
    shards = plan(job, folder)
    spooled = folder / SPOOL

    def prepare() -> None:
        if Path(job.cases).suffix not in TEXT_SUFFIXES:
            spool(Path(job.cases), spooled, job.part)

    parts = run(shards, folder, spread, progress, "cases", prepare)
    if fingerprint(Path(job.cases)) != job.fingerprint:
        disown(folder)
        fix = "start over in an empty folder"
        raise invalid(f"file '{job.cases}'", "changed while it was being diagnosed", fix)
    spooled.unlink(missing_ok=True)
    counts = finish(folder, parts)
    cases, problems = counts.get("cases", 0), counts.get("problems", 0)
    return Outcome(cases, problems, len(parts), str(folder))
