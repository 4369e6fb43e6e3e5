"""What a bulk diagnosis is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hickam.infer import engines_of
from hickam.io.cases import TEXT_SUFFIXES
from hickam.issues import did_you_mean, error, raise_errors
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.work.task import digest, fingerprint


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that determines the output of a bulk diagnosis, but for Hickam's version."""

    network: str  # embedded name or path, as workers see it
    network_hash: str
    cases: str  # path of a Parquet or JSON Lines file
    fingerprint: str  # of that file's whole content
    measure: str = "disablement"
    top: int = 10
    engine: str = "auto"
    options: tuple[tuple[str, float], ...] = ()
    part: int = 1000  # cases per output file

    @property
    def key(self) -> str:
        """A digest of the job; where files lie does not matter."""
        return digest(asdict(replace(self, network="", cases="")))


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
    for kind, name, known in (
        ("measure", measure, MEASURES),
        ("engine", engine, engines_of(network)),
    ):
        if name not in known:
            issues.append(error(f"{kind} {name!r}", "is not known", did_you_mean(name, known)))
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
    path = str(cases.resolve())
    print_of = fingerprint(cases)
    return Job(place, network.hash, path, print_of, measure, top, engine, said, part)
