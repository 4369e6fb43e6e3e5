"""One record for each engine, from which command line, service and documentation derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.issues import did_you_mean, invalid
from hickam.nearest import Nearest

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Engine(Generic[M]):
    """A way to compute beliefs on one kind of model."""

    name: str
    meaning: str  # one line: what it does and when it is right
    run: Callable[[M, Evidence, Limits], Beliefs]


def choose(engines: Mapping[str, Engine[M]], name: str) -> Engine[M]:
    """The engine of this name, or the error that names the nearest one, or else all."""
    if not isinstance(name, str) or name not in engines:
        known = Nearest(engines)
        near = isinstance(name, str) and known.close(name)
        every = "choose one of " + ", ".join(f"'{one}'" for one in engines)
        fix = did_you_mean(name, known) if near else every
        raise invalid(f"engine {name!r}", "is not known here", fix)
    return engines[name]
