"""Limits are kept: the best answer within them, or a refusal that names the price."""

import time

import numpy as np
import pytest

import hickam
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.sampling.sampled import by_sampling, sampled
from hickam.inference.settled.choice import exact_ways, settled
from hickam.inference.settled.components import parts_of
from hickam.inference.solve import solve
from hickam.issues import TooHard
from hickam.kernels import compiled
from hickam.model.build import build_network
from planted import planted_problem

needs_kernels = pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")


def test_too_little_memory_is_refused_with_the_predicted_size():
    problem = planted_problem(1, rows=300, present=24)
    with pytest.raises(TooHard, match=r"24 present findings .* need about .* MB .* 0\.1 MB"):
        settled(problem, Limits(memory=100_000))


@needs_kernels
def test_a_deadline_that_not_even_the_shortest_sample_keeps_is_refused():
    problem = planted_problem(1, rows=3000, present=30)
    for solver in (solve, by_sampling):
        with pytest.raises(TooHard, match=r"seconds even for a rough sample; the limit is 0\.001"):
            solver(problem, Limits(deadline=0.001), Deadline.after(0.001))


@needs_kernels
def test_a_deadline_gets_the_best_answer_with_its_accuracy():
    problem = planted_problem(1, rows=500, present=30)
    began = time.monotonic()
    tables, engine, accuracy = solve(problem, Limits(deadline=0.5))
    assert engine in ("thinned", "sampling")
    assert accuracy.kind == "sampled"
    assert time.monotonic() - began < 30.0  # generous: the machine may be busy
    assert np.all(np.isfinite(tables.posterior))


def test_an_engine_asked_for_by_name_refuses_what_it_cannot_hold():
    problem = planted_problem(1, rows=300, present=24)
    with pytest.raises(TooHard, match="engine 'cover' is too hard"):
        settled(problem, Limits(memory=10_000_000), only="cover")


def test_predicted_memory_never_exceeds_the_limit_of_what_is_run():
    problem = planted_problem(2, rows=300, present=20)
    for way in exact_ways(problem):
        assert way.memory > 0.0
        assert way.seconds > 0.0


@needs_kernels
def test_the_same_seed_gives_the_same_sample():
    problem = planted_problem(3, rows=200, present=30)
    first, _ = sampled(problem, Limits(seed=7), steps=2000)
    second, _ = sampled(problem, Limits(seed=7), steps=2000)
    np.testing.assert_array_equal(first.posterior, second.posterior)


def test_unconnected_findings_are_solved_apart():
    """Forty findings in ten islands are exact, though 2^40 subsets would not be."""
    document = {
        "hickam": 1,
        "name": "islands",
        "diseases": [{"id": f"d{k}", "leak": 0.01} for k in range(20)],
        "findings": [
            {
                "id": f"f{s}",
                "leak": 0.02,
                "causes": {f"d{s // 4 * 2}": 0.7, f"d{s // 4 * 2 + 1}": 0.4},
            }
            for s in range(40)
        ],
    }
    from hickam.model.build import build_network

    network, _ = build_network(document)
    beliefs = hickam.infer(network, hickam.Case(present=network.findings))
    assert beliefs.accuracy.exact
    alone = hickam.infer(network, hickam.Case(present=network.findings[:4]))
    np.testing.assert_allclose(beliefs.posterior[:2], alone.posterior[:2], rtol=1e-12)


def test_parts_share_no_finding_and_no_disease():
    problem = planted_problem(4, rows=40, findings=60, present=12, links=(1, 2))
    parts = parts_of(problem)
    rows = np.concatenate([part.rows for part in parts])
    columns = np.concatenate([part.columns for part in parts])
    assert len(set(rows)) == len(rows)
    assert sorted(columns) == list(range(12))


@pytest.mark.parametrize("engine", ["sampling", "frontier", "cover", "lattice", "bethe", "auto"])
def test_every_engine_answers_when_no_disease_is_in_question(engine):
    network = hickam.load("smoker")
    beliefs = hickam.infer(network, hickam.Case(), engine=engine)
    np.testing.assert_allclose(beliefs.posterior, network.prior, rtol=1e-12)
    assert beliefs.log_evidence == pytest.approx(0.0, abs=1e-12)


@needs_kernels
def test_messages_whose_check_fits_no_memory_are_refused_in_words():
    # Messages take little memory; what would measure their error on the strongest couplings, much.
    rng = np.random.default_rng(5)
    risks, diseases, findings = 8, 8, 16
    document = {
        "hickam": 1,
        "name": "dense",
        "risk_factors": [{"id": f"r{j}", "prior": 0.3} for j in range(risks)],
        "diseases": [
            {
                "id": f"d{k}",
                "leak": 0.01,
                "causes": {f"r{j}": float(rng.uniform(0.3, 0.9)) for j in range(risks)},
            }
            for k in range(diseases)
        ],
        "findings": [
            {
                "id": f"f{s}",
                "leak": 0.01,
                "causes": {f"d{k}": float(rng.uniform(0.2, 0.8)) for k in range(diseases)},
            }
            for s in range(findings)
        ],
    }
    network, _ = build_network(document)
    case = hickam.Case(present=network.findings)
    with pytest.raises(TooHard) as refused:
        hickam.infer(network, case, engine="bethe", memory=200_000)
    assert "could be checked" in str(refused.value)
