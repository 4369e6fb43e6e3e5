"""Random instances with known causes: small ones to enumerate, large ones to sample."""

from __future__ import annotations

import numpy as np

from hickam.evidence.case import Case
from hickam.inference.problem import Problem
from hickam.model.network import Network
from strategies import network_of


def small_instance(seed: int) -> tuple[Network, Case]:
    """A network of at most eleven risk factors and diseases, of any coupling, and a case on it."""
    draw = np.random.default_rng(seed)
    risks, diseases = int(draw.integers(0, 6)), int(draw.integers(2, 7))
    findings = int(draw.integers(2, 9))
    strength = draw.choice([0.1, 0.5, 0.95])
    rare = draw.choice([1e-6, 1e-3, 0.1, 0.5])

    def causes(prefix: str, count: int, most: float) -> dict[str, float]:
        return {
            f"{prefix}{i}": float(draw.uniform(0.01, most))
            for i in range(count)
            if draw.random() < 0.6
        }

    network = network_of(
        {
            "risk_factors": [
                {"id": f"r{j}", "prior": float(draw.uniform(0.01, 0.6))} for j in range(risks)
            ],
            "diseases": [
                {
                    "id": f"d{k}",
                    "leak": float(rare * draw.uniform(0.1, 1.0)),
                    "causes": causes("r", risks, strength),
                }
                for k in range(diseases)
            ],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": float(rare * draw.uniform(0.1, 1.0)),
                    "causes": causes("d", diseases, 0.95),
                }
                for s in range(findings)
            ],
        }
    )
    states = draw.choice(["present", "absent", "unknown"], findings, p=[0.5, 0.3, 0.2])
    known = {f"r{j}": bool(draw.random() < 0.5) for j in range(risks) if draw.random() < 0.3}
    case = Case(
        present=[f"f{s}" for s in range(findings) if states[s] == "present"],
        absent=[f"f{s}" for s in range(findings) if states[s] == "absent"],
        risks=known,
    )
    return network, case


def planted_problem(
    seed: int,
    rows: int = 8000,
    findings: int = 60,
    present: int = 20,
    *,
    links: tuple[int, int] = (3, 10),
    priors: tuple[float, float] = (1e-5, 1e-2),
    leaks: tuple[float, float] = (1e-3, 0.05),
) -> Problem:
    """A settled problem: diseases drawn by their priors until enough findings are present."""
    draw = np.random.default_rng(seed)
    acts = np.zeros((rows, findings))
    for k in range(rows):
        count = int(draw.integers(links[0], links[1] + 1))
        acts[k, draw.choice(findings, count, replace=False)] = draw.uniform(0.1, 0.95, count)
    on = np.exp(draw.uniform(*np.log(priors), rows))
    leak = np.exp(draw.uniform(*np.log(leaks), findings))
    seen = draw.random(findings) < leak
    while seen.sum() < present:
        seen |= draw.random(findings) < acts[draw.choice(rows, p=on / on.sum())]
    chosen = draw.choice(np.flatnonzero(seen), present, replace=False)
    absent = np.flatnonzero(~seen)
    nothing, nobody = np.zeros(0), np.zeros(0, dtype=np.int64)
    picked = np.ascontiguousarray(acts[:, chosen])
    return Problem(
        size=rows,
        rows=np.arange(rows),
        reached=np.ones(rows, dtype=bool),
        on=on,
        off=1.0 - on,
        weight_on=np.exp(np.log1p(-acts[:, absent]).sum(axis=1)),
        weight_off=np.ones(rows),
        acts=picked,
        fails=1.0 - picked,
        leak=leak[chosen],
        leak_fails=1.0 - leak[chosen],
        risks=nobody,
        risk_prior=nothing,
        edge_risk=nobody,
        edge_row=nobody,
        edge_acts=nothing,
        edge_fails=nothing,
        log_scale=0.0,
        elsewhere=on,
    )
