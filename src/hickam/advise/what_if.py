"""What would happen if: curing sets of diseases, and the smallest set worth curing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

from hickam.advise.smallest_cure import Cure, Cures, cure_of, find_smallest
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.evidence.stated import layered
from hickam.infer import read_question, take
from hickam.issues import error, invalid
from hickam.language.vocabulary import find_all, vocabularies
from hickam.model.described import Described
from hickam.model.kinds import Model, as_scm


def cure(
    model: Model, case: Case, diseases: str | Sequence[str], **options: Unpack[Options]
) -> Cure:
    """What curing these diseases together, or one by its name, would remove.

    >>> import hickam
    >>> what = cure(hickam.load("smoker"), Case(present=["chest pain"]), ["emphysema"])
    >>> what.expected
    0.0
    """
    read_question(model, options)
    chosen = _named(model, [diseases] if isinstance(diseases, str) else diseases)
    return cure_of(_cures(model, case, options), chosen)


def smallest_cure(
    model: Model, case: Case, at_least: float, **options: Unpack[Options]
) -> Cure | None:
    """The smallest set whose cure is expected to remove at least this many present findings.

    None if even curing every disease falls short; see `find_smallest`.
    """
    return find_smallest(_cures(model, case, options), at_least)


def _cures(model: Model, case: Case, options: Options) -> Cures:
    """The case ready for questions about cures."""
    evidence, limits = take(model, case, options)
    network = layered(model, evidence)
    if network is not None:
        from hickam.inference.cures import NetworkCures

        return NetworkCures(network, evidence, limits)
    from hickam.twin.cures import ModelCures

    return ModelCures.of(as_scm(model), evidence, limits)


def _named(model: Described, diseases: Sequence[str]) -> tuple[str, ...]:
    """The ids of diseases by any of their names, each once; all unknown names at once."""
    if not isinstance(diseases, Iterable):
        raise invalid(
            f"diseases {diseases!r}", "are no list of names", "name a disease, or several"
        )
    empty = error("the set of diseases", "is empty", "name at least one disease to cure")
    found = find_all(vocabularies(model)["disease"], diseases, [] if diseases else [empty])
    return tuple(model.diseases[position] for position in found)
