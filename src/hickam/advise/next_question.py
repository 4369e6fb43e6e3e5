"""Which finding to ask next: what it is worth, why, and when to stop asking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.infer import infer, infer_located
from hickam.issues import TooHard, error, invalid, raise_errors
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints
from hickam.words import counted, percent

# Below this many bits the best question would hardly change any disease's probability.
WORTHLESS = 0.005
LONGLIST = 32
FIRST = 1 / 3  # of the time for the case as it is, the rest for the questions


@dataclass(frozen=True, slots=True)
class Move:
    """How the answer to a question would move one disease."""

    disease: str
    name: str
    now: float
    if_present: float
    if_absent: float


@dataclass(frozen=True, slots=True)
class Question:
    """A finding that nobody has asked about yet, and what the answer is worth."""

    finding: str
    name: str
    kind: str
    chance: float  # P(present | evidence)
    value: float  # bits expected to be learned about the diseases
    cost: float
    net: float  # value − α · cost
    reason: str
    moves: tuple[Move, ...]  # the diseases that the answer moves most


@dataclass(frozen=True, slots=True)
class Advice:
    """The best questions, best first, and whether to go on asking."""

    questions: tuple[Question, ...]
    stop: bool
    why: str
    alpha: float
    unweighed: int = 0  # findings that the deadline left no time to weigh up


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What every finding asked about would do to the posterior."""

    findings: Ints  # [question]
    chance: Floats  # [question]  P(present | evidence)
    now: Floats  # [disease]
    suspects: Floats  # [disease]  1 for a disease that could cause a present finding, else 0
    if_present: Floats  # [question, disease]
    if_absent: Floats  # [question, disease]
    unweighed: int = 0  # findings that the deadline left no time for


def next_question(
    network: Model,
    case: Case,
    *,
    alpha: float = 0.0,
    costs: Mapping[str, float] | None = None,
    top: int = 5,
    consider: int = LONGLIST,
    **options: Unpack[Options],
) -> Advice:
    """The unasked findings whose answers tell most about the diseases, by value − α · cost.

    The value of a finding S is the sum of the mutual information I(D; S | evidence), in bits, over
    the diseases that could cause a present finding (over all of them while none is present): a
    question is worth asking for what it tells about the cause, not about bystanders. `costs`
    (finding id → cost) replaces the network's own costs. Of the unasked findings, the `consider`
    that the suspected diseases cause most are weighed up, the most promising first; a `deadline`
    is for all of them together, and the advice says how many it left out.

    >>> import hickam
    >>> advice = next_question(hickam.load("smoker"), Case(present=["chest pain"]))
    >>> advice.questions[0].value > 0
    True
    """
    if (
        isinstance(alpha, bool)
        or not isinstance(alpha, (int, float))
        or not 0.0 <= alpha < math.inf
    ):
        raise invalid(f"alpha {alpha!r}", "is not a price per unit of cost", "give a number >= 0")
    answers = answers_to(network, case, consider, options)
    value = information(answers)
    cost = _costs(network, answers.findings, costs or {})
    net = value - alpha * cost
    order = np.argsort(-net, kind="stable")[:top]
    questions = tuple(
        _question(network, answers, int(at), float(value[at]), float(cost[at]), float(net[at]))
        for at in order
    )
    stop, why = _stop(questions, alpha, answers.unweighed)
    return Advice(questions, stop, why, float(alpha), answers.unweighed)


def information(answers: Answers) -> Floats:
    """[question] sum over suspected diseases of I(D; S | evidence) in bits, never below 0."""
    chance = answers.chance[:, None]
    after = chance * _entropy(answers.if_present) + (1.0 - chance) * _entropy(answers.if_absent)
    return np.maximum(_entropy(answers.now)[None, :] - after, 0.0) @ answers.suspects


def answers_to(network: Model, case: Case, consider: int, options: Options) -> Answers:
    """What the findings worth considering would do, each answered both ways."""
    deadline = Deadline.after(options.get("deadline"))
    evidence, now = infer_located(network, case, "auto", _within(options, deadline, FIRST))
    asked = np.concatenate([evidence.present, evidence.absent])
    suspects = np.any(now.sustained > 0.0, axis=1).astype(float)
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
    return Answers(
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


def _entropy(chance: Floats) -> Floats:
    """Entropy in bits of a yes-or-no variable."""
    p = np.clip(chance, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p)
    return -np.nan_to_num(terms, nan=0.0)


def _costs(network: Model, findings: Ints, given: Mapping[str, float]) -> Floats:
    """[question] what asking costs."""
    issues = [
        error(f"cost of '{name}'", f"is {cost!r}", "give a number >= 0")
        for name, cost in given.items()
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost < math.inf
    ]
    raise_errors(issues)
    names = [network.findings[finding] for finding in findings.tolist()]
    return np.array([given.get(name, network.entries[name].cost) for name in names], dtype=float)


def _question(
    network: Model, answers: Answers, at: int, value: float, cost: float, net: float
) -> Question:
    """One question with the diseases that it moves most and the reason in words."""
    now, present, absent = answers.now, answers.if_present[at], answers.if_absent[at]
    swing = np.abs(present - absent) * answers.suspects
    moves = tuple(
        Move(
            network.diseases[disease],
            network.label(network.diseases[disease]),
            float(now[disease]),
            float(present[disease]),
            float(absent[disease]),
        )
        for disease in np.argsort(-swing, kind="stable")[:3].tolist()
        if swing[disease] > 0.0
    )
    entry = network.entries[network.findings[int(answers.findings[at])]]
    chance = float(answers.chance[at])
    reason = _reason(network, moves)
    return Question(entry.id, entry.name, entry.kind, chance, value, cost, net, reason, moves)


def _reason(network: Model, moves: tuple[Move, ...]) -> str:
    """Why the question is worth asking, in words."""
    if not moves:
        return "It says nothing about the diseases in question."
    first = moves[0]
    up = first.if_present - first.now
    down = first.now - first.if_absent
    urgent = network.entries[first.disease].urgent
    swing = first.if_present - first.if_absent
    opposed = [m for m in moves[1:] if (m.if_present - m.if_absent) / swing < -0.3]
    name = (
        f"{first.name} ({percent(first.now)} now, {percent(first.if_present)} if present, "
        f"{percent(first.if_absent)} if absent)"
    )
    if opposed:
        return f"Tells {name} from {opposed[0].name}."
    if up >= down:
        return f"Would support {name}."
    if urgent:
        return f"Would help to rule out {name}, which must not be missed."
    return f"Would help to rule out {name}."


def _stop(questions: tuple[Question, ...], alpha: float, unweighed: int) -> tuple[bool, str]:
    """Whether to stop asking, and why."""
    if unweighed:
        left = f" For {counted(unweighed, 'other finding')} there was no time."
        stop, why = _stop(questions, alpha, 0)
        return (
            stop and bool(questions),
            (why if questions else "No finding was weighed up.") + left,
        )
    if not questions:
        return True, "No finding that is still unknown bears on the diseases in question."
    best = questions[0]
    if alpha > 0.0 and best.net <= 0.0:
        return (
            True,
            "No question is worth its cost: the best value does not exceed α times its cost.",
        )
    if max(q.value for q in questions) < WORTHLESS:
        return True, "No answer would change any disease's probability noticeably."
    return False, f"The best question is expected to tell {best.value:.2g} bits about the diseases."
