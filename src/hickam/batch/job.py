"""What a bulk diagnosis is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hickam.infer import engines_of
from hickam.io.case_files import document_files
from hickam.io.cases import check_cases
from hickam.issues import InvalidInput, did_you_mean, error, raise_errors
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.work.task import digest, fingerprint


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that determines the output of a bulk diagnosis, but for Hickam's version."""

    network: str  # embedded name or path, as workers see it
    network_hash: str
    cases: str  # path of a file or a folder of cases
    fingerprint: str  # of its whole content
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
    try:
        check_cases(cases)
    except InvalidInput as bad:
        issues += bad.issues
    raise_errors(issues)
    place = str(Path(source).resolve()) if Path(source).exists() else source
    said = tuple(sorted((options or {}).items()))
    path = str(cases.resolve())
    print_of = fingerprint_of(cases)
    return Job(place, network.hash, path, print_of, measure, top, engine, said, part)


def fingerprint_of(cases: Path) -> str:
    """A digest of a file's content, or of the names and contents of all documents of a folder."""
    if not cases.is_dir():
        return fingerprint(cases)
    files = document_files(cases)
    return digest([(str(file.relative_to(cases)), fingerprint(file)) for file in files])
