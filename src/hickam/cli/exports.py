"""Results of one case as files, by the ending of their name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hickam.advise.pairs import Pairs
from hickam.cli.options import Taken
from hickam.exports import FORMS, record_of
from hickam.io.text import write_file
from hickam.issues import error, raise_errors
from hickam.measures.differential import Differential
from hickam.model.kinds import Model

BY_ENDING = {form.ending: form for form in FORMS.values()}


def check_endings(paths: Sequence[str]) -> None:
    """Refuse files of an unknown kind before any work is done."""
    fix = f"use {', '.join(sorted(BY_ENDING))}"
    raise_errors(
        error(f"output file '{path[:200]}'", "has an unknown ending", fix)
        for path in paths
        if Path(path).suffix.lower() not in BY_ENDING
    )


def export(
    path: str, network: Model, taken: Taken, differential: Differential, pairs: Pairs | None
) -> None:
    """Write the answer about one case to a file."""
    record = record_of(
        network,
        taken.case,
        differential,
        pairs=pairs,
        warnings=taken.warnings,
        document=taken.document,
    )
    write_file(Path(path), BY_ENDING[Path(path).suffix.lower()].write(record))
