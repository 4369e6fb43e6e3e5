"""What findings would tell, by one inference for each answer: slow and exact, on any model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.advise.answer_chances import chance_of, inferred_from, worst
from hickam.advise.bits import entropy
from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.infer import believe, infer_located, take
from hickam.issues import TooHard
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints

LONGLIST = 32  # findings that are weighed up unless told
FIRST = 1 / 3  # of the time for the case as it is, the rest for the questions


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What every finding asked about would do to the posterior."""

    findings: Ints  # [question]
    chance: Floats  # [question]  P(present | evidence)
    now: Floats  # [disease]
    suspects: Floats  # [disease]  1 for a disease that could cause a present finding, else 0
    if_present: Floats  # [question, disease]
    if_absent: Floats  # [question, disease]
    unweighed: int = 0  # findings that the deadline left no time for
    accuracy: Accuracy | None = None  # of all of them


def information(outcomes: Outcomes) -> Floats:
    """[question] sum over suspected diseases of I(D; S | evidence) in bits, never below 0."""
    chance = outcomes.chance[:, None]
    after = chance * entropy(outcomes.if_present) + (1.0 - chance) * entropy(outcomes.if_absent)
    return np.maximum(entropy(outcomes.now)[None, :] - after, 0.0) @ outcomes.suspects


def outcomes_of(network: Model, case: Case, consider: int, options: Options) -> Outcomes:
    """What the findings worth considering would do, each answered both ways."""
    deadline = Deadline.after(options.get("deadline"))
    stood = infer_located(network, case, "auto", _within(options, deadline, FIRST))
    evidence, now = stood
    asked = np.concatenate([evidence.present, evidence.absent])
    suspects = np.any(now.at_work > 0.0, axis=1).astype(float)
    if not suspects.any():
        suspects = np.ones(len(network.diseases))
    longlist = _longlist(network, now.posterior * suspects, asked)[:consider]
    chance, if_present, if_absent = [], [], []
    kept, found = [], [now]
    unweighed = 0
    for place, finding in enumerate(longlist.tolist()):
        name = network.findings[finding]
        told = replace(case, present=(*case.present, name))
        denied = replace(case, absent=(*case.absent, name))
        if deadline.over:
            unweighed += len(longlist) - place
            break
        try:
            then = infer_located(network, told, "auto", _within(options, deadline))
            limits = take(network, case, _within(options, deadline))[1]
            likely = chance_of(stood, inferred_from(network, stood, told, limits, then))
            if not 0.0 < likely < 1.0:
                continue
            without = take(network, denied, options)[0]
            if np.array_equal(without.likelihood, evidence.likelihood):
                # What is believed now is the mean of the two answers, weighted by their chances.
                absent = (now.posterior - likely * then[1].posterior) / (1.0 - likely)
            else:
                absent = believe(network, without, "auto", limits).posterior
        except TooHard:
            unweighed += 1
            continue
        kept.append(finding)
        found.append(then[1])
        chance.append(likely)
        if_present.append(then[1].posterior)
        if_absent.append(np.clip(absent, 0.0, 1.0))
    shape = (len(kept), len(network.diseases))
    return Outcomes(
        np.array(kept, dtype=np.int64),
        np.array(chance),
        now.posterior,
        suspects,
        np.array(if_present).reshape(shape),
        np.array(if_absent).reshape(shape),
        unweighed,
        max((worst(now, one) for one in found), key=lambda how: how.error),
    )


def _within(options: Options, deadline: Deadline, part: float = 1.0) -> Options:
    """The options with what is left of the time, or a part of it."""
    left = deadline.left
    if left is None:
        return options
    within = options.copy()
    within["deadline"] = part * max(left, 0.0)
    return within


def _longlist(network: Model, posterior: Floats, asked: Ints) -> Ints:
    """The unasked findings that the uncertain diseases cause most, a cheap bound on their value."""
    links = network.effects
    spread = posterior * (1.0 - posterior)
    weight = np.bincount(links.effect, spread[links.cause] * links.acts, len(network.findings))
    weight[asked] = 0.0
    weight[network.finding_leak >= 1.0] = 0.0
    order = np.argsort(-weight, kind="stable")
    return order[weight[order] > 0.0]
