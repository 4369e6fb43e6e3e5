"""One record for each engine, from which command line, service and documentation derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.issues import did_you_mean, invalid

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Engine(Generic[M]):
    """A way to compute beliefs on one kind of model."""

    name: str
    meaning: str  # one line: what it does and when it is right
    run: Callable[[M, Evidence, Limits], Beliefs]


def choose(engines: Mapping[str, Engine[M]], name: str) -> Engine[M]:
    """The engine of this name, or the error that names the nearest one."""
    if not isinstance(name, str) or name not in engines:
        raise invalid(f"engine {name!r}", "is not known here", did_you_mean(str(name), engines))
    return engines[name]
