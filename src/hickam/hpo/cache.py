"""A built network is kept in the user's cache folder, by a digest of all that it is made of."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from hickam.hpo.build import Hpo, build
from hickam.hpo.recipe import Recipe
from hickam.hpo.source import find_source
from hickam.hpo.store import LAYOUT, SUFFIX, restore, save
from hickam.issues import InvalidInput
from hickam.keep import is_private


def load(
    source: str | Path | None = None,
    *,
    recipe: Recipe | None = None,
    same: Iterable[tuple[str, str]] = (),
) -> Hpo:
    """The same as `build`, from the cache if it was built before.

    A cached file that is damaged is built again. A folder that others can write to is not used.
    """
    recipe, pairs = recipe or Recipe(), tuple(sorted(same))
    place = None if source is None else str(source)
    return _load(cached_file(source, recipe, pairs), place, recipe, pairs)


def cached_file(
    source: str | Path | None, recipe: Recipe, same: tuple[tuple[str, str], ...] = ()
) -> Path:
    """Where the network of a source is kept."""
    made_of = f"{find_source(source).digest} {recipe!r} {same!r} {LAYOUT}"
    return folder() / f"hpo-{hashlib.sha256(made_of.encode()).hexdigest()[:32]}{SUFFIX}"


def folder() -> Path:
    """The cache folder: HICKAM_CACHE, or `hickam` in the user's own."""
    named = os.environ.get("HICKAM_CACHE")
    if named:
        return Path(named)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "hickam"


@lru_cache(maxsize=2)
def _load(path: Path, source: str | None, recipe: Recipe, same: tuple[tuple[str, str], ...]) -> Hpo:
    """The network that a cached file holds or will hold; its name tells the content."""
    if is_private(path.parent) and path.is_file():
        try:
            return restore(path)
        except InvalidInput:
            pass  # damaged: built again
    hpo = build(source, recipe=recipe, same=same)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(path.parent):
            save(hpo, path)
    except (OSError, InvalidInput):
        pass  # no cache, no harm
    return hpo
