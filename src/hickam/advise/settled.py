"""When asking may stop: the first cause is settled, or it is an emergency and time to act."""

from __future__ import annotations

import numpy as np

from hickam.advise.estimates import Estimate
from hickam.advise.questions import Question
from hickam.advise.red_flags import RedFlags
from hickam.beliefs.beliefs import Beliefs
from hickam.model.kinds import Model
from hickam.model.network import URGENCY_CLASSES
from hickam.words import counted, percent

SETTLED = 0.95  # how surely the first cause explains the findings, on average
LEAST = 0.8  # and each of them
RIVAL = 0.1  # from this chance on another cause, or an answer, counts at that point
ACT = 0.9  # how surely an emergency causes a finding when it is time to act
UNLIKELY = 0.5  # an answer that leaves the emergency less likely than this changes what to do
EMERGENCY = URGENCY_CLASSES[0]
UNEXPLAINED = 0.5  # a finding that nothing known causes with this chance is unexplained


def settled_by(model: Model, beliefs: Beliefs, flags: RedFlags) -> str:
    """Why the first cause is settled, in words; empty while it is not.

    It is settled once one disease explains every finding that has a cause in the model, and no
    more urgent cause is left to exclude.
    """
    if not beliefs.present:
        return ""
    first = int(beliefs.disabled.sum(axis=1).argmax())
    kept = beliefs.at_work[first]
    caused = kept[beliefs.unexplained < UNEXPLAINED]
    disease = model.diseases[first]
    worse = URGENCY_CLASSES[: _class_of(model, disease)]
    if not len(caused) or any(flag.urgency in worse for flag in flags.flags):
        return ""
    mean = float(caused.mean())
    sure = mean >= SETTLED and caused.min() >= LEAST
    if not sure and not _unrivalled(beliefs, first):
        return ""
    left = len(kept) - len(caused)
    rest = f"; {counted(left, 'finding')} may have no cause in this network" if left else ""
    return (
        f"The first cause is settled: {model.label(disease)} explains the findings "
        f"with {percent(mean)} on average{rest}."
    )


def act_now(model: Model, beliefs: Beliefs, asked: Question | Estimate) -> str:
    """Why to act instead of asking on, in words; empty while there is no such reason.

    An emergency leads and almost surely causes a finding, no other emergency is likely to, and the
    best question left hardly has an answer that makes it unlikely.
    """
    if not beliefs.present:
        return ""
    first = int(beliefs.disabled.sum(axis=1).argmax())
    disease = model.diseases[first]
    causes = beliefs.at_work.max(axis=1)
    dangerous = np.array([model.entries[name].urgency == EMERGENCY for name in model.diseases])
    others = np.delete(causes * dangerous, first)
    if not dangerous[first] or causes[first] < ACT or others.max(initial=0.0) >= RIVAL:
        return ""
    for move in asked.moves:
        then = zip(asked.chances, move.after.values(), strict=True)
        if move.disease == disease and any(p >= RIVAL and left < UNLIKELY for p, left in then):
            return ""
    found = model.label(beliefs.present[int(beliefs.at_work[first].argmax())])
    return (
        f"Act now: {model.label(disease)}, an emergency, is a cause of {found} with "
        f"{percent(float(causes[first]))}, and the next answer would not change what to do."
    )


def _unrivalled(beliefs: Beliefs, first: int) -> bool:
    """Whether the leading disease is surely there and no other is likely to cause a finding.

    What many things cause, such as fatigue, is then left to it or to nothing known.
    """
    rivals = np.delete(beliefs.disabled, first, axis=0)
    return bool(beliefs.posterior[first] >= SETTLED and rivals.max(initial=0.0) < RIVAL)


def _class_of(model: Model, disease: str) -> int:
    """How many classes of urgency are above that of a disease."""
    urgency = model.entries[disease].urgency
    return URGENCY_CLASSES.index(urgency) if urgency in URGENCY_CLASSES else len(URGENCY_CLASSES)
