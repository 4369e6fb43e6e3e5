"""Random networks of a given size and coupling, for tests and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.model.build import build_network
from hickam.model.network import Network


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a random network is made of; ranges are (lowest, highest)."""

    risk_factors: int = 6
    diseases: int = 8
    findings: int = 6
    causes: tuple[int, int] = (0, 3)  # risk factors per disease
    effects: tuple[int, int] = (1, 4)  # findings per disease
    coupling: tuple[float, float] = (0.01, 0.3)  # strength of risk factor → disease
    strength: tuple[float, float] = (0.05, 0.9)  # of disease → finding
    risk_prior: tuple[float, float] = (0.02, 0.5)
    disease_leak: tuple[float, float] = (1e-4, 0.05)  # spread evenly in the logarithm
    finding_leak: tuple[float, float] = (1e-3, 0.05)  # likewise


def random_network(rng: np.random.Generator, recipe: Recipe | None = None) -> Network:
    """A network drawn after a recipe.

    >>> random_network(np.random.default_rng(0), Recipe(diseases=3)).diseases
    ('d0', 'd1', 'd2')
    """
    recipe = recipe or Recipe()

    def spread(bounds: tuple[float, float]) -> float:
        return float(np.exp(rng.uniform(*np.log(bounds))))

    def pick(
        layer: str, size: int, count: tuple[int, int], strength: tuple[float, float]
    ) -> dict[str, float]:
        number = min(int(rng.integers(count[0], count[1] + 1)), size)
        chosen = sorted(rng.choice(size, number, replace=False)) if number else []
        return {f"{layer}{i}": float(rng.uniform(*strength)) for i in chosen}

    risks = [
        {"id": f"r{i}", "prior": float(rng.uniform(*recipe.risk_prior))}
        for i in range(recipe.risk_factors)
    ]
    diseases = [
        {
            "id": f"d{i}",
            "leak": spread(recipe.disease_leak),
            "causes": pick("r", recipe.risk_factors, recipe.causes, recipe.coupling),
        }
        for i in range(recipe.diseases)
    ]
    causes: list[dict[str, float]] = [{} for _ in range(recipe.findings)]
    for i in range(recipe.diseases):
        for finding, acts in pick("f", recipe.findings, recipe.effects, recipe.strength).items():
            causes[int(finding[1:])][f"d{i}"] = acts
    findings = [
        {"id": f"f{i}", "leak": spread(recipe.finding_leak), "causes": causes[i]}
        for i in range(recipe.findings)
    ]
    document = {
        "hickam": 1,
        "name": "random",
        "risk_factors": risks,
        "diseases": diseases,
        "findings": findings,
    }
    network, issues = build_network(document)
    assert network is not None, issues
    return network
