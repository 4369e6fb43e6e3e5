"""Small priors and leaks against 60-digit arithmetic."""

import itertools

import mpmath
import numpy as np

import hickam
from strategies import network_of


def rare_network(diseases=6, findings=12, seed=3):
    draw = np.random.default_rng(seed)
    return network_of(
        {
            "diseases": [{"id": f"d{k}", "leak": 1e-9 * (1 + k)} for k in range(diseases)],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": 1e-6 * (1 + s),
                    "causes": {
                        f"d{k}": float(draw.uniform(0.05, 0.95))
                        for k in range(diseases)
                        if draw.random() < 0.6
                    },
                }
                for s in range(findings)
            ],
        }
    )


def sixty_digits(network, present):
    """Posterior, disablement and sufficiency by enumeration of the diseases with mpmath."""
    size = len(network.diseases)
    links = network.effects
    lam = [[mpmath.mpf(1)] * len(network.findings) for _ in range(size)]
    for k, s, acts in zip(links.cause, links.effect, links.acts, strict=True):
        lam[k][s] = 1 - mpmath.mpf(float(acts))
    leak_fails = [1 - mpmath.mpf(float(leak)) for leak in network.finding_leak]
    total = mpmath.mpf(0)
    sums = [[mpmath.mpf(0)] * size for _ in range(3)]
    for world in itertools.product((0, 1), repeat=size):
        weight = mpmath.mpf(1)
        for k, on in enumerate(world):
            prior = mpmath.mpf(float(network.disease_leak[k]))
            weight *= prior if on else 1 - prior
        off = [
            mpmath.fprod([leak_fails[s]] + [lam[k][s] for k in range(size) if world[k]])
            for s in present
        ]
        joint = weight * mpmath.fprod([1 - q for q in off])
        total += joint
        for k in range(size):
            if not world[k]:
                continue
            sums[0][k] += joint
            for s, q in zip(present, off, strict=True):
                others = joint / (1 - q)
                sums[1][k] += others * (1 - lam[k][s]) * q / lam[k][s]
                sums[2][k] += others * (1 - lam[k][s])
    return [[x / total for x in column] for column in sums], total


def test_twelve_findings_with_tiny_priors_and_leaks_keep_ten_digits():
    network = rare_network()
    present = list(range(12))
    with mpmath.workdps(60):
        (posterior, disablement, sufficiency), total = sixty_digits(network, present)
        beliefs = hickam.infer(network, hickam.Case(present=network.findings))
        np.testing.assert_allclose(beliefs.log_evidence, float(mpmath.log(total)), rtol=1e-12)
        for ours, exact in (
            (beliefs.posterior, posterior),
            (beliefs.disabled.sum(axis=1), disablement),
            (beliefs.sustained.sum(axis=1), sufficiency),
        ):
            np.testing.assert_allclose(ours, [float(x) for x in exact], rtol=1e-10, atol=1e-13)
