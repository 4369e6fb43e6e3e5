"""The forms in which a network is kept.

Loading, saving, `convert`, uploads and their messages derive from this list: a new form is one file
that makes a `Format`, and one line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from hickam.io.associations import ASSOCIATIONS
from hickam.io.csv_folder import CSV
from hickam.io.foreign.forms import FOREIGN
from hickam.io.form import Format
from hickam.io.network_text import JSON, YAML
from hickam.issues import invalid

FORMATS: list[Format] = [YAML, JSON, *FOREIGN, ASSOCIATIONS, CSV]
COMPRESSED = ".gz"  # any single file may be, and is read all the same
SHOWN = 20  # characters of an unknown ending


def register(form: Format) -> None:
    """Make a form known everywhere; one with the same name is replaced."""
    FORMATS[:] = [known for known in FORMATS if known.name != form.name] + [form]


def readable() -> list[Format]:
    """The forms that can be read."""
    return [form for form in FORMATS if form.read]


def writable() -> list[Format]:
    """The forms that can be written."""
    return [form for form in FORMATS if form.write]


def upload_suffixes() -> tuple[str, ...]:
    """The endings of single files that can be read, as a page's file chooser takes them."""
    return tuple(suffix for form in readable() for suffix in form.suffixes)


def upload_suffix(file: str) -> str:
    """The ending of an uploaded file's name; one that cannot be read is an error."""
    files = [form for form in readable() if not form.is_folder]
    _find(file, _ending(file), files)
    return "".join(PurePath(file).suffixes[-1 - file.lower().endswith(COMPRESSED) :]).lower()


def reader_of(path: Path) -> Format:
    """The form of what is at a path."""
    return _find(str(path), "" if path.is_dir() else _ending(path.name), readable())


def writer_of(path: Path) -> Format:
    """The form that a path asks for; one without an ending, or a folder, is for sheets."""
    return _find(str(path), "" if path.is_dir() else path.suffix.lower(), writable())


def listed(forms: Sequence[Format]) -> str:
    """The forms in words.

    >>> listed([YAML, CSV])
    '.yaml, .yml or a folder of CSV files'
    """
    parts = [suffix for form in forms for suffix in form.suffixes]
    parts += [form.meaning for form in forms if form.is_folder]
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _ending(file: str) -> str:
    """The ending that says what a file is; that of a compressed file is the one before.

    >>> _ending("alarm.BIF.gz")
    '.bif'
    """
    name = PurePath(file)
    if name.suffix.lower() == COMPRESSED:
        name = PurePath(name.stem)
    return name.suffix.lower()


def _find(file: str, suffix: str, forms: Sequence[Format]) -> Format:
    """The form of an ending; the empty one belongs to folders."""
    for form in forms:
        if suffix in form.suffixes or (not suffix and form.is_folder):
            return form
    what = f"has the ending '{suffix[:SHOWN]}'" if suffix else "has no ending"
    raise invalid(f"file '{file[:200]}'", what, f"use {listed(forms)}")
