"""What a question tells about every disease, whether it causes a present finding or not.

The information I(D; answer | evidence) is summed over all diseases. It finds a second disease that
has nothing to do with what brought the patient, at the price of asking about bystanders.
"""

from __future__ import annotations

import numpy as np

from hickam.advise.answers import Answers
from hickam.advise.bits import entropy, surprise
from hickam.advise.explanations import Explanations
from hickam.advise.questions import FINDING
from hickam.model.network import Floats, Network


def about_diseases(network: Network, found: Explanations, answers: Answers) -> Floats:
    """[question] bits about which diseases there are, summed disease by disease.

    Of diseases outside the explanations each counts on its own, for the findings it causes.
    """
    told = found.weight @ answers.given  # [answer]
    joint = (found.weight[:, None] * found.members).T @ answers.given  # [candidate, answer]
    there = found.posterior[:, None]
    bits = surprise(told)[None, :] - there * surprise(_ratio(joint, there))
    bits = bits - (1.0 - there) * surprise(_ratio(told[None, :] - joint, 1.0 - there))
    owner = answers.question_of
    listed = owner >= 0
    value = np.bincount(owner[listed], bits.sum(axis=0)[listed], len(answers.questions))
    return np.maximum(value + _bystanders(network, found, answers, told), 0.0)


def _bystanders(network: Network, found: Explanations, answers: Answers, told: Floats) -> Floats:
    """[question] the same of diseases that are in no explanation, for the findings they cause."""
    place = np.full(len(network.findings), -1)
    chance = np.zeros(len(network.findings))
    for position, question in enumerate(answers.questions):
        if question.kind == FINDING:
            place[network.index[question.id]] = position
            chance[network.index[question.id]] = told[question.start]
    links = network.effects
    outside = np.ones(len(network.diseases), dtype=bool)
    outside[found.diseases] = False
    mine = outside[links.cause] & (place[links.effect] >= 0) & (links.acts > 0.0)
    effect = links.effect[mine]
    there = found.background[links.cause[mine]]
    quiet = (1.0 - chance[effect]) / np.maximum(1.0 - there * links.acts[mine], 1e-300)
    if_off = np.clip(1.0 - quiet, 0.0, 1.0)
    if_on = np.clip(1.0 - quiet * links.fails[mine], 0.0, 1.0)
    bits = entropy(chance[effect]) - there * entropy(if_on) - (1.0 - there) * entropy(if_off)
    return np.bincount(place[effect], bits, len(answers.questions)).astype(np.float64)


def _ratio(part: Floats, whole: Floats) -> Floats:
    part = np.clip(part, 0.0, None)
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)
