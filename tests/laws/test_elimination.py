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
from hickam.inference.problem import Problem
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


def far_apart(rng: np.random.Generator, risks: int, listeners: int, columns: int) -> Problem:
    """A tree of risk factors, a disease for each two neighbours, and diseases that only listen.

    What a listener hears comes from anywhere in the tree, so that hardly two of its risk factors
    meet in a table: it comes over chains, from several branches, and joins others on the way.
    """
    heard = [[int(rng.integers(j)), j] for j in range(1, risks)]
    reached = len(heard)
    for _ in range(listeners):
        some = rng.choice(risks, int(rng.integers(1, min(7, risks) + 1)), replace=False)
        heard.append(sorted(some.tolist()))
    edges = sorted((risk, row) for row, causes in enumerate(heard) for risk in causes)
    rows = len(heard)
    off, fails = rng.uniform(0.5, 0.999, rows), rng.uniform(0.05, 0.95, (rows, columns))
    fails[reached:] = 1.0
    leak, edge_acts = rng.uniform(0.01, 0.3, columns), rng.uniform(0.05, 0.9, len(edges))
    speaks = np.arange(rows) < reached
    return Problem(
        size=rows,
        rows=np.arange(rows),
        reached=speaks,
        on=1.0 - off,
        off=off,
        weight_on=np.where(speaks, rng.uniform(0.3, 1.0, rows), 1.0),
        weight_off=np.ones(rows),
        acts=1.0 - fails,
        fails=fails,
        leak=leak,
        leak_fails=1.0 - leak,
        risks=np.arange(risks),
        risk_prior=rng.uniform(0.02, 0.6, risks),
        edge_risk=np.array([risk for risk, _ in edges]),
        edge_row=np.array([row for _, row in edges]),
        edge_acts=edge_acts,
        edge_fails=1.0 - edge_acts,
        log_scale=0.0,
        elsewhere=np.zeros(rows),
    )


@pytest.mark.parametrize("goal", [NONE, 1e-14], ids=["float64", "double-double"])
@pytest.mark.parametrize("columns", [1, 3, 4])
def test_a_disease_that_listens_from_afar_is_told_what_the_frontier_tells_it(columns, goal):
    rng = np.random.default_rng(5)
    for risks in (3, 6, 9, 12, 16):
        problem = far_apart(rng, risks, 12, columns)
        exact = frontier(problem, operations=1e9)
        found, _ = eliminated(problem, 1.0, Limits(), NEVER, goal)
        assert exact.tables is not None
        assert found is not None
        assert difference(found.tables, exact.tables) <= found.accuracy.error + exact.rounding
