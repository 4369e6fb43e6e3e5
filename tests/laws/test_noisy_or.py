"""The structural reading of a network gives its conditional table back."""

from fractions import Fraction

from hypothesis import given, settings

import hickam
from exact import _parts, _twins
from strategies import documents, network_of


@given(documents())
@settings(deadline=None, max_examples=60, derandomize=True)
def test_the_structural_equations_reproduce_the_noisy_or_table(document):
    """Summing the noise bits of s = leak or any(d and not u) gives leak_fails * prod λ ** d."""
    network = network_of(document)
    _, into_finding = _parts(network)
    size = len(network.diseases)
    for finding, causes in enumerate(into_finding):
        for bits in range(1 << size):
            world = tuple((bits >> k) & 1 for k in range(size))
            table = Fraction(float(network.finding_leak_fails[finding]))
            for disease, lam in causes.items():
                table *= lam if world[disease] else 1
            assert 1 - _twins(network, causes, finding, world)[0] == table


def test_forward_sampling_of_the_mechanisms_gives_the_marginals_of_the_engine():
    """A simulation that knows nothing of the engine, within four standard errors."""
    import numpy as np

    network = hickam.load("smoker")
    draw = np.random.default_rng(7)
    count = 40_000
    risks = draw.random((count, len(network.risk_factors))) < network.risk_prior
    diseases = draw.random((count, len(network.diseases))) < network.disease_leak
    for cause, effect, acts in zip(
        network.causes.cause, network.causes.effect, network.causes.acts, strict=True
    ):
        diseases[:, effect] |= risks[:, cause] & (draw.random(count) < acts)
    findings = draw.random((count, len(network.findings))) < network.finding_leak
    for cause, effect, acts in zip(
        network.effects.cause, network.effects.effect, network.effects.acts, strict=True
    ):
        findings[:, effect] |= diseases[:, cause] & (draw.random(count) < acts)
    for name in ("chest_pain", "fatigue"):
        seen = findings[:, network.index[name]]
        beliefs = hickam.infer(network, hickam.Case(present=[name]))
        shares = diseases[seen].mean(axis=0)
        spread = 4 * np.sqrt(0.25 / seen.sum())
        assert np.all(np.abs(shares - beliefs.posterior) < spread)
        assert abs(np.exp(beliefs.log_evidence) - seen.mean()) < 4 * np.sqrt(0.25 / count)
