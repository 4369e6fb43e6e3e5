"""A case without what of it a network does not understand, for who would rather go on than ask."""

from __future__ import annotations

from dataclasses import replace

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.issues import NOT_UNDERSTOOD, InvalidInput, Issue, Level, warning
from hickam.language.search import search
from hickam.model.described import Described


def understood(case: Case, network: Described) -> tuple[Case, list[Issue]]:
    """The case with the findings and risk factors that are understood, and warnings of the others.

    A present finding that is not understood is taken for the first name that a search offers,
    unless that contradicts the rest. Everything else that is not understood is left out: who lacks
    one thing need not lack another that is called alike. Any other mistake stays in the case.

    >>> import hickam
    >>> said = hickam.Case(["cough", "free gas under diaphragm on CXR", "blue sky"])
    >>> kept, warnings = understood(said, hickam.load("clinic"))
    >>> kept.present
    ('cough', 'free_gas')
    >>> [issue.what for issue in warnings]
    ["is taken for 'Air under the diaphragm on X-ray'", 'is left out: it is not in the network']
    """
    unknown: dict[str, Issue] = {}

    def kept(alone: Case, text: str) -> bool:
        issues = _issues(alone, network)
        if not issues or any(issue.kind not in NOT_UNDERSTOOD for issue in issues):
            return True
        unknown[text] = issues[0]
        return False

    found = replace(
        case,
        present=[text for text in case.present if kept(Case(present=[text]), text)],
        absent=[text for text in case.absent if kept(Case(absent=[text]), text)],
        risks={text: so for text, so in case.risks.items() if kept(Case(risks={text: so}), text)},
    )
    wrong = len(_issues(found, network))
    warnings = []
    for text, issue in unknown.items():
        offers = search(network, text, ("finding",), limit=1) if text in case.present else []
        guess = replace(found, present=[*found.present, *(offer.id for offer in offers)])
        if offers and not offers[0].negated and len(_issues(guess, network)) <= wrong:
            found = guess
            what = f"is taken for '{offers[0].name}'"
            warnings.append(warning(issue.where, what, "say it in other words if that is wrong"))
        else:
            what = f"is left out: it {issue.what}"
            warnings.append(replace(issue, what=what, level=Level.WARNING))
    return replace(found, present=list(dict.fromkeys(found.present))), warnings


def _issues(case: Case, network: Described) -> tuple[Issue, ...]:
    """What is wrong with a case."""
    try:
        locate(case, network)
    except InvalidInput as bad:
        return tuple(bad.issues)
    return ()
