"""Cases to start from, for the embedded networks."""

from __future__ import annotations

from dataclasses import dataclass

from hickam.web.pages.state import State
from hickam.web.shelf import Offer


@dataclass(frozen=True, slots=True)
class Example:
    """A case with a title."""

    title: str
    state: State


_CLINIC = (
    Example(
        "Sudden breathlessness after a long flight",
        State(
            present=("sudden_breathlessness", "pleuritic_chest_pain", "tachycardia"),
            absent=("fever",),
            yes=("long_journey", "combined_pill"),
            sex="female",
            age="34",
        ),
    ),
    Example(
        "Fever, cough and pain on breathing in",
        State(
            present=("fever", "productive_cough", "pleuritic_chest_pain"),
            absent=("runny_nose",),
            yes=("smoker",),
            sex="male",
            age="58",
        ),
    ),
    Example(
        "Tired all the time, gaining weight, feeling cold",
        State(present=("fatigue", "weight_gain", "cold_intolerance"), sex="female", age="47"),
    ),
)
_SMOKER = (
    Example(
        "An elderly smoker with chest pain, nausea and fatigue",
        State(present=("chest_pain", "nausea", "fatigue"), yes=("smoker", "elderly")),
    ),
)
_CONFOUNDING = (
    Example("A disease that only shares a cause with the symptom", State(present=("symptom_b",))),
)
_CAR = (
    Example(
        "Cranks slowly on a cold morning",
        State(present=("slow_crank",), yes=("cold_weather",)),
    ),
)
_BY_NETWORK = {"clinic": _CLINIC, "smoker": _SMOKER, "confounding": _CONFOUNDING, "car": _CAR}


def examples(offer: Offer) -> list[Example]:
    """The examples of a network; none mentions what the network does not have."""
    network = offer.network
    found = []
    for example in _BY_NETWORK.get(offer.id, ()):
        state = example.state
        named = (*state.present, *state.absent, *state.yes, *state.no)
        if all(name in network.entries for name in named):
            found.append(Example(example.title, state.set(network=offer.id)))
    return found
