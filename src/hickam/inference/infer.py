"""Layered network + evidence → beliefs: the easy cases at once, the others by an engine.

Most cases are easy, so that the engines are imported only when one of them is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.cases import easy_cases
from hickam.inference.reduce import prepared
from hickam.issues import InvalidInput, answered
from hickam.kernels import compiled
from hickam.model.adapted import Circumstances, adapted
from hickam.model.network import Network

AUTO = "auto"


def has_engine(name: str) -> bool:
    """Whether an engine for layered networks has this name."""
    if name == AUTO:
        return True
    from hickam.inference.engines import ENGINES

    return isinstance(name, str) and name in ENGINES


def make_ready(network: Network, evidence: Evidence) -> None:
    """Compute what any answer for patients like this one needs of the network, and keep it."""
    from hickam.inference.engines import has_certainties

    own = adapted(network, evidence.circumstances)
    has_certainties(own)
    if compiled() is not None:
        prepared(own)


def infer_network(network: Network, evidence: Evidence, engine: str, limits: Limits) -> Beliefs:
    """What a layered network concludes from the evidence; impossible evidence is explained."""
    (found,) = infer_each(network, [evidence], engine, limits)
    if isinstance(found, InvalidInput):
        raise found
    return found


def infer_each(
    network: Network, evidence: Sequence[Evidence], engine: str, limits: Limits
) -> Iterator[Beliefs | InvalidInput]:
    """What a layered network concludes from the evidence of each case, or why there is no answer.

    The easy cases are answered together, in one call; the others when they are asked for.
    """
    easy = _easy(network, evidence, limits) if engine == AUTO else [None] * len(evidence)
    for one, found in zip(evidence, easy, strict=True):
        yield answered(_finally, network, one, found, engine, limits)


def _easy(network: Network, evidence: Sequence[Evidence], limits: Limits) -> list[Beliefs | None]:
    """The beliefs of the easy cases, those of like patients together."""
    alike: dict[Circumstances, list[int]] = {}
    for place, one in enumerate(evidence):
        alike.setdefault(one.circumstances, []).append(place)
    found: list[Beliefs | None] = [None] * len(evidence)
    for circumstances, places in alike.items():
        own = adapted(network, circumstances)
        answers = easy_cases(own, [evidence[place] for place in places], limits)
        for place, beliefs in zip(places, answers, strict=True):
            found[place] = beliefs
    return found


def _finally(
    network: Network, evidence: Evidence, found: Beliefs | None, engine: str, limits: Limits
) -> Beliefs:
    """What is found already or by the engine, with the dial turned."""
    if found is not None and evidence.dial == 1.0:
        return found
    from hickam.inference.engines import by_engine, with_dial

    network = adapted(network, evidence.circumstances)
    beliefs = by_engine(network, evidence, engine, limits) if found is None else found
    return with_dial(network, evidence, beliefs)
