"""Which vignettes a network can be asked about; what is left out is counted and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.evidence.vignette import Vignette
from hickam.evidence.vocabulary import vocabularies
from hickam.issues import InvalidInput, Issue, warning
from hickam.model.network import Network


@dataclass(frozen=True, slots=True)
class Admission:
    """The vignettes of a study, their true diseases by id, and what happened to the others."""

    vignettes: tuple[Vignette, ...]
    excluded: tuple[str, ...]  # ids of vignettes that cannot be asked
    issues: tuple[Issue, ...]


def admit(network: Network, vignettes: Sequence[Vignette]) -> Admission:
    """The vignettes that fit the network, with names turned into ids.

    A finding, risk factor or category the network does not know is left out of the case; a
    vignette whose truth is not in the network, or whose case cannot be read at all, is excluded.
    Both are reported per vignette.
    """
    kept, excluded = [], []
    issues: list[Issue] = []
    words = vocabularies(network)["disease"]
    for vignette in vignettes:
        where = f"vignette '{vignette.id}'"
        truths = [words.find(name) for name in vignette.diseases]
        inside = [network.diseases[truth] for truth in truths if isinstance(truth, int)]
        if len(inside) < len(truths):
            unknown = [str(truth) for truth in truths if isinstance(truth, Issue)]
            what = "has a true disease outside the network: " + "; ".join(unknown)
            issues.append(warning(where, what, "" if inside else "it is excluded"))
        if not inside:
            excluded.append(vignette.id)
            continue
        case = _known(network, vignette.case, where, issues)
        try:
            locate(case, network)
        except InvalidInput as bad:
            issues.append(warning(where, f"cannot be asked: {bad}", "it is excluded"))
            excluded.append(vignette.id)
            continue
        kept.append(replace(_by_id(network, vignette), case=case, diseases=tuple(inside)))
    return Admission(tuple(kept), tuple(excluded), tuple(issues))


def _known(network: Network, case: Case, where: str, issues: list[Issue]) -> Case:
    """The case without what the network does not know."""
    words = vocabularies(network)

    def known(kind: str, name: str) -> bool:
        found = words[kind].find(name)
        if isinstance(found, Issue):
            issues.append(warning(where, str(found), "it is left out of the case"))
        return not isinstance(found, Issue)

    return replace(
        case,
        present=[name for name in case.present if known("finding", name)],
        absent=[name for name in case.absent if known("finding", name)],
        risks={name: on for name, on in case.risks.items() if known("risk factor", name)},
        categories={
            name: value for name, value in case.categories.items() if known("category", name)
        },
    )


def _by_id(network: Network, vignette: Vignette) -> Vignette:
    """The vignette with the doctors' diseases as ids; one outside the network stays as it is."""
    words = vocabularies(network)["disease"]

    def identified(name: str) -> str:
        found = words.find(name)
        return network.diseases[found] if isinstance(found, int) else name

    opinions = tuple(
        replace(
            opinion,
            differential=tuple(tuple(map(identified, group)) for group in opinion.differential),
        )
        for opinion in vignette.opinions
    )
    return replace(vignette, opinions=opinions)
