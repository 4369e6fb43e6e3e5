"""Which vignettes a network can be asked about; what is left out is counted and said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.evidence.readings import reading_of
from hickam.evidence.vignette import Vignette
from hickam.issues import InvalidInput, Issue, warning
from hickam.language.vocabulary import vocabularies
from hickam.language.wider import in_words, wider
from hickam.model.network import Network
from hickam.study.opinions import Settler


@dataclass(frozen=True, slots=True)
class Admission:
    """The vignettes of a study, their true diseases by id, and what happened to the others."""

    vignettes: tuple[Vignette, ...]
    excluded: tuple[str, ...]  # ids of vignettes that cannot be asked
    issues: tuple[Issue, ...]
    opinions: Counter[str]  # what the rules on doctors' lists changed, by kind


def admit(network: Network, vignettes: Sequence[Vignette], outside: str = "keep") -> Admission:
    """The vignettes that fit the network, with names turned into ids.

    A finding, risk factor or category the network does not know is left out of the case; a
    vignette whose truth is not in the network, or whose case cannot be read at all, is excluded.
    Both are reported per vignette, as is what the rules on doctors' lists change.
    """
    kept, excluded = [], []
    issues: list[Issue] = []
    words = vocabularies(network)["disease"]
    settler = Settler.of(network, outside)
    for vignette in vignettes:
        where = f"vignette '{vignette.id}'"
        truths = [words.find(name) for name in vignette.diseases]
        inside = dict.fromkeys(network.diseases[t] for t in truths if isinstance(t, int))
        unknown = [str(truth) for truth in truths if isinstance(truth, Issue)]
        if unknown:
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
        opinions = settler.settle(vignette.opinions, where, issues)
        kept.append(replace(vignette, case=case, diseases=tuple(inside), opinions=opinions))
    return Admission(tuple(kept), tuple(excluded), tuple(issues), settler.counts)


def _known(network: Network, case: Case, where: str, issues: list[Issue]) -> Case:
    """The case without what the network does not know.

    A word with a qualifier ("severe chest pain") is read without it, and that is reported.
    """
    words = vocabularies(network)

    def known(kind: str, name: str) -> bool:
        found = words[kind].find(name)
        if isinstance(found, Issue):
            issues.append(warning(where, str(found), "it is left out of the case"))
            return False
        reading = reading_of(words[kind], network, name)
        if reading and not words[kind].knows(name):  # a synonym is the network's own word
            issues.append(warning(where, reading))
        return True

    def present(names: Iterable[str]) -> list[str]:
        found = []
        for name in names:
            if isinstance(words["finding"].find(name, hint=False), Issue):
                match = wider(network, name)
                if match is not None:
                    issues.append(warning(where, in_words(name, match)))
                    found.append(match.id)
                    continue
            if known("finding", name):
                found.append(name)
        return found

    return replace(
        case,
        present=present(case.present),
        absent=[name for name in case.absent if known("finding", name)],
        risks={name: on for name, on in case.risks.items() if known("risk factor", name)},
        categories={
            name: value for name, value in case.categories.items() if known("category", name)
        },
    )
