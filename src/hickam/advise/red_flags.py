"""Red flags: dangerous diseases that the findings leave possible, and how to exclude each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hickam.advise.alarms import raised
from hickam.advise.bearers import too_early
from hickam.advise.costs import cost_of
from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.case import Evidence
from hickam.evidence.implied import implied
from hickam.model.kinds import Model
from hickam.model.network import URGENT, Floats
from hickam.words import counted, percent

# How likely a disease must be to cause one of the present findings, by its urgency: in general, and
# if it often causes each of several present findings, as meningitis does fever with headache.
NOTED = {"emergency": 0.01, "urgent": 0.05}
FITTING = {"emergency": 0.001, "urgent": 0.02}
OFTEN = 0.4
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
    chance: float  # P(it is at work on the finding below | evidence), at least
    explains: str  # the present finding that it most likely causes
    ask: str | None  # unless it is likely: the unknown finding whose absence speaks most against
    against: float | None  # how often the disease does not cause that finding: its λ
    reason: str


@dataclass(frozen=True, slots=True)
class RedFlags:
    """The red flags, the most likely of the most dangerous first; maybe none."""

    flags: tuple[RedFlag, ...]
    left_out: int = 0  # that there was no room for
    alarms: tuple[str, ...] = ()  # the most urgent alarm signs, in words

    def __len__(self) -> int:
        return len(self.flags)

    @property
    def in_words(self) -> str:
        """What to say about the list as a whole."""
        if not self.flags:
            return (
                f"{NONE} That does not reassure: {'; '.join(self.alarms)}." if self.alarms else NONE
            )
        more = f", and {counted(self.left_out, 'other')} less likely" if self.left_out else ""
        signs = f" Besides, {'; '.join(self.alarms)}." if self.alarms else ""
        return f"{counted(len(self.flags), 'dangerous cause')} not yet excluded{more}.{signs}"

    def to_dict(self) -> dict[str, Any]:
        """The red flags as plain values, ready for JSON."""
        return {"in_words": self.in_words, "flags": [asdict(flag) for flag in self.flags]}


def causing(beliefs: Beliefs) -> Floats:
    """[disease] how likely each is to be a cause of a present finding: of the one it causes most.

    A lower bound on the chance that it causes any of them.
    """
    if not len(beliefs.present):
        return np.zeros(len(beliefs.posterior))
    return np.asarray(beliefs.at_work.max(axis=1))


def red_flags(
    network: Model,
    evidence: Evidence,
    beliefs: Beliefs,
    *,
    skip: Collection[str] = (),
    top: int = SHOWN,
) -> RedFlags:
    """The dangerous diseases that may be causing a present finding, each with its reason.

    A disease that explains no present finding is never here, however likely it is. `skip` names
    findings that cannot be asked about, such as what the patient does not know.
    """
    chance = causing(beliefs)
    fits = _fits(network, evidence)
    skip = frozenset((*skip, *too_early(network, evidence)))
    classes = list(NOTED)
    found = []
    for position, disease in enumerate(network.diseases):
        urgency = network.entries[disease].urgency
        least = FITTING if fits[position] else NOTED
        if urgency in least and chance[position] >= least[urgency]:
            found.append((classes.index(urgency), -float(chance[position]), position))
    found.sort()
    flags = tuple(_flag(network, evidence, beliefs, at, skip) for _, _, at in found[:top])
    signs = raised(network, evidence)
    alarms = tuple(a.reason for a in signs if a.urgency in URGENT and a.urgency == signs[0].urgency)
    return RedFlags(flags, len(found) - len(flags), alarms)


def _fits(network: Model, evidence: Evidence) -> npt.NDArray[np.bool_]:
    """[disease] whether it often causes each of two or more present findings."""
    links = network.effects
    often = np.isin(links.effect, evidence.present) & (links.acts >= OFTEN)
    count = np.bincount(links.cause[often], minlength=len(network.diseases))
    return count >= max(len(evidence.present), 2)


def _flag(
    network: Model, evidence: Evidence, beliefs: Beliefs, disease: int, skip: Collection[str]
) -> RedFlag:
    """One red flag with its words."""
    entry = network.entries[network.diseases[disease]]
    at_work = beliefs.at_work[disease]
    explained = network.label(beliefs.present[int(np.argmax(at_work))])
    chance = float(at_work.max())
    if chance >= LIKELY:
        reason = f"{explained}: {entry.name.lower()} is the likely cause ({percent(chance)})."
        return RedFlag(entry.id, entry.name, entry.urgency, chance, explained, None, None, reason)
    reason = f"{explained}: {entry.name.lower()} would explain it ({percent(chance)})"
    ask = _excluding(network, evidence, beliefs, disease, skip)
    if ask is None:
        reason += "; nothing left to ask would exclude it."
        return RedFlag(entry.id, entry.name, entry.urgency, chance, explained, None, None, reason)
    finding, fails = ask
    name = network.label(finding).lower()
    if fails == 0.0:
        reason += f". Ask about {name}: if it is absent, ruled out."
    else:
        reason += f". Ask about {name}, which it causes in {percent(1.0 - fails)}."
    return RedFlag(entry.id, entry.name, entry.urgency, chance, explained, finding, fails, reason)


def _excluding(
    network: Model,
    evidence: Evidence,
    beliefs: Beliefs,
    disease: int,
    skip: Collection[str],
) -> tuple[str, float] | None:
    """The unknown finding that best tells a disease from all else, for its cost, and its λ.

    Best is the difference between how often the disease causes it and how often it is there
    anyway: a finding that everybody has excludes nothing when it is present.
    """
    links = network.effects
    known = implied(network, evidence)
    anyway = _anyway(network, beliefs)
    best: tuple[float, str, float] | None = None
    row = links.of_cause(disease)
    for finding, acts, fails in zip(
        links.effect[row].tolist(), links.acts[row].tolist(), links.fails[row].tolist(), strict=True
    ):
        name = network.findings[finding]
        if name in known or name in skip or acts < EXCLUDES:
            continue
        tells = (acts - float(anyway[finding])) / max(cost_of(network, name, {}), 1e-9)
        if best is None or tells > best[0]:
            best = (tells, name, fails)
    return None if best is None else best[1:]


def _anyway(network: Model, beliefs: Beliefs) -> Floats:
    """[finding] about how likely it is to be there, each disease taken on its own."""
    links = network.effects
    fired = np.minimum(beliefs.posterior[links.cause] * links.acts, 1.0 - 1e-12)
    quiet = np.bincount(links.effect, np.log1p(-fired), len(network.findings))
    return 1.0 - (1.0 - network.finding_leak) * np.exp(quiet)
