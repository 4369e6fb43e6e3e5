"""What a form of a network is: how it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hickam.issues import Issue
from hickam.model.kinds import Model

Reading: TypeAlias = "tuple[Model | None, list[Issue]]"


@dataclass(frozen=True, slots=True)
class Format:
    """One form of a network.

    `suffixes` are lower case, the usual one first; a folder has none. `read` takes a path and
    whether warnings should be placed by line too; without `read` or `write` the form goes one way
    only. `owned` lists what a folder of this form may hold, all of which writing replaces.
    """

    name: str
    suffixes: tuple[str, ...]
    meaning: str  # "a YAML file", for help and messages
    read: Callable[[Path, bool], Reading] | None = None
    write: Callable[[Model, Path], None] | None = None
    owned: tuple[str, ...] = ()
    read_by: str = ""  # other programs that read what is written right, and those that do not

    @property
    def is_folder(self) -> bool:
        """Whether the form is a folder of files."""
        return not self.suffixes
