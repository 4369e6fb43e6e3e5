"""Summing risk factors out on every subset of the findings gives what the frontier gives."""

from itertools import islice

import numpy as np
import pytest

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.conflict import is_possible
from hickam.evidence.locate import locate
from hickam.inference.cases import easy_cases
from hickam.inference.coupled.difference import difference
from hickam.inference.coupled.elimination import EXACT, LEAST, MARGIN, eliminated
from hickam.inference.engines import ENGINES
from hickam.inference.frontier.visit import frontier
from hickam.inference.reduce import reduce
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from truth_structures import instances

pytestmark = pytest.mark.skipif(compiled() is None, reason="there is only a compiled elimination")
STRUCTURES = ("dense", "ring", "grid", "sparse", "wide", "star", "near_certain", "rare", "clinic")
NONE = 1e300  # of rounding: float64 in any case


@pytest.mark.parametrize(
    "goal", [NONE, EXACT / MARGIN, 1e-14], ids=["float64", "usual", "double-double"]
)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_is_as_near_to_the_frontier_as_it_states(structure, goal):
    met = 0
    for _, (network, case) in islice(instances(structure, seed=21), 8):
        evidence = locate(case, network)
        problem = reduce(adapted(network, evidence.circumstances), evidence)
        if problem.settled or len(problem.leak) > 8:
            continue
        exact = frontier(problem, operations=1e8)
        found, _ = eliminated(problem, 0.1, Limits(), NEVER, goal)
        if exact.tables is None or found is None:
            continue
        met += 1
        stated = found.accuracy.error + exact.rounding
        assert difference(found.tables, exact.tables) <= stated
        assert found.tables.log_evidence == pytest.approx(exact.tables.log_evidence, abs=stated)
        gap = np.abs(found.tables.unexplained - exact.tables.unexplained)
        assert gap.max(initial=0.0) <= stated
        assert found.accuracy.error <= max(MARGIN * goal, LEAST)
    assert met


@pytest.mark.parametrize("structure", ["grid", "sparse", "clinic"])
def test_many_cases_in_one_call_are_what_the_engine_gives_one_by_one(structure):
    for _, (whole, case) in islice(instances(structure, seed=22), 6):
        evidence = locate(case, whole)
        network = adapted(whole, evidence.circumstances)
        together = easy_cases(network, [evidence, evidence], Limits())
        alone = ENGINES["auto"].run(network, evidence, Limits())
        for found in together:
            if found is None:
                continue
            room = found.accuracy.error + alone.accuracy.error
            for name in ("posterior", "disabled", "sustained"):
                one, other = getattr(found, name), getattr(alone, name)
                gap = np.abs(one - other) / np.maximum(alone.posterior, FLOOR).reshape(
                    -1, *[1] * (one.ndim - 1)
                )
                assert gap.max(initial=0.0) <= 2 * room
            np.testing.assert_allclose(found.single_fault, alone.single_fault, atol=1e-12)
            assert found.log_evidence == pytest.approx(alone.log_evidence, abs=2 * room)


def test_a_case_that_contradicts_the_network_is_left_to_the_engines_that_explain_it():
    left = 0
    for _, (network, case) in islice(instances("certain", seed=31), 60):
        evidence = locate(case, network)
        own = adapted(network, evidence.circumstances)
        (found,) = easy_cases(own, [evidence], Limits())
        if not is_possible(own, evidence):
            assert found is None
            left += 1
    assert left
