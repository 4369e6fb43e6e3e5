"""An interview in words: the question, the reasons, the summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hickam.words import number, percent

if TYPE_CHECKING:  # words about red flags do not need the whole interview
    from hickam.advise.interview import Interview
    from hickam.advise.questions import Question
    from hickam.advise.red_flags import RedFlags
    from hickam.advise.triage import Triage

LISTED = 5


def of_question(question: Question, place: int) -> str:
    """The question with the answers it can have."""
    answers = "y / n" if question.yes_or_no else " / ".join(question.answers)
    return f"{place}. {question.text}  [{answers} / ?]"


def of_triage(verdict: Triage) -> str:
    """The verdict in one sentence."""
    return f"Triage: {verdict.level} ({verdict.meaning}), because {verdict.reason}."


def of_red_flags(found: RedFlags) -> Iterator[str]:
    """The red flags, one line each, or that there are none."""
    if not found.flags:
        yield f"Red flags: none. {found.in_words}"
        return
    yield f"Red flags: {found.in_words}"
    for flag in found.flags:
        yield f"  {flag.name} ({flag.urgency}). {flag.reason}"


def of_summary(talk: Interview) -> Iterator[str]:
    """The differential, what is explained, red flags and triage."""
    from hickam.advise.replies import UNKNOWN

    yield talk.why
    yield ""
    ranked = talk.differential
    names = ranked.names
    for candidate in [c for c in ranked[:LISTED] if c.score > 0.0]:
        told = [
            f"{names[f].lower()} {percent(p)}" for f, p in candidate.sustained.items() if p > 0.1
        ]
        explained = f": explains {', '.join(told[:4])}" if told else ""
        yield (
            f"{candidate.rank}. {candidate.name} ({percent(candidate.posterior)}, would remove "
            f"{number(candidate.score)} findings){explained}"
        )
    left = [names[f].lower() for f, p in ranked.unexplained.items() if p > 0.5]
    if left:
        yield f"Not explained by any disease of the network: {', '.join(left)}"
    unknown = [_label(talk, turn.id) for turn in talk.turns if turn.answer == UNKNOWN]
    if unknown:
        yield f"Not known: {', '.join(unknown)}"
    yield ""
    yield from of_red_flags(talk.red_flags)
    if talk.triage is not None:
        yield of_triage(talk.triage)


def _label(talk: Interview, node: str) -> str:
    """The name of a finding, risk factor or category."""
    entry = talk.model.entries.get(node)
    if entry is not None:
        return entry.name.lower()
    return next(c.name for c in talk.model.categories if c.id == node).lower()
