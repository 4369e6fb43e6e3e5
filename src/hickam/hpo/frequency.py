"""How often a disease shows a finding, from what is written about it."""

from __future__ import annotations

from hickam.hpo.annotations import Said
from hickam.hpo.recipe import Recipe


def frequency(omim: Said | None, orphanet: Said | None, recipe: Recipe) -> float:
    """P(finding | disease) from OMIM's rows, Orphanet's rows, or both.

    k of n patients: (k + 4 g) / (n + 4), where the guess g is 0.3 or, if larger, Orphanet's value.
    No frequency at all: 0.4 or, if larger, Orphanet's.
    """
    other = 0.0 if orphanet is None else _plain(orphanet, recipe)
    if omim is None:
        return min(other, recipe.sure)
    if omim.asked:
        guess = max(recipe.guess, other)
        value = (omim.seen + recipe.pseudo * guess) / (omim.asked + recipe.pseudo)
        return min(value, recipe.looked_for if omim.seen == 0 else recipe.sure)
    if omim.words:
        return min(sum(omim.words) / len(omim.words), recipe.sure)
    if omim.denied:
        return 0.0
    return min(max(recipe.unstated, other), recipe.sure)


def _plain(said: Said, recipe: Recipe) -> float:
    """The frequency that rows state, without any guess."""
    if said.words:
        return sum(said.words) / len(said.words)
    if said.asked:
        return said.seen / said.asked
    return 0.0 if said.denied else recipe.unstated
