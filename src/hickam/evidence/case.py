"""What is known about one patient: by name, as the user speaks, and by index, for one network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hickam.issues import Issue, invalid
from hickam.model.adapted import USUAL, Circumstances
from hickam.model.network import Floats, Ints

SEX_WORDS = {"f": "female", "female": "female", "m": "male", "male": "male"}


@dataclass(frozen=True, slots=True)
class Case:
    """One patient's evidence in the user's words: ids, names or synonyms in any letter case.

    A finding in neither `present` nor `absent` is unknown, a risk factor not in `risks` likewise; a
    plain list of risk factors says that all of them are true.
    `likelihoods` gives a likelihood ratio per disease, `categories` the observed value of what is
    not just present or absent: the duration of symptoms, a test result, a temperature as "39.2 C",
    and on a general model the state of any node, such as {"dyspnoea": "severe"}.

    >>> Case(present=["cough"], risks={"smoker": True}).present
    ('cough',)
    """

    present: Sequence[str] = ()
    absent: Sequence[str] = ()
    risks: Mapping[str, bool | None] = field(default_factory=dict)
    likelihoods: Mapping[str, float] = field(default_factory=dict)
    categories: Mapping[str, str | float] = field(default_factory=dict)
    sex: str | None = None
    age: float | None = None
    notes: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        for name in ("present", "absent"):
            value = getattr(self, name)
            if not isinstance(value, Iterable):
                raise invalid(f"'{name}' of a case", f"is {value!r}", "give a list of findings")
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        if isinstance(self.risks, (str, list, tuple, set, frozenset)):
            names = (self.risks,) if isinstance(self.risks, str) else self.risks
            object.__setattr__(self, "risks", dict.fromkeys(names, True))
        for name in ("risks", "likelihoods", "categories"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise invalid(
                    f"'{name}' of a case", f"is {value!r}", "give names with their values"
                )
        if isinstance(self.sex, str):
            object.__setattr__(self, "sex", SEX_WORDS.get(self.sex.strip().casefold(), self.sex))


def joined(first: Case, second: Case) -> Case:
    """What two cases say about one patient; where both name a value, the second counts.

    >>> joined(Case(present=["cough"], age=3), Case(present=["fever"])).present
    ('cough', 'fever')
    """
    return replace(
        first,
        present=(*first.present, *second.present),
        absent=(*first.absent, *second.absent),
        risks={**first.risks, **second.risks},
        likelihoods={**first.likelihoods, **second.likelihoods},
        categories={**first.categories, **second.categories},
        sex=second.sex or first.sex,
        age=first.age if second.age is None else second.age,
        notes=second.notes or first.notes,
        id=second.id or first.id,
    )


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Options of an inference that change the question, all off by default.

    `case_mix` (β) tempers how common diseases are among all patients: likelihood ratio
    prior ** (β - 1), with nothing known of the patient, so 1 keeps the priors. At 0 a disease has
    the odds 1 / (1 - prior), about even for all that are rare; sex, age and risk factors then
    speak for or against it as ever. `dial` (γ) is the Occam–Hickam dial: a world with n diseases
    counts γ ** |n - 1|, 1 for "as many diseases as they please", towards 0 for exactly one.
    `prior_shift` adds to every disease's prior (the convention of the paper's authors' code).
    """

    case_mix: float = 1.0
    dial: float = 1.0
    prior_shift: float = 0.0

    def in_words(self) -> tuple[str, ...]:
        """The assumptions in force, one phrase each; empty when all are off."""
        phrases = []
        if self.case_mix != 1.0:
            phrases.append(f"case mix β = {self.case_mix:g}")
        if self.dial != 1.0:
            phrases.append(f"Occam–Hickam dial γ = {self.dial:g}")
        if self.prior_shift != 0.0:
            phrases.append(f"priors shifted by {self.prior_shift:g}")
        return tuple(phrases)


def _none() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """One case by index into one network; made only by `locate`."""

    present: Ints  # findings
    absent: Ints  # findings
    risks_on: Ints  # risk factors observed to be true
    risks_off: Ints  # risk factors observed to be false
    likelihood: Floats  # [disease]  weight of D = 1 relative to D = 0; 1 says nothing
    in_force: tuple[str, ...] = ()  # every assumption and soft evidence, in words
    # γ of the Occam–Hickam dial. The likelihood holds it once for each disease; the weight of the
    # worlds without a disease is put right when beliefs are finished (`beliefs/dial.py`).
    dial: float = 1.0
    circumstances: Circumstances = USUAL  # what this patient changes in the network
    doubts: tuple[Issue, ...] = ()  # what is entered but not expected of this patient: warnings
    age: float | None = None  # in years
    weighed: Ints = field(default_factory=_none)  # absent findings that do not count in full
    # nodes of a general model by id, seen in a state that the lists above cannot say
    states: Mapping[str, int] = field(default_factory=dict)
