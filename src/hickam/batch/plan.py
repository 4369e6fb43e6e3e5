"""Bulk diagnosis, decided first: which cases make which part, and what was decided before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hickam.io.cases import TEXT_SUFFIXES
from hickam.issues import did_you_mean, error, invalid, raise_errors
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model

MANIFEST = "_manifest.json"  # readers of Parquet folders skip names with an underscore
SAMPLE = 1 << 20  # bytes at either end of an input file that enter its fingerprint


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that determines the output of a bulk diagnosis."""

    network: str  # embedded name or path, as workers see it
    network_hash: str
    cases: str  # path of a Parquet or JSON Lines file
    fingerprint: str  # of that file
    measure: str = "disablement"
    top: int = 10
    engine: str = "auto"
    options: tuple[tuple[str, float], ...] = ()
    part: int = 1000  # cases per output file

    @property
    def key(self) -> str:
        """A digest of the job; where files lie does not matter."""
        said = asdict(replace(self, network="", cases=""))
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Shard:
    """One task: some rows of the input → one output file."""

    job: Job
    number: int
    start: int  # first case
    count: int
    offset: int  # byte offset of the first case in a text file
    folder: str

    @property
    def key(self) -> str:
        """A digest of everything that determines the result."""
        return f"{self.job.key[:24]}-{self.number:06d}"

    @property
    def path(self) -> Path:
        """Where the result goes."""
        return Path(self.folder) / f"part-{self.number:06d}.parquet"


def make_job(
    network: Model,
    source: str,
    cases: Path,
    *,
    measure: str = "disablement",
    top: int = 10,
    engine: str = "auto",
    options: Mapping[str, float] | None = None,
    part: int = 1000,
) -> Job:
    """The job that arguments describe; all mistakes at once."""
    issues = []
    if measure not in MEASURES:
        issues.append(
            error(f"measure {measure!r}", "is not known", did_you_mean(measure, MEASURES))
        )
    for name, value in (("top", top), ("part", part)):
        if value < 1:
            issues.append(error(f"{name} {value}", "is not positive", "give 1 or more"))
    if not cases.is_file():
        issues.append(error(f"file '{cases}'", "does not exist"))
    elif cases.suffix not in (".parquet", *TEXT_SUFFIXES):
        issues.append(
            error(
                f"file '{cases}'",
                f"has the ending '{cases.suffix}'",
                f"use .parquet, {' or '.join(TEXT_SUFFIXES)}",
            )
        )
    raise_errors(issues)
    place = str(Path(source).resolve()) if Path(source).exists() else source
    said = tuple(sorted((options or {}).items()))
    return Job(
        place,
        network.hash,
        str(cases.resolve()),
        fingerprint(cases),
        measure,
        top,
        engine,
        said,
        part,
    )


def fingerprint(path: Path) -> str:
    """A digest of a file's size and of both its ends: quick for files of any size."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(SAMPLE))
        file.seek(max(0, size - SAMPLE))
        digest.update(file.read(SAMPLE))
    return digest.hexdigest()


def plan(job: Job, folder: Path) -> list[Shard]:
    """The shards of a job in order; what is in the folder must belong to the same job."""
    folder.mkdir(parents=True, exist_ok=True)
    _claim(job, folder)
    path = Path(job.cases)
    starts = _text_starts(path, job.part) if path.suffix in TEXT_SUFFIXES else None
    total = starts[1] if starts else _parquet_rows(path)
    shards = []
    for number, start in enumerate(range(0, total, job.part)):
        offset = starts[0][number] if starts else 0
        count = min(job.part, total - start)
        shards.append(Shard(job, number, start, count, offset, str(folder.resolve())))
    return shards


def _claim(job: Job, folder: Path) -> None:
    """Write the job into the folder, or refuse a folder that holds another one."""
    path = folder / MANIFEST
    if path.exists():
        try:
            known = json.loads(path.read_text()).get("key")
        except ValueError:
            known = None
        if known != job.key:
            what = "holds the output of another job"
            fix = "choose an empty folder: network, cases, measure and options must be the same"
            raise invalid(f"folder '{folder}'", what, fix)
        return
    if any(folder.glob("part-*.parquet")):
        raise invalid(f"folder '{folder}'", "holds parts without a manifest", "choose an empty one")
    said: dict[str, Any] = {"hickam_batch": 1, "key": job.key, **asdict(job)}
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(said, indent=1))
    unfinished.replace(path)


def _parquet_rows(path: Path) -> int:
    """How many rows a Parquet file has, from its footer."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    except (ArrowInvalid, OSError) as bad:
        raise invalid(f"file '{path}'", f"is not Parquet: {bad}") from None


def _text_starts(path: Path, size: int) -> tuple[list[int], int]:
    """(byte offset of every size-th case, number of cases) of a JSON Lines file."""
    starts, total, offset = [], 0, 0
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                if total % size == 0:
                    starts.append(offset)
                total += 1
            offset += len(line)
    return starts, total
