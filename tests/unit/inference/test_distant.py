"""Risk factors that several diseases share: explanations that no draw would meet."""

from dataclasses import replace

import numpy as np
import pytest

import hickam
from coupled_instances import true_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.cures import weighed_explanations
from hickam.inference.coupled.distant import distant
from hickam.inference.coupled.mixed import by_mixture, mixed
from hickam.inference.coupled.thinned import by_thinned, thinned
from hickam.inference.frontier.visit import by_frontier, exactly
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.inference.solve import solve
from hickam.kernels import compiled

needs_kernels = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")


def shared(
    diseases: int = 4, prior: float = 1e-3, acts: float = 0.8, base: float = 1e-3, findings: int = 6
) -> Problem:
    """One risk factor that all diseases share, each a cause of every finding."""
    names = [f"d{k}" for k in range(diseases)]
    network = hickam.from_dict(
        {
            "hickam": 1,
            "name": "shared",
            "risk_factors": [{"id": "r", "prior": prior}],
            "diseases": [
                {"id": name, "leak": base, "causes": [{"id": "r", "probability": acts}]}
                for name in names
            ],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": 0.01,
                    "causes": [{"id": name, "probability": 0.3} for name in names],
                }
                for s in range(findings)
            ],
        }
    )
    return reduce(network, locate(hickam.Case(network.findings), network))


def hubs(seed: int, risks: int = 9, diseases: int = 22, findings: int = 14) -> Problem:
    """Rare risk factors with strong links to most diseases, and common ones with weak links."""
    rng = np.random.default_rng(seed)
    priors = [10 ** rng.uniform(-7, -3) if j < 3 else rng.uniform(0.01, 0.3) for j in range(risks)]

    def causes(rare: float) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for j in range(risks):
            if rng.random() < (rare if j < 3 else 0.6):
                strong = rng.uniform(0.6, 0.95) if j < 3 else rng.uniform(0.001, 0.1)
                found.append({"id": f"r{j}", "probability": strong})
        return found

    document = {
        "hickam": 1,
        "name": "hubs",
        "risk_factors": [{"id": f"r{j}", "prior": prior} for j, prior in enumerate(priors)],
        "diseases": [
            {"id": f"d{k}", "leak": 10 ** rng.uniform(-4, -2), "causes": causes(0.6)}
            for k in range(diseases)
        ],
        "findings": [
            {
                "id": f"f{s}",
                "leak": 1e-3,
                "causes": [
                    {"id": f"d{k}", "probability": rng.uniform(0.2, 0.9)}
                    for k in sorted(rng.choice(diseases, 6, replace=False))
                ],
            }
            for s in range(findings)
        ],
    }
    network = hickam.from_dict(document)
    return reduce(network, locate(hickam.Case(network.findings), network))


@pytest.mark.parametrize("prior", [1e-9, 1e-3, 0.1])
def test_four_diseases_that_a_risk_factor_turns_on_are_far_from_all_else(prior):
    assert distant(shared(prior=prior))


def test_three_diseases_are_far_if_they_hardly_ever_come_together_by_chance():
    assert distant(shared(diseases=3, prior=1e-9, base=1e-6))
    assert not distant(shared(diseases=2, prior=1e-9, base=1e-6))


@pytest.mark.parametrize(
    "changed",
    [{"diseases": 3, "base": 0.05}, {"prior": 0.5}, {"acts": 0.1}, {"base": 0.5}],
    ids=str,
)
def test_three_diseases_common_risk_factors_weak_links_and_likely_diseases_are_not(changed):
    assert not distant(shared(**changed))


def test_diseases_that_explain_nothing_do_not_count():
    problem = shared(diseases=5, findings=6)
    assert distant(problem)
    reached = np.array([True, True, False, False, False])
    assert not distant(replace(problem, reached=reached))


@pytest.mark.parametrize("prior", [0.0, 1e-300, 1.0])
def test_risk_factors_that_are_never_or_always_there_are_no_trouble(prior):
    assert distant(shared(diseases=5, prior=prior, base=0.0)) == (0.0 < prior < 1.0)


def test_nothing_of_the_clinic_is_far():
    network = hickam.load("clinic")
    rng = np.random.default_rng(4)
    for _ in range(20):
        present = [network.findings[s] for s in rng.choice(len(network.findings), 20, False)]
        assert not distant(reduce(network, locate(hickam.Case(present), network)))


@needs_kernels
@pytest.mark.parametrize("seed", range(4))
def test_far_explanations_are_not_left_to_draws(seed):
    problem = hubs(seed)
    assert distant(problem)
    truth = by_frontier(problem, Limits(), NEVER).tables
    for limits in (Limits(), Limits(0.1, seed=1), Limits(0.01, deadline=0.5, seed=2)):
        solution = solve(problem, limits)
        assert true_error(solution.tables, truth) <= solution.accuracy.error
        assert solution.accuracy.exact or solution.engine not in ("mixture", "thinned")


@needs_kernels
def test_no_draws_are_taken_where_they_would_not_meet_what_matters():
    problem = hubs(0, risks=12, diseases=60, findings=30)
    assert distant(problem)
    assert exactly(problem, 1.0, Limits(), NEVER) is None
    assert mixed(problem, Limits(), NEVER) is None
    assert thinned(problem, Limits(), NEVER) is None
    guess = solve(problem, Limits(deadline=0.3))
    assert guess.engine == "sampling"
    assert weighed_explanations(problem, guess.tables, Limits(), NEVER) is None
    for by_name in (by_mixture, by_thinned):
        with pytest.raises(hickam.TooHard, match="risk factor that several diseases share"):
            by_name(problem, Limits(), NEVER)
