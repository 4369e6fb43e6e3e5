"""What follows from a case without being entered: kinds of findings."""

from __future__ import annotations

from collections.abc import Sequence

from hickam.evidence.case import Evidence
from hickam.issues import Issue, error
from hickam.model.described import Described
from hickam.model.is_a import Kinds, kinds_of


def implied(network: Described, evidence: Evidence) -> dict[str, bool]:
    """Finding id → whether it is present, for all that a case says or implies.

    What is here need not be asked: the kinds of an absent finding, and what a present one is a
    kind of, besides the findings that are entered.

    >>> import hickam
    >>> from hickam.evidence.locate import locate
    >>> network = hickam.load("smoker")
    >>> implied(network, locate(hickam.Case(absent=["nausea"]), network))
    {'nausea': False}
    """
    kinds = kinds_of(network)
    found: dict[str, bool] = {}
    for finding in evidence.present.tolist():
        for position in (finding, *kinds.above.get(finding, ())):
            found[network.findings[position]] = True
    for finding in (*evidence.absent.tolist(), *evidence.weighed.tolist()):
        for position in (finding, *kinds.below.get(finding, ())):
            found[network.findings[position]] = False
    return found


def there(network: Described, evidence: Evidence) -> tuple[str, ...]:
    """The findings that a case says or implies to be present, and its risk factors."""
    findings = (finding for finding, on in implied(network, evidence).items() if on)
    return *findings, *(network.risk_factors[risk] for risk in evidence.risks_on.tolist())


def narrowed(
    network: Described, present: Sequence[int], absent: Sequence[int], issues: list[Issue]
) -> tuple[list[int], list[int], list[str]]:
    """(present, absent, in words) with each thing counted once; contradictions become issues.

    Of a present finding and a present kind of it only the kind counts, of an absent finding and an
    absent kind of it only the finding: the other says nothing more.
    """
    kinds = kinds_of(network)
    wider = {f for finding in (*present, *absent) for f in kinds.above.get(finding, ())}
    if wider.isdisjoint(present) and wider.isdisjoint(absent):
        return list(present), list(absent), []  # none is a kind of another
    denied = set(absent)
    for finding in present:
        of_all = next((f for f in kinds.above.get(finding, ()) if f in denied), None)
        if of_all is not None:
            name, of = network.label(network.findings[finding]), network.findings[of_all]
            where = f"finding '{network.findings[finding]}'"
            what = f"is present, and '{of}', which it is a kind of, is absent"
            fix = f"{name.lower()} is a kind of {network.label(of).lower()}: keep one of the two"
            issues.append(error(where, what, fix))
    kept, excluded = kinds.narrowest(present), kinds.widest(absent)
    said = [
        f"{network.label(network.findings[finding]).lower()} follows from another finding"
        for finding in [*_dropped(present, kept), *_dropped(absent, excluded)]
    ]
    return kept, excluded, said


def apart(
    kinds: Kinds, present: Sequence[int], absent: Sequence[int]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """(present finding, kinds of it that are absent), for those that have such kinds."""
    if not absent:
        return ()
    denied = set(absent)
    found = (
        (finding, tuple(kind for kind in kinds.below.get(finding, ()) if kind in denied))
        for finding in present
    )
    return tuple((finding, kinds_denied) for finding, kinds_denied in found if kinds_denied)


def _dropped(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """What is in one list and not in the other."""
    kept = set(after)
    return [finding for finding in before if finding not in kept]
