"""What a report says about where its numbers come from."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from hickam.report.page import code, folded, section, table, text
from hickam.study.design import Setting
from hickam.study.results import SETTING, Answered, Results

PACKAGES = ("hickam", "numpy", "pyarrow", "matplotlib")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Versions, hashes and the command that made a report."""

    command: str
    files: dict[str, str] = field(default_factory=dict)  # path → sha256
    versions: dict[str, str] = field(default_factory=dict)
    made: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def provenance(results: Results, command: str, study_file: Path | None, made: str) -> Provenance:
    """The provenance of results: every input file by its digest, every package by its version."""
    sources = [study_file, _path(results.study.network), _path(results.study.vignettes)]
    files = {}
    for path in sources:
        if path is not None and path.is_file():
            files[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    versions = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return Provenance(command, files, versions, made)


def _path(source: object) -> Path | None:
    """The file that a source names, if it names one."""
    if isinstance(source, dict):
        source = source.get("authors")
    return Path(source) if isinstance(source, str) else None


def method_section(results: Results) -> str:
    """Network, vignettes, settings, inference and statistics in words."""
    network, study = results.network, results.study
    said = [
        f"Network: {network.name}, {len(network.risk_factors)} risk factors, "
        f"{len(network.diseases)} diseases, {len(network.findings)} findings, "
        f"{len(network.causes) + len(network.effects)} links.",
        f"Vignettes: {len(results.vignettes)} judged, {len(results.excluded)} excluded, of which "
        f"{results.unreadable} could not be read. A vignette "
        "with several true diseases counts by the best placed of them. Equal scores stand in order "
        "of the posterior, and the truth behind every disease equal in both.",
        "Measures: the posterior probability; expected disablement, the expected number of present "
        "findings that curing the disease would remove; expected sufficiency, the expected number "
        "that would stay with every other cause switched off; the single-fault posterior.",
        "Standard errors of accuracies are sqrt(p (1 − p) / n); intervals are Wilson's "
        f"(accuracies) or percentile bootstrap with {study.bootstrap} resamples (differences), "
        "widened to the exact interval of McNemar's test where accuracies are compared. "
        f"Seed {study.seed}.",
    ]
    return section(
        "method", "Method", *(text(words) for words in said), _settings(results, study.settings)
    )


def _settings(results: Results, settings: tuple[Setting, ...]) -> str:
    """The settings, and how the inference of every stage went."""
    meaning = {setting.name: setting.in_words() for setting in settings}
    lines = [
        [went.setting, meaning[went.setting], *_went(went)]
        for went in results.answered
        if went.stage == SETTING
    ]
    others = [
        [f"{went.stage}: {went.setting}", *_went(went)]
        for went in results.answered
        if went.stage != SETTING
    ]
    note = (
        "Stated errors are relative to max(score, 0.001); a vignette not answered counts as "
        f"missed. Asked for: {results.study.tolerance:g}."
    )
    parts = table(["setting", "assumptions", *WENT], lines, note, words=(0, 1, 2))
    if others:
        rest = table(["cell", *WENT], others, words=(0, 1))
        parts += folded("Inference in every cell of the grid and of the second opinions", rest)
    return parts


WENT = ("engines", "cases", "exact", "largest stated error", "over what was asked", "not answered")


def _went(went: Answered) -> list[object]:
    """How the inference of one cell went, as cells of a table."""
    engines = ", ".join(f"{name} {count}" for name, count in went.engines.items())
    largest = f"{went.largest_error:.1e}"
    return [engines, went.cases, went.exact, largest, went.over, len(went.problems)]


def inference_notes(results: Results, stage: str) -> list[str]:
    """A warning if answers of a stage are less exact than was asked for; nothing if none is."""
    cells = [went for went in results.answered if went.stage == stage]
    worse = [went for went in cells if went.over or went.problems]
    if not worse:
        return []
    largest = max(worse, key=lambda went: went.largest_error)
    over, missing = sum(w.over for w in worse), sum(len(w.problems) for w in worse)
    total, asked = sum(went.cases for went in cells), results.study.tolerance
    said = (
        f"Inexact: in {len(worse)} of {len(cells)} cells of the {stage} some answers are less "
        f"exact than asked for ({asked:g}): {over} of {total} answers, {missing} not answered; "
        f"the largest stated error is "
        f"{largest.largest_error:.2g} of a score ({largest.setting})."
    )
    return [text(said, "warn")]


def problems_section(results: Results) -> str:
    """Every problem in the input, counted by kind."""
    kinds = Counter((str(issue.level), _kind(issue.what), issue.fix) for issue in results.issues)
    went = {v: why for a in results.answered for v, why in a.problems.items()}
    parts = []
    if kinds:
        lines = [[count, *kind] for kind, count in kinds.most_common(30)]
        parts.append(table(["count", "level", "what", "done"], lines, words=(1, 2, 3)))
        every = [[issue.where, issue.what, issue.fix] for issue in results.issues[:2000]]
        parts.append(
            folded("Every one of them", table(["where", "what", "done"], every, words=(0, 1, 2)))
        )
    if went:
        parts.append(
            folded(
                "Vignettes that could not be answered",
                table(["vignette", "why"], list(went.items()), words=(0, 1)),
            )
        )
    if not parts:
        parts.append(text("None.", "soft"))
    return section("problems", "Problems in the input, and what was done", *parts)


def _kind(what: str) -> str:
    """What is wrong without the particulars.

    >>> _kind("is unsure of 'fever' with λ 0.5")
    'is unsure of … with λ …'
    """
    quoted = what.split("'")
    bare = "…".join(quoted[::2]) if len(quoted) % 2 else what
    words = ["…" if any(c.isdigit() for c in word) else word for word in bare.split()]
    return " ".join(words)[:120]


def provenance_section(results: Results, origin: Provenance) -> str:
    """The command to reproduce, versions and hashes."""
    lines = [["network content", results.network.hash]]
    lines += [[name, digest] for name, digest in origin.files.items()]
    versions = [[name, version] for name, version in origin.versions.items()]
    return section(
        "reproduce",
        "Reproduce",
        code(origin.command),
        table(["file", "sha256"], lines, words=(0, 1)),
        table(["package", "version"], versions, words=(0, 1)),
        text(
            f"Made {origin.made}. For research and education, not for clinical use.", "small soft"
        ),
    )
