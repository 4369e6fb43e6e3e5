"""What a question is worth: how much less doubt its answer leaves about what causes the findings.

For a present finding s let q_s(k) be the probability that disease k is what causes it. The doubt is

    sum over s of v_s * sum over k of c_k * q_s(k) * log2(1 / q_s(k))

with a weight v_s for each present finding and a weight c_k for what missing disease k would mean.
Each term is concave, so an answer never adds doubt on average. A disease that explains nothing has
q = 0 throughout: nothing is asked about bystanders, and no doubt is left once a disease certainly
explains everything, whatever else the patient may have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.advise.answers import Answers
from hickam.advise.bits import surprise
from hickam.advise.explanations import Explanations
from hickam.issues import did_you_mean, invalid
from hickam.model.network import Floats, Ints, Network

FIRST_STEP = 8  # questions that one more step is looked ahead from
SECOND_STEP = 24  # questions considered there
SLIGHT = 1e-3  # an explanation lighter than this is not looked ahead from
SHORTLIST = 64  # questions whose worth is computed, of those that tell most about explanations


@dataclass(frozen=True, slots=True)
class Objective:
    """What questions are for: how much each class of urgency weighs, and which causes count."""

    name: str
    meaning: str
    harm: Mapping[str, float]  # urgency → weight of doubt about such a disease
    first_only: bool = False  # whether only doubt about the first cause counts
    level: float = 0.0  # how far priors are evened out while questions are weighed up
    bystanders: bool = False  # whether diseases that cause no present finding count as well
    ahead: bool = False  # whether a question counts with the best one after it


OBJECTIVES: Mapping[str, Objective] = {
    objective.name: objective
    for objective in (
        Objective(
            "differential",
            "what causes the present findings, dangerous causes weighing more",
            {"emergency": 20.0, "urgent": 6.0},
            level=0.5,
        ),
        Objective(
            "plain",
            "what causes the present findings, all causes weighing the same",
            {},
            ahead=True,
        ),
        Objective(
            "first_cause",
            "whether the leading disease is the cause",
            {},
            first_only=True,
            ahead=True,
        ),
        Objective(
            "harm",
            "whether something dangerous causes the present findings",
            {"emergency": 100.0, "urgent": 20.0, "self-care": 0.1},
            ahead=True,
        ),
        Objective(
            "every_disease",
            "which diseases there are, also those that cause no present finding",
            {},
            bystanders=True,
        ),
    )
}


def find_objective(name: str) -> Objective:
    """The objective of this name, or the error that names the nearest one."""
    if not isinstance(name, str) or name not in OBJECTIVES:
        raise invalid(f"objective {name!r}", "is not known", did_you_mean(str(name), OBJECTIVES))
    return OBJECTIVES[name]


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """How much doubt weights over explanations leave about the causes."""

    causes: Floats  # [explanation, cause]  for each present finding each cause, its weight inside
    scale: Floats  # [cause]  c_k

    def __call__(self, weight: Floats) -> Floats:
        """[…] the doubt in bits, of weights […, explanation] that sum to 1."""
        chance = weight @ self.causes
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = chance * np.log2(chance)
        return -np.nan_to_num(terms, nan=0.0) @ self.scale


@dataclass(frozen=True, slots=True, eq=False)
class Wrong:
    """How likely the first guess at the cause is wrong, and half of that the first three are.

    What the last question is for, when doubt that stays can no longer be resolved.
    """

    causes: Floats  # [explanation, cause]  the share of the present findings that each causes

    def __call__(self, weight: Floats) -> Floats:
        """[…] of weights […, explanation] that sum to 1."""
        chance = weight @ self.causes
        few = min(3, chance.shape[-1])
        leading = np.partition(chance, -few, axis=-1)[..., -few:]
        return 1.5 - leading.max(axis=-1) - 0.5 * leading.sum(axis=-1)


def wrong_about(found: Explanations, weights: Floats) -> Wrong:
    """The chance of a wrong guess at what causes the present findings, each with its weight."""
    return Wrong(np.einsum("esk,s->ek", found.causes[..., :-1], weights / weights.sum()))


def doubt_about(
    network: Network, found: Explanations, objective: Objective, weights: Floats
) -> Doubt:
    """The doubt about what causes the present findings, each with its weight.

    While no finding is present it is about which diseases there are.
    """
    causes = found.causes
    if causes.shape[1] == 0:
        count = np.maximum(found.members.sum(axis=1, keepdims=True), 1)
        nothing = 1.0 - found.members.any(axis=1, keepdims=True)
        causes = np.concatenate([found.members / count, nothing], axis=1)[:, None, :]
        weights = np.ones(1)
    harm = [network.entries[network.diseases[d]].urgency for d in found.diseases.tolist()]
    scale = np.array([*(objective.harm.get(urgency, 1.0) for urgency in harm), 1.0])
    if objective.first_only and len(found.diseases):
        first = int(np.argmax(np.einsum("e,esk,s->k", found.weight, causes[..., :-1], weights)))
        causes = np.stack([causes[..., first], 1.0 - causes[..., first]], axis=-1)
        scale = np.ones(2)
    kinds, shares = _alike(causes, weights / weights.sum())
    table = kinds.transpose(1, 0, 2).reshape(len(causes), -1)
    able = table.any(axis=0)  # most diseases cause only some of the findings
    return Doubt(
        np.ascontiguousarray(table[:, able]), (shares[:, None] * scale[None, :]).ravel()[able]
    )


def _alike(causes: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """([kind, explanation, cause], [kind] weight): findings with the same causes count as one."""
    by_finding = causes.transpose(1, 0, 2)
    marks = np.random.default_rng(0).random(by_finding.shape[1:])  # tell the tables apart
    said = np.round(np.tensordot(by_finding, marks, axes=2), 9)
    _, first, which = np.unique(said, return_index=True, return_inverse=True)
    shares = np.bincount(which.ravel(), weights, len(first))
    return by_finding[first], shares.astype(np.float64)


def about_explanations(answers: Answers, weight: Floats) -> Floats:
    """[question] bits that the answer tells about the explanations: a bound on what it is worth.

    I = H(answer) - sum over explanations of weight * H(answer | explanation).
    """
    per_answer = surprise(weight @ answers.given) - weight @ surprise(answers.given)
    listed = answers.question_of >= 0
    return np.maximum(
        np.bincount(answers.question_of[listed], per_answer[listed], len(answers.questions)), 0.0
    )


def worth(
    answers: Answers, doubt: Doubt | Wrong, weight: Floats, among: Sequence[int] | Ints
) -> Floats:
    """[among] the doubt that each of these questions takes away on average."""
    columns, owner = _columns(answers, among)
    joint = weight[:, None] * answers.given[:, columns]
    chance = joint.sum(axis=0)
    after = np.divide(joint, chance, out=np.zeros_like(joint), where=chance > 0.0)
    left = np.bincount(owner, chance * doubt(after.T), len(among))
    return np.maximum(float(doubt(weight)) - left, 0.0)


def worth_of_two(
    answers: Answers, doubt: Doubt, weight: Floats, first: Ints, second: Ints
) -> Floats:
    """[first] the doubt that each question and the best one after its answer take away together.

    Explanations that hardly matter are left out, so the gain is slightly too small.
    """
    heavy = weight >= SLIGHT
    weight = weight[heavy] / weight[heavy].sum()
    light = Doubt(doubt.causes[heavy], doubt.scale)
    given = answers.given[heavy]
    columns, owner = _columns(answers, first)
    told = weight[:, None] * given[:, columns]
    chance = told.sum(axis=0)
    told = np.divide(told, chance, out=np.zeros_like(told), where=chance > 0.0).T  # [told, heavy]
    then, whose = _columns(answers, second)
    joint = told[:, :, None] * given[None, :, then]
    likely = joint.sum(axis=1)  # [told, then]
    after = np.divide(joint, likely[:, None, :], out=joint, where=likely[:, None, :] > 0.0)
    left = likely * light(after.transpose(0, 2, 1))
    starts = np.flatnonzero(np.r_[True, whose[1:] != whose[:-1]])
    left = np.add.reduceat(left, starts, axis=1)  # [told, second]
    same = np.asarray(first)[owner][:, None] == np.asarray(second)[None, :]
    left = np.where(same, np.inf, left).min(axis=1, initial=np.inf)
    left = np.minimum(left, light(told))
    return np.maximum(float(light(weight)) - np.bincount(owner, chance * left, len(first)), 0.0)


def _columns(answers: Answers, among: Sequence[int] | Ints) -> tuple[Ints, Ints]:
    """The answer columns of some questions, and the place in `among` that each belongs to."""
    spans = [answers.questions[int(question)].columns for question in among]
    columns = np.concatenate([np.arange(s.start, s.stop) for s in spans])
    owner = np.repeat(np.arange(len(spans)), [s.stop - s.start for s in spans])
    return columns, owner
