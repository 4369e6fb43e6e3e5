"""Where learning stands, kept in a folder after every step: the same command goes on from there."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hickam.learn.em import State
from hickam.work.folder import claim
from hickam.work.parts import write_whole

STATE = "state.npz"


def claimed(folder: Path, identity: Mapping[str, Any], name: str) -> State | None:
    """Where learning in a folder stands; a folder of something else is refused."""
    claim(folder, "learning", dict(identity), {"name": name, **identity}, traces=STATE)
    return read_state(folder)


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


def read_state(folder: Path) -> State | None:
    """The state that was kept; None if there is none, or none that can be read."""
    try:
        with np.load(folder / STATE, allow_pickle=False) as kept:
            plain = kept["plain"]
            return State(
                kept["values"],
                tuple(kept["history"].tolist()),
                tuple(kept["path"]),
                float(kept["reach"]),
                int(kept["looks"]),
                plain if len(plain) else None,
                bool(kept["done"]),
            )
    except (OSError, ValueError, KeyError, EOFError):
        return None
