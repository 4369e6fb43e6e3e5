"""What to ask next, with or without waiting for the differential."""

from __future__ import annotations

from dataclasses import replace

from hickam.advise.interview import Interview, interview
from hickam.advise.next_question import Advice, next_question
from hickam.advise.questions import EVERYTHING
from hickam.advise.standing import AT_ONCE
from hickam.web.consult import check_size
from hickam.web.pages.case_page import ask
from hickam.web.pages.state import State
from hickam.web.service import Service
from hickam.web.shelf import Offer


def talk(service: Service, offer: Offer, state: State) -> Interview:
    """The interview as far as it has come, after inference."""
    asked = ask(service, offer, replace(state, news=""))
    return replace(_begun(service, offer, state), inferred=(asked.evidence, asked.beliefs))


def talk_at_once(service: Service, offer: Offer, state: State) -> Interview:
    """The interview as far as it has come, not waiting for the inference of many findings."""
    if len(state.present) <= AT_ONCE:
        return talk(service, offer, state)
    check_size(state.to_case(), service.settings.findings)
    return _begun(service, offer, state)


def _begun(service: Service, offer: Offer, state: State) -> Interview:
    return interview(
        offer.network,
        state.to_case(),
        unknown=state.unknown,
        alpha=state.alpha,
        **state.to_options(service.seconds),
    )


def question_only(service: Service, offer: Offer, state: State) -> Advice:
    """What to ask next, without waiting for the differential of many findings."""
    case = state.to_case()
    check_size(case, service.settings.findings)
    return next_question(
        offer.network,
        case,
        alpha=state.alpha,
        about=EVERYTHING,
        skip=state.unknown,
        **state.to_options(service.seconds),
    )
