"""The diseases that the answer to a question moves most: what it is asked for."""

from __future__ import annotations

import numpy as np

from hickam.advise.answers import Answers
from hickam.advise.bits import entropy
from hickam.advise.by_inference import Outcomes
from hickam.advise.explanations import Explanations
from hickam.advise.questions import YES_OR_NO, Move
from hickam.advise.worth import Objective
from hickam.model.kinds import Model
from hickam.model.network import Floats, Network

MOVES = 3


def moves_of(
    network: Network,
    found: Explanations,
    answers: Answers,
    at: int,
    aim: Objective,
) -> tuple[Move, ...]:
    """The diseases that an answer is estimated to tell most about, if they may cause a finding.

    They are weighed up as the question was: rare ones less rare, dangerous ones heavier.
    """
    asked = answers.questions[at]
    given = answers.given[:, asked.columns]
    told = np.maximum(_tells(found.levelled, given, found), 0.0)
    harm = [network.entries[network.diseases[d]].urgency for d in found.diseases.tolist()]
    told *= np.array([aim.harm.get(urgency, 1.0) for urgency in harm])
    explains = np.einsum("e,esk->k", found.levelled, found.causes[..., :-1])
    told *= explains if explains.any() else 1.0
    joint = found.weight[:, None] * given
    after = (joint.T @ found.members) / np.maximum(joint.sum(axis=0), 1e-300)[:, None]
    now = found.posterior
    return tuple(
        Move(
            network.diseases[disease],
            network.label(network.diseases[disease]),
            float(now[candidate]),
            dict(zip(asked.answers, after[:, candidate].tolist(), strict=True)),
        )
        for candidate in np.argsort(-told, kind="stable")[:MOVES].tolist()
        if told[candidate] > 0.0
        for disease in (int(found.diseases[candidate]),)
    )


def moves_by(network: Model, outcomes: Outcomes, at: int) -> tuple[Move, ...]:
    """The diseases that the answer to one finding moves most, by inference."""
    present, absent = outcomes.if_present[at], outcomes.if_absent[at]
    swing = np.abs(present - absent) * outcomes.suspects
    return tuple(
        Move(
            network.diseases[disease],
            network.label(network.diseases[disease]),
            float(outcomes.now[disease]),
            dict(zip(YES_OR_NO, (float(present[disease]), float(absent[disease])), strict=True)),
        )
        for disease in np.argsort(-swing, kind="stable")[:MOVES].tolist()
        if swing[disease] > 0.0
    )


def _tells(weight: Floats, given: Floats, found: Explanations) -> Floats:
    """[candidate] bits that the answer tells about each disease."""
    joint = weight[:, None] * given
    chance = joint.sum(axis=0)
    after = (joint.T @ found.members) / np.maximum(chance, 1e-300)[:, None]  # [answer, candidate]
    return np.asarray(entropy(weight @ found.members) - chance @ entropy(after))
