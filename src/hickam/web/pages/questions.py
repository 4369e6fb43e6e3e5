"""What to ask next, with or without waiting for the differential."""

from __future__ import annotations

from dataclasses import replace

from hickam.advise.interview import EVERYTHING, Interview, interview
from hickam.advise.next_question import Advice, next_question
from hickam.advise.questions import reason_for
from hickam.web.consult import check_size
from hickam.web.pages.case_page import ask
from hickam.web.pages.state import State
from hickam.web.service import Service
from hickam.web.shelf import Offer


def talk(service: Service, offer: Offer, state: State) -> Interview:
    """The interview as far as it has come."""
    asked = ask(service, offer, replace(state, news=""))
    held = interview(
        offer.network, asked.case, unknown=state.unknown, alpha=state.alpha, **asked.options
    )
    return replace(held, inferred=(asked.evidence, asked.beliefs))


def question_only(service: Service, offer: Offer, state: State) -> Advice:
    """What to ask next, without waiting for the differential of many findings.

    Its figures are rough before that and would contradict it, so that they are left out.
    """
    case = state.to_case()
    check_size(case, service.settings.findings)
    advice = next_question(
        offer.network,
        case,
        alpha=state.alpha,
        about=EVERYTHING,
        skip=state.unknown,
        **state.to_options(service.seconds),
    )
    bare = tuple(
        replace(q, reason=reason_for(offer.network, q.moves, figures=False))
        for q in advice.questions
    )
    return replace(advice, questions=bare)
