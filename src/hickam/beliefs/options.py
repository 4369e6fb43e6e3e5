"""Options of an inference: assumptions change the question, limits bound the answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from hickam.evidence.assume import check_assumptions
from hickam.evidence.case import Assumptions
from hickam.issues import did_you_mean, error, raise_errors


class Options(TypedDict, total=False):
    """Keyword options of `infer`, `infer_many` and `diagnose`; each has a default."""

    case_mix: float  # β, 1: the network's priors; 0: every disease about equally common
    dial: float  # γ, 1: as many diseases as they please; towards 0: exactly one
    prior_shift: float  # added to every disease's prior
    tolerance: float  # error asked for, relative to max(|score|, 1e-3)
    deadline: float | None  # seconds
    memory: int  # bytes
    seed: int  # of sampled answers


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may cost and how good it must be; see `Options`."""

    tolerance: float = 1e-3
    deadline: float | None = None
    memory: int = 2_000_000_000
    seed: int = 0


ASSUMPTIONS = ("case_mix", "dial", "prior_shift")
MOST_SEED = 2**63 - 1  # what a kernel takes, with room for seeds that are derived from it
LIMITS = ("tolerance", "deadline", "memory", "seed")


def read_options(options: Mapping[str, object]) -> tuple[Assumptions, Limits]:
    """The assumptions and limits among keyword options; bad ones are reported at once."""
    issues = []
    for name, value in options.items():
        where = f"option '{name}'"
        if name not in (*ASSUMPTIONS, *LIMITS):
            issues.append(error(where, "is not known", did_you_mean(name, (*ASSUMPTIONS, *LIMITS))))
        elif value is None and name == "deadline":
            continue
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            issues.append(error(where, f"is {value!r}, not a number"))
        elif name == "seed":
            if not isinstance(value, int) or not 0 <= value <= MOST_SEED:
                fix = f"give a whole number from 0 to {MOST_SEED}"
                issues.append(error(where, f"is {value!r}", fix))
        elif not 0.0 <= value <= sys.float_info.max:
            issues.append(error(where, f"is {value!r}", "give a finite number >= 0"))
    raise_errors(issues)
    assumptions = {name: options[name] for name in ASSUMPTIONS if name in options}
    limits = {name: options[name] for name in LIMITS if name in options}
    assumed = Assumptions(**assumptions)  # type: ignore[arg-type]
    raise_errors(check_assumptions(assumed))
    return assumed, Limits(**limits)  # type: ignore[arg-type]
