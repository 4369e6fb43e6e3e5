"""Random problems that unobserved risk factors couple, from weak to strong, small to wide."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hickam.beliefs.beliefs import FLOOR
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.problem import Problem, Tables
from hickam.inference.reduce import reduce
from hickam.model.network import Floats
from hickam.model.random import Recipe, random_network


def random_problems(seed: int, most_risks: int = 30) -> Iterator[Problem]:
    """Coupled problems without end, of varied size, coupling, priors, leaks and evidence."""
    rng = np.random.default_rng(seed)
    while True:
        risks = int(rng.integers(3, most_risks + 1))
        weakest = 10 ** rng.uniform(-3.0, -0.3)
        recipe = Recipe(
            risk_factors=risks,
            diseases=int(rng.integers(risks, 4 * risks + 6)),
            findings=int(rng.integers(10, 40)),
            causes=(int(rng.integers(0, 3)), int(rng.integers(2, 6))),
            effects=(1, 5),
            coupling=(weakest, min(0.99, weakest * 10 ** rng.uniform(0.0, 1.5))),
            risk_prior=(0.01, float(rng.uniform(0.05, 0.95))),
            disease_leak=(10 ** rng.uniform(-6.0, -3.0), 10 ** rng.uniform(-2.5, -0.5)),
            finding_leak=(10 ** rng.uniform(-5.0, -3.0), 10 ** rng.uniform(-2.5, -0.5)),
        )
        network = random_network(rng, recipe)
        order = [network.findings[i] for i in rng.permutation(recipe.findings)]
        present, absent = int(rng.integers(1, 7)), int(rng.integers(0, 4))
        likelihoods = {
            network.diseases[i]: float(10 ** rng.uniform(-1.0, 1.0))
            for i in rng.choice(recipe.diseases, 2, replace=False)
            if rng.random() < 0.3
        }
        case = Case(order[:present], order[present : present + absent], likelihoods=likelihoods)
        problem = reduce(network, locate(case, network))
        if not problem.settled:
            yield problem


def scores(tables: Tables) -> Floats:
    """The three measures of every row, one after the other."""
    return np.concatenate(
        [tables.posterior, tables.disabled.sum(axis=1), tables.sustained.sum(axis=1)]
    )


def true_error(tables: Tables, truth: Tables) -> float:
    """The largest error of a score in the unit of `Accuracy.error`."""
    right = scores(truth)
    return float(np.max(np.abs(scores(tables) - right) / np.maximum(np.abs(right), FLOOR)))
