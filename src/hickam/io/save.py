"""`hickam.io.save`: a network → a file or folder in any form that can be written."""

from __future__ import annotations

from pathlib import Path

from hickam.io.form import Format
from hickam.io.formats import writer_of
from hickam.issues import invalid
from hickam.model.kinds import Model


def save(network: Model, path: str | Path, *, replace: bool = True) -> Format:
    """Write a network in the form that the ending chooses, and return that form.

    A path without an ending becomes a folder of CSV files. Without `replace`, what is there already
    is refused instead of overwritten.
    """
    path = Path(path)
    form = writer_of(path)
    if not replace:
        taken = _taken(path, form)
        if taken:
            raise invalid(f"'{taken}'", "is there already", "give --force to overwrite it")
    assert form.write is not None
    form.write(network, path)
    return form


def _taken(path: Path, form: Format) -> Path | None:
    """What writing would overwrite, if there is anything."""
    if form.is_folder and path.is_dir():
        return next((path / name for name in form.owned if (path / name).exists()), None)
    return path if path.exists() or path.is_symlink() else None
