"""Results of one case as files, by the ending of their name."""

from __future__ import annotations

from pathlib import Path

from hickam.advise.pairs import Pairs
from hickam.cli.options import Taken
from hickam.exports import FORMS, record_of
from hickam.io.text import write_file
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.trust.robust import Robustness

BY_ENDING = {form.ending: form for form in FORMS.values()}


def export(
    path: str,
    network: Model,
    taken: Taken,
    differential: Differential,
    pairs: Pairs | None,
    robustness: Robustness | None,
) -> None:
    """Write the answer about one case to a file."""
    record = record_of(
        network,
        taken.case,
        differential,
        pairs=pairs,
        robustness=robustness,
        warnings=taken.warnings,
        document=taken.document,
    )
    write_file(Path(path), BY_ENDING[Path(path).suffix.lower()].write(record))
