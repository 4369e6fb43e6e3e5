"""A case without what of it a network does not understand, for who would rather go on than ask."""

from __future__ import annotations

from dataclasses import replace

from hickam.evidence.case import Case
from hickam.evidence.heard import read_entry
from hickam.evidence.locate import locate
from hickam.issues import NOT_UNDERSTOOD, InvalidInput, Issue, Level, warning
from hickam.language.note import Status, read_note
from hickam.language.search import search
from hickam.language.vocabulary import vocabularies
from hickam.model.described import Described

ASIDE = (Status.ABSENT, Status.PAST, Status.SOMEONE, Status.POSSIBLE)


def understood(case: Case, network: Described) -> tuple[Case, list[Issue]]:
    """The case with the findings and risk factors that are understood, and warnings of the others.

    Of a text that is understood in part that part is taken. A present finding that is not
    understood is taken for the first name that a search offers, unless that contradicts the rest or
    the text speaks of what is denied, over, feared or someone else's. Everything else is left out:
    who lacks one thing need not lack another that is called alike. Any other mistake stays in the
    case.

    >>> import hickam
    >>> said = hickam.Case(["cough", "free gas under diaphragm on CXR", "blue sky"])
    >>> kept, warnings = understood(said, hickam.load("clinic"))
    >>> kept.present
    ('cough', 'free_gas')
    >>> [issue.what for issue in warnings]
    ['is taken without “CXR”', 'is left out: it is not in the network']
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
        taken = _part(network, case, text) or _guess(network, case, text)
        guess = _with(found, taken[0]) if taken else found
        if taken and len(_issues(guess, network)) <= wrong:
            found = guess
            warnings.append(
                warning(issue.where, taken[1], "say it in other words if that is wrong")
            )
        else:
            what = f"is left out: it {issue.what}"
            warnings.append(replace(issue, what=what, level=Level.WARNING))
    return replace(found, present=list(dict.fromkeys(found.present))), warnings


def _part(network: Described, case: Case, text: str) -> tuple[Case, str] | None:
    """(what of a text is understood, as a case; what is said about it)."""
    side = "present" if text in case.present else "absent" if text in case.absent else "risks"
    note = read_entry(network, vocabularies(network), text, side)
    if note is None:
        return None
    meant = [one for span in note.spans for one in span.meant]
    part = Case(
        present=[one.id for one in meant if one.kind == "finding" and one.there],
        absent=[one.id for one in meant if one.kind == "finding" and not one.there],
        risks={one.id: one.there for one in meant if one.kind == "risk factor"},
        categories={one.id: one.entered for one in meant if one.kind == "category"},
    )
    lost = ", ".join(f"“{note.said(span)}”" for span in note.lost)
    return part, f"is taken without {lost}"


def _guess(network: Described, case: Case, text: str) -> tuple[Case, str] | None:
    """(the finding that a present one may be, as a case; what is said about it)."""
    if text not in case.present or any(
        span.status in ASIDE for span in read_note(network, text).spans
    ):
        return None
    offers = [offer for offer in search(network, text, ("finding",), limit=1) if not offer.negated]
    if not offers:
        return None
    return Case(present=[offers[0].id]), f"is taken for '{offers[0].name}'"


def _with(case: Case, more: Case) -> Case:
    """A case with what another says."""
    return replace(
        case,
        present=[*case.present, *more.present],
        absent=[*case.absent, *more.absent],
        risks={**more.risks, **case.risks},
        categories={**more.categories, **case.categories},
    )


def _issues(case: Case, network: Described) -> tuple[Issue, ...]:
    """What is wrong with a case."""
    try:
        locate(case, network)
    except InvalidInput as bad:
        return tuple(bad.issues)
    return ()
