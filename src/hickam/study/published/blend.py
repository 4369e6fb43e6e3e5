"""Patients with two diseases, made of two published patients each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hickam.study.published.patients import Patient

FEWEST, MOST = 3, 8  # findings of either patient


@dataclass(frozen=True, slots=True)
class Blend:
    """The findings of two patients of different papers and diseases, as if of one."""

    terms: tuple[int, ...]
    diseases: tuple[int, int]
    papers: tuple[str, str]


def blend(patients: Sequence[Patient], count: int, seed: int) -> list[Blend]:
    """So many blends of patients with three to eight findings; papers are drawn evenly."""
    by_paper: dict[str, list[Patient]] = {}
    for patient in patients:
        if FEWEST <= len(patient.terms) <= MOST:
            by_paper.setdefault(patient.paper, []).append(patient)
    papers = sorted(by_paper)
    rng = np.random.default_rng([seed, 2])
    found: list[Blend] = []
    tries = 0
    while len(found) < count and len(papers) > 1 and tries < 20 * count:
        tries += 1
        names = [papers[place] for place in rng.choice(len(papers), 2, replace=False)]
        one, two = (by_paper[name][int(rng.integers(len(by_paper[name])))] for name in names)
        if one.disease != two.disease:
            terms = tuple(dict.fromkeys((*one.terms, *two.terms)))
            found.append(Blend(terms, (one.disease, two.disease), (one.paper, two.paper)))
    return found
