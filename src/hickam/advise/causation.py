"""Necessary and sufficient causes on either kind of model; see `hickam.twin.causation`.

In a three-layer network let F be the chance that no link from the causes to the finding acts, and p
the chance that nothing else causes the finding. Then PS = 1 - F, PNS = (1 - F) p, and with p given
that the causes are there, PN = (1 - F) p / (1 - F p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hickam.advise.answer_chances import chance_of, worst
from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import read_options
from hickam.evidence.case import Case, Evidence
from hickam.evidence.stated import layered
from hickam.infer import believe, evidence_of
from hickam.issues import ImpossibleEvidence
from hickam.model.is_a import kinds_of
from hickam.model.kinds import Model
from hickam.model.network import Floats, Network
from hickam.twin.answer import Answer
from hickam.twin.causation import Causation, Question, by_twins, read_question

SURE = 1e15  # likelihood ratio of a disease that is known, times its prior
RAREST = 1e-30  # prior
KNOWN = 1e-9  # chance that it is not there, at most
WHY = "links of a noisy-OR act on their own: the mechanisms settle it"


def causation(
    model: Model,
    case: Case | Mapping[str, object],
    causes: str | Sequence[str] | Mapping[str, object],
    finding: str,
    engine: str = "auto",
    **options: Any,
) -> Causation:
    """How far causes, taken together, are necessary and sufficient for a finding. [CD twin-network]

    Causes and finding are nodes of any role, by name for "on" or "present", or as NODE=STATE. What
    the case says of them is set aside, because each probability has its own condition. The case may
    also be a mapping of nodes to states.

    >>> import hickam
    >>> found = causation(hickam.load("smoker"), Case(), "angina", "chest pain")
    >>> found.sufficiency.status
    'identified'
    """
    asked = read_question(model, case, causes, finding, engine, options)
    if engine == "auto" and isinstance(case, Case):
        evidence = evidence_of(model, case, read_options(options)[0])
        network = layered(model, evidence)
        if network is not None and _on_links(network, evidence, asked):
            found = _by_layers(network, evidence, asked)
            if found is not None:
                return found
    return by_twins(asked, engine)


def _on_links(network: Network, evidence: Evidence, asked: Question) -> bool:
    """Whether diseases are asked about a finding of which no kind, and nothing wider, was seen."""
    if asked.finding.role != "finding" or asked.there != (1,):
        return False
    kinds, place = kinds_of(network), network.index[asked.finding.id]
    related = {*kinds.above.get(place, ()), *kinds.below.get(place, ())}
    seen = np.concatenate([evidence.present, evidence.absent, evidence.weighed]).tolist()
    alone = related.isdisjoint(seen) and not evidence.circumstances.apart
    return alone and all(c in network.diseases and state == 1 for c, state in asked.on.items())


def _by_layers(network: Network, evidence: Evidence, asked: Question) -> Causation | None:
    """The answers by the engines for three layers; None where a condition may be impossible."""
    finding = network.index[asked.finding.id]
    causes = [network.index[name] for name in asked.on]
    links = network.effects
    cut = (links.effect == finding) & np.isin(links.cause, causes)
    fails = float(np.prod(links.fails[cut]))
    acts = float(links.acts[cut][0]) if cut.sum() == 1 else 1.0 - fails
    rest = replace(
        links, acts=np.where(cut, 0.0, links.acts), fails=np.where(cut, 1.0, links.fails)
    )
    without = replace(network, effects=rest)
    known = replace(
        evidence,
        present=evidence.present[evidence.present != finding],
        absent=evidence.absent[evidence.absent != finding],
        weighed=evidence.weighed[evidence.weighed != finding],
    )

    def uncaused(known: Evidence) -> tuple[Beliefs, Beliefs]:
        """What is concluded from the evidence, and with no other cause of the finding as well."""
        gone = replace(known, absent=np.append(known.absent, finding))
        told = (network, known), (without, gone)
        before, after = (believe(model, one, "auto", asked.limits) for model, one in told)
        return before, after

    try:
        both = uncaused(known)
        there = uncaused(_weighed(known, causes, SURE / np.maximum(network.prior[causes], RAREST)))
        uncaused(_weighed(known, causes, 0.0))
    except ImpossibleEvidence:
        return None
    chance, p = ((chance_of((known, one), (known, other))) for one, other in (both, there))
    if there[0].posterior[causes].min() < 1.0 - KNOWN or fails * p == 1.0:
        return None
    values = {
        "necessity": (0, acts * p / (1.0 - fails * p)),
        "sufficiency": (1, acts),
        "both": (1, acts * chance),
    }
    found = {}
    for word, (state, value) in values.items():
        target = {asked.finding.id: asked.finding.states[state]}
        found[word] = Answer(target, value, value, value, "identified", WHY, {})
    how = worst(*both, *there)
    accuracy = replace(how, error=how.error / (1.0 - fails * p))
    return asked.answered(found, both[0].engine, accuracy, ())


def _weighed(evidence: Evidence, diseases: list[int], ratio: Floats | float) -> Evidence:
    """The evidence with a further likelihood ratio for some diseases."""
    likelihood = evidence.likelihood.copy()
    likelihood[diseases] *= ratio
    return replace(evidence, likelihood=likelihood)
