"""Results in words: the sentences that the command line, the service and the page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hickam.measures.differential import Candidate, Differential
from hickam.model.described import Described
from hickam.words import counted, factor, number, percent

if TYPE_CHECKING:  # words about a differential need neither advice nor general models
    from hickam.advise.second_opinion import SecondOpinion
    from hickam.advise.smallest_cure import Cure
    from hickam.twin.answer import Answer
    from hickam.twin.causation import Causation
    from hickam.twin.query import Answers


def explain(candidate: Candidate, dx: Differential) -> list[str]:
    """Why a candidate stands where it stands, as sentences."""
    present = counted(len(dx.present), "present finding")
    lines = [
        f"{candidate.name} has a probability of {percent(candidate.posterior)} "
        f"(rank {candidate.ranks['posterior']} of {dx.total}).",
        f"Curing it is expected to remove {number(candidate.disablement)} of {present} "
        f"(rank {candidate.ranks['disablement']}).",
    ]
    for finding, chance in candidate.disabled.items():
        lines.append(f"{dx.names[finding]} would go away with probability {percent(chance)}.")
    for line in (*speaks_against(candidate, dx.names), *was_raised(candidate, dx.names)):
        lines.append(f"{line[:1].upper()}{line[1:]}.")
    return lines


def speaks_against(candidate: Candidate, names: Mapping[str, str]) -> list[str]:
    """What speaks against a candidate, a phrase for each absent finding."""
    return [
        f"against: no {names[finding].lower()} (odds {factor(by)})"
        for finding, by in candidate.against.items()
    ]


def was_raised(candidate: Candidate, names: Mapping[str, str]) -> list[str]:
    """What made a candidate likelier, a phrase for each risk factor."""
    return [
        f"raised by: {names[risk].lower()} (odds {factor(by)})"
        for risk, by in candidate.raised_by.items()
    ]


def nothing_known(dx: Differential) -> list[str]:
    """What to say first if the case has no present finding; empty if it has one.

    Without a present finding there is nothing to explain: measures that count findings are 0 and
    the order is that of the posterior.
    """
    if dx.present:
        return []
    if dx.absent or dx.in_force:
        return ["No finding is present, so there is nothing to explain yet."]
    return [
        "No finding is given, so there is nothing to explain: this is how common each disease is.",
        "Name what the patient has with --present, what not with --absent.",
    ]


def in_force(words: Sequence[str]) -> str:
    """The assumptions and soft evidence behind the numbers, as one phrase."""
    return f"in force: {'; '.join(words)}"


def of_cure(cure: Cure, network: Described, *, searched: bool) -> list[str]:
    """What curing diseases together would remove; after a search also whether less would do."""
    names = " and ".join(network.label(disease) for disease in cure.diseases)
    lines = [
        f"Curing {names} would be expected to remove {number(cure.expected)} of "
        f"{counted(len(cure.removed), 'finding')}:"
    ]
    for finding, chance in sorted(cure.removed.items(), key=lambda item: -item[1]):
        lines.append(f"{percent(chance):>8}  {network.label(finding)}")
    if searched:
        lines.append(
            "No smaller set reaches the goal."
            if cure.smallest
            else "Found by a greedy search: a smaller set may exist."
        )
    return lines


def of_query(answers: Answers) -> list[str]:
    """What a counterfactual question has for an answer."""
    given = _states(answers.given) or "nothing"
    done = _states(answers.do)
    found = [f"given {given}" + (f"; had it been that {done}" if done else "")]
    found += [f"  P({_states(a.target)}) = {_with_bounds(a)}" for a in answers]
    found += dict.fromkeys(f"  {answer.status}: {answer.why}" for answer in answers)
    found += [f"  {note}" for note in (*answers.notes, *answers.accuracy.notes)]
    return [*found, f"engine {answers.engine}, {answers.accuracy}"]


def of_causation(found: Causation) -> list[str]:
    """How far causes are necessary and sufficient for a finding."""
    lines = [
        f"cause: {_states(found.causes)}, rather than {_states(found.contrast)}",
        f"finding: {found.finding}; given {_states(found.given) or 'nothing'} else",
    ]
    questions = (
        ("necessity, PN", found.necessity, "where both are there: without the cause, no finding"),
        ("sufficiency, PS", found.sufficiency, "where neither is: with the cause, the finding"),
        ("both, PNS", found.both, "the finding with the cause, and not without it"),
    )
    answers = []
    for word, answer, meaning in questions:
        if answer is not None:
            answers.append(answer)
            lines.append(f"  {word} = {_with_bounds(answer)}  ({meaning})")
    lines += dict.fromkeys(f"  {answer.status}: {answer.why}" for answer in answers)
    lines += [f"  {note}" for note in (*found.notes, *found.accuracy.notes)]
    return [*lines, f"engine {found.engine}, {found.accuracy}"]


def _states(states: Mapping[str, str]) -> str:
    """NODE = STATE, …"""
    return ", ".join(f"{node} = {state}" for node, state in states.items())


def _with_bounds(answer: Answer) -> str:
    """A probability with the coupling and the bounds that it rests on."""
    text = f"{answer.probability:.6g}"
    if answer.status in ("identified", "not examined"):
        return text
    text += f" under the {', '.join(sorted(set(answer.couplings.values())))} coupling"
    if answer.lower is None:
        return text
    return f"{text}; over all couplings {answer.lower:.6g} to {answer.upper:.6g}"


def of_second_opinion(found: SecondOpinion) -> list[str]:
    """The three lists side by side, why, what is left open, and what must not be missed."""
    size = len(found.fused)
    lines = [f"{'fused':>6}{'doctor':>8}{'alone':>7}  disease"]
    for line in found.lines:
        mark = "→" if line.fused <= size else " "
        lines.append(f"{mark}{line.fused:5}{line.doctor or '–':>8}{line.algorithm:>7}  {line.name}")
        lines.append(f"{'':23}{line.reason}")
    lines += [f"? {item.in_words}" for item in found.left_open]
    lines += [f"! {warning}" for warning in found.warnings]
    weights = f"weights: {found.weights.source or 'as given'}"
    return [*lines, f"→ the fused list, {size} long as the doctor's; {weights}"]
