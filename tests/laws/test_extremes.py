"""What is known of every score whatever the samples show, and of messages without loops."""

from itertools import islice

import numpy as np
import pytest

import hickam
from conditioned import condition_on_risks
from hickam.beliefs.beliefs import score_error
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.checked import by_messages, loopless
from hickam.inference.coupled.difference import by_score
from hickam.inference.extremes import extremes
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import sampled
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from truth_reference import Impossible, truth
from truth_structures import instances

STRUCTURES = ("dense", "near_certain", "certain", "huge_ratios", "rare", "tree", "settled")
needs_kernels = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")


def problems(name, count, seed=41):
    for number, (network, case) in islice(instances(name, seed), count):
        evidence = locate(case, network)
        yield number, reduce(adapted(network, evidence.circumstances), evidence)


def build(risks, diseases, findings):
    """A network from priors, (leak, causes) of diseases and (leak, causes) of findings."""
    document = {
        "hickam": 1,
        "name": "few",
        "risk_factors": [{"id": name, "prior": prior} for name, prior in risks.items()],
        "diseases": [
            {"id": name, "leak": leak, "causes": causes}
            for name, (leak, causes) in diseases.items()
        ],
        "findings": [
            {"id": name, "leak": leak, "causes": causes}
            for name, (leak, causes) in findings.items()
        ],
    }
    network, issues = hickam.model.build.build_network(document)
    assert network is not None, issues
    return network


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_score_lies_between_its_extremes(name):
    held = 0
    for number, problem in problems(name, 25):
        tables = by_frontier(problem, Limits(), NEVER).tables
        if not np.isfinite(tables.log_evidence):
            continue
        exact, (least, most) = by_score(tables), extremes(problem)
        assert (exact >= least * (1.0 - 1e-9) - 1e-15).all(), number
        assert (exact <= most * (1.0 + 1e-9) + 1e-15).all(), number
        held += len(exact)
    assert held > 25


def test_the_extremes_of_a_disease_that_meets_no_other_are_its_scores():
    network = build(
        {},
        {"alone": (0.01, {}), "one": (0.02, {}), "two": (0.03, {})},
        {"own": (0.05, {"alone": 0.6}), "shared": (0.04, {"one": 0.7, "two": 0.5})},
    )
    problem = reduce(network, locate(hickam.Case(["own", "shared"]), network))
    exact, (least, most) = by_score(condition_on_risks(problem)), extremes(problem)
    np.testing.assert_allclose(least[0], exact[0], rtol=1e-12)
    np.testing.assert_allclose(most[0], exact[0], rtol=1e-12)
    assert (least[1:] < 0.999 * exact[1:]).all()
    assert (most[1:] > 1.001 * exact[1:]).all()


def test_extremes_are_reached_where_the_others_are_certain():
    # one disease is there for sure or hardly ever: the other's scores are at either end
    for leak, end in ((1.0 - 1e-12, 0), (1e-12, 1)):
        network = build(
            {},
            {"asked": (0.02, {}), "other": (leak, {})},
            {"finding": (0.04, {"asked": 0.7, "other": 0.5})},
        )
        problem = reduce(network, locate(hickam.Case(["finding"]), network))
        exact = by_score(condition_on_risks(problem))
        np.testing.assert_allclose(extremes(problem)[end][0], exact[0], rtol=1e-9)


def test_a_score_is_too_low_by_all_of_the_truth_at_most():
    nothing, one = np.zeros(1), np.ones(1)
    assert score_error(np.array([0.5]), np.array([1e-5]), nothing, one) == pytest.approx(1.0, 1e-4)
    # too high by all of itself, in the unit of errors
    assert score_error(np.array([0.5]), np.array([0.02]), nothing, one) == pytest.approx(20.0)
    # what is known better is believed
    assert score_error(np.array([1e-3]), np.array([0.5]), nothing, one) < 0.0021
    # a score that cannot be true says by how much at least
    assert score_error(np.zeros(1), np.array([0.5]), np.array([0.6]), one) >= 0.1 / 0.6


@needs_kernels
def test_of_a_disease_that_meets_no_other_the_error_of_samples_is_known():
    network = build({}, {"alone": (0.01, {})}, {"own": (0.05, {"alone": 0.6})})
    problem = reduce(network, locate(hickam.Case(["own"]), network))
    tables, accuracy = sampled(problem, Limits(), 3000)
    right = by_score(condition_on_risks(problem))
    off = float((np.abs(by_score(tables) - right) / right).max())
    assert off <= accuracy.error <= off + 1e-8


def test_couplings_without_a_loop_are_told_from_those_with_one():
    assert all(loopless(problem) for _, problem in problems("tree", 20))
    assert all(loopless(problem) for _, problem in problems("settled", 20))
    some = [problem for _, problem in problems("ring", 20)]
    around = [len(problem.edge_row) == 2 * len(problem.risks) for problem in some]
    assert any(around)
    for problem, whole in zip(some, around, strict=True):
        assert loopless(problem) != (whole and len(problem.rows) == len(problem.risks))


@needs_kernels
@pytest.mark.parametrize("name", ["tree", "settled", "certain", "huge_ratios", "rare"])
def test_messages_that_call_themselves_exact_are(name):
    exact = 0
    for number, (network, case) in islice(instances(name, 43), 40):
        try:
            right = truth(network, case)
            beliefs = hickam.infer(network, case, "bethe")
        except (Impossible, hickam.ImpossibleEvidence, hickam.TooHard):
            continue
        sound = np.stack([right.posterior, right.disabled.sum(1), right.sustained.sum(1)])
        found = np.stack([beliefs.posterior, beliefs.disabled.sum(1), beliefs.sustained.sum(1)])
        off = np.abs(found - sound) / np.maximum(sound, 1e-3)
        if beliefs.accuracy.exact:
            assert off.max() <= beliefs.accuracy.error + right.doubt, number
            exact += 1
    assert exact > (30 if name in ("tree", "settled") else 0)


@needs_kernels
def test_messages_around_a_loop_do_not_call_themselves_exact():
    told = [by_messages(problem, Limits(), NEVER) for _, problem in problems("two_by_two", 5)]
    assert not any(solution.accuracy.exact for solution in told)
