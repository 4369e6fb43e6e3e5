"""Where learning stands, kept in a folder after every step: the same command goes on from there."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from hickam.issues import invalid
from hickam.learn.em import State
from hickam.work.folder import claim
from hickam.work.parts import write_whole

STATE = "state.npz"


def claimed(folder: Path, identity: Mapping[str, Any], name: str, size: int) -> State | None:
    """Where learning of so many numbers stands; a folder of something else is refused."""
    claim(folder, "learning", dict(identity), {"name": name, **identity}, traces=STATE)
    return read_state(folder, size)


def keep_state(folder: Path, state: State) -> None:
    """Write where learning stands, whole or not at all."""
    sink = io.BytesIO()
    none = np.zeros(0)
    np.savez(
        sink,
        values=state.values,
        history=np.array(state.history),
        path=np.array(state.path).reshape(len(state.path), len(state.values)),
        reach=state.reach,
        looks=state.looks,
        plain=none if state.plain is None else state.plain,
        done=state.done,
    )
    write_whole(folder / STATE, sink.getvalue())


def read_state(folder: Path, size: int) -> State | None:
    """The state that was kept of so many numbers, or None; one that is damaged is refused."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
            return _checked(kept, size)
    except (OSError, ValueError, TypeError, LookupError, EOFError, AttributeError, BadZipFile):
        fix = "remove it to learn from the beginning"
        raise invalid(f"file '{path}'", "is damaged: no step can be read from it", fix) from None


def _checked(kept: Any, size: int) -> State:
    """A state from arrays; ValueError if they are not what was kept."""
    values, plain, path = (np.asarray(kept[name]) for name in ("values", "plain", "path"))
    points = [values, *path, *([plain] if plain.size else [])]
    if any(point.shape != (size,) or not np.isfinite(point).all() for point in points):
        raise ValueError("points of another size")
    history = tuple(float(level) for level in kept["history"].tolist())
    reach, looks = float(kept["reach"]), int(kept["looks"])
    if not (np.isfinite([reach, *history]).all() and reach >= 1.0 and looks >= len(history) > 0):
        raise ValueError("steps that cannot be")
    return State(
        values, history, tuple(path), reach, looks, plain if plain.size else None,
        bool(kept["done"]),
    )  # fmt: skip
