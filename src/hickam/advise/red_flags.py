"""Red flags: dangerous diseases that the findings leave possible, and how to exclude each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hickam.advise.questions import cost_of
from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.case import Evidence
from hickam.model.kinds import Model
from hickam.model.network import Floats
from hickam.words import counted, factor, percent

# How likely a disease must be to cause one of the present findings, by its urgency.
NOTED = {"emergency": 0.01, "urgent": 0.05}
SHOWN = 5
LIKELY = 0.5
EXCLUDES = 0.25  # a finding that a disease causes so often can speak against it by its absence
NONE = "No emergency or urgent disease of this network is a likely cause of these findings."


@dataclass(frozen=True, slots=True)
class RedFlag:
    """A dangerous disease that could be causing a present finding and is not yet excluded."""

    disease: str
    name: str
    urgency: str
    chance: float  # P(it would keep up the finding below by itself | evidence)
    explains: str  # the present finding that it most likely causes
    ask: str | None  # the unknown finding whose absence would speak most against it
    against: float | None  # the factor on its odds if that finding is absent
    reason: str


@dataclass(frozen=True, slots=True)
class RedFlags:
    """The red flags, the most likely of the most dangerous first; maybe none."""

    flags: tuple[RedFlag, ...]
    left_out: int = 0  # that there was no room for

    def __len__(self) -> int:
        return len(self.flags)

    @property
    def in_words(self) -> str:
        """What to say about the list as a whole."""
        if not self.flags:
            return NONE
        more = f", and {counted(self.left_out, 'other')} less likely" if self.left_out else ""
        return f"{counted(len(self.flags), 'dangerous cause')} not yet excluded{more}."

    def to_dict(self) -> dict[str, Any]:
        """The red flags as plain values, ready for JSON."""
        return {"in_words": self.in_words, "flags": [asdict(flag) for flag in self.flags]}


def causing(beliefs: Beliefs) -> Floats:
    """[disease] how likely each is to be a cause of a present finding: of the one it causes most.

    A lower bound on the chance that it causes any of them.
    """
    if not len(beliefs.present):
        return np.zeros(len(beliefs.posterior))
    return beliefs.sustained.max(axis=1)


def red_flags(
    network: Model,
    evidence: Evidence,
    beliefs: Beliefs,
    *,
    skip: Collection[str] = (),
    noted: Mapping[str, float] = NOTED,
    top: int = SHOWN,
) -> RedFlags:
    """The dangerous diseases that may be causing a present finding, each with its reason.

    A disease that explains no present finding is never here, however likely it is. `skip` names
    findings that cannot be asked about, such as what the patient does not know.
    """
    chance = causing(beliefs)
    classes = list(noted)
    found = []
    for position, disease in enumerate(network.diseases):
        urgency = network.entries[disease].urgency
        if urgency in noted and chance[position] >= noted[urgency]:
            found.append((classes.index(urgency), -float(chance[position]), position))
    found.sort()
    flags = tuple(_flag(network, evidence, beliefs, at, skip) for _, _, at in found[:top])
    return RedFlags(flags, len(found) - len(flags))


def _flag(
    network: Model, evidence: Evidence, beliefs: Beliefs, disease: int, skip: Collection[str]
) -> RedFlag:
    """One red flag with its words."""
    entry = network.entries[network.diseases[disease]]
    sustained = beliefs.sustained[disease]
    explained = network.label(beliefs.present[int(np.argmax(sustained))])
    chance = float(sustained.max())
    ask = _excluding(network, evidence, disease, skip)
    likely = "is the likely cause" if chance >= LIKELY else "would explain it"
    reason = f"{explained}: {entry.name.lower()} {likely} ({percent(chance)})"
    if ask is None:
        return RedFlag(
            *(entry.id, entry.name, entry.urgency, chance, explained, None, None),
            f"{reason}; nothing left to ask would exclude it.",
        )
    finding, fails = ask
    name = network.label(finding).lower()
    reason += f". Ask about {name}: without it the odds are {factor(fails)}."
    return RedFlag(entry.id, entry.name, entry.urgency, chance, explained, finding, fails, reason)


def _excluding(
    network: Model, evidence: Evidence, disease: int, skip: Collection[str]
) -> tuple[str, float] | None:
    """The unknown finding whose absence speaks most against a disease for its cost, and its λ."""
    links = network.effects
    row = links.of_cause(disease)
    known = {*evidence.present.tolist(), *evidence.absent.tolist()}
    best: tuple[float, str, float] | None = None
    for finding, acts, fails in zip(
        links.effect[row].tolist(), links.acts[row].tolist(), links.fails[row].tolist(), strict=True
    ):
        name = network.findings[finding]
        if finding in known or name in skip or acts < EXCLUDES:
            continue
        power = -np.log(max(fails, 1e-12)) / max(cost_of(network, name, {}), 1e-9)
        if best is None or power > best[0]:
            best = (power, name, fails)
    return None if best is None else best[1:]
