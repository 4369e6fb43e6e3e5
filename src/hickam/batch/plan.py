"""Bulk diagnosis, decided first: which cases make which part."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from hickam.batch.cases import text_starts, write_lines
from hickam.batch.job import Job
from hickam.batch.shard import Shard
from hickam.io.cases import PARQUET, TEXT_SUFFIXES
from hickam.io.parquet import count_rows
from hickam.work.folder import claim

SPOOL = "_cases.arrow"
LINES = "_cases.jsonl"


def plan(job: Job, folder: Path) -> list[Shard]:
    """The shards of a job in order; the folder must be empty or belong to the same job."""
    said = {"name": Path(job.cases).name, **asdict(job)}
    claim(folder, "batch", job.key, said, traces="part-*.parquet")
    path = Path(job.cases)
    text = path.is_dir() or path.suffix.lower() != PARQUET
    if text and (path.is_dir() or path.suffix.lower() not in TEXT_SUFFIXES):
        write_lines(path, folder / LINES)
        path = folder.resolve() / LINES
    starts, total = text_starts(path, job.part) if text else ([], count_rows(path))
    return [
        Shard(
            job=job,
            number=number,
            start=start,
            count=min(job.part, total - start),
            source=str(path) if text else str(folder.resolve() / SPOOL),
            offset=starts[number] if text else 0,
        )
        for number, start in enumerate(range(0, total, job.part))
    ]
