"""A case without what of it a network does not understand, for who would rather go on than ask."""

from __future__ import annotations

from dataclasses import replace

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput, Issue, Kind, Level
from hickam.model.described import Described

NOT_UNDERSTOOD = (Kind.UNKNOWN_NAME, Kind.AMBIGUOUS_NAME, Kind.WRONG_LAYER)


def understood(case: Case, network: Described) -> tuple[Case, list[Issue]]:
    """The case with the findings and risk factors that are understood, and warnings of the others.

    Only words that mean nothing for sure are left out; any other mistake stays in the case.

    >>> import hickam
    >>> kept, left_out = understood(hickam.Case(["cough", "blue sky"]), hickam.load("clinic"))
    >>> kept.present, left_out[0].where
    (('cough',), "finding 'blue sky'")
    """
    left_out: list[Issue] = []

    def kept(alone: Case) -> bool:
        try:
            locate(alone, network)
        except InvalidInput as bad:
            if all(issue.kind in NOT_UNDERSTOOD for issue in bad.issues):
                left_out.extend(replace(issue, level=Level.WARNING) for issue in bad.issues)
                return False
        return True

    found = replace(
        case,
        present=[name for name in case.present if kept(Case(present=[name]))],
        absent=[name for name in case.absent if kept(Case(absent=[name]))],
        risks={name: so for name, so in case.risks.items() if kept(Case(risks={name: so}))},
    )
    return found, left_out
