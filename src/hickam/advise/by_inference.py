"""What findings would tell, by one inference for each answer: slow and exact, on any model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hickam.advise.bits import entropy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.infer import infer, infer_located
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


def information(outcomes: Outcomes) -> Floats:
    """[question] sum over suspected diseases of I(D; S | evidence) in bits, never below 0."""
    chance = outcomes.chance[:, None]
    after = chance * entropy(outcomes.if_present) + (1.0 - chance) * entropy(outcomes.if_absent)
    return np.maximum(entropy(outcomes.now)[None, :] - after, 0.0) @ outcomes.suspects


def outcomes_of(network: Model, case: Case, consider: int, options: Options) -> Outcomes:
    """What the findings worth considering would do, each answered both ways."""
    deadline = Deadline.after(options.get("deadline"))
    evidence, now = infer_located(network, case, "auto", _within(options, deadline, FIRST))
    asked = np.concatenate([evidence.present, evidence.absent])
    suspects = np.any(now.at_work > 0.0, axis=1).astype(float)
    if not suspects.any():
        suspects = np.ones(len(network.diseases))
    longlist = _longlist(network, now.posterior * suspects, asked)[:consider]
    chance, if_present, if_absent = [], [], []
    kept = []
    unweighed = 0
    for place, finding in enumerate(longlist.tolist()):
        name = network.findings[finding]
        told = replace(case, present=(*case.present, name))
        if deadline.over:
            unweighed += len(longlist) - place
            break
        try:
            present = infer(network, told, **_within(options, deadline))
        except TooHard:
            unweighed += 1
            continue
        likely = math.exp(min(present.log_evidence - now.log_evidence, 0.0))
        if not 0.0 < likely < 1.0:
            continue
        # The posterior of now is the mean of the two answers, weighted by their chances.
        absent = (now.posterior - likely * present.posterior) / (1.0 - likely)
        kept.append(finding)
        chance.append(likely)
        if_present.append(present.posterior)
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
