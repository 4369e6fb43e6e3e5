"""Message passing in the kernel of many cases is believed where, and as far as, `vouched` says."""

from itertools import islice

import numpy as np
import pytest

from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference import cases
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.subsets import rounding_goal
from hickam.inference.coupled.vouched import trust, vouched
from hickam.inference.engines import finish
from hickam.inference.reduce import reduce_links
from hickam.kernels import compiled
from hickam.model.adapted import adapted
from truth_structures import instances

pytestmark = pytest.mark.skipif(compiled() is None, reason="installed without compiled kernels")

STRUCTURES = ["two_by_two", "near_certain", "huge_ratios", "rare", "sparse", "wide", "clinic"]


@pytest.fixture(autouse=True)
def _only_messages(monkeypatch):
    """Nothing exact is ever cheap enough."""
    monkeypatch.setattr(cases, "TRIFLING", 0.0)
    nothing = {"frontier": -1.0, "loops": -np.inf, "trifling": -1.0, "instead": -1.0}
    monkeypatch.setattr(cases, "trust", lambda limits: trust(limits)._replace(**nothing))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_kernel_believes_messages_where_they_are_vouched_for(structure):
    limits, met = Limits(), 0
    for _, (whole, case) in islice(instances(structure, seed=515), 40):
        evidence = locate(case, whole)
        network = adapted(whole, evidence.circumstances)
        problem = reduce_links(network, evidence, single_fault=True)  # with loose rows
        cheap = 2 ** len(problem.leak) * (50 + len(problem.edge_row) + len(problem.rows)) < 6e4
        if problem.settled or not cheap or not (problem.leak > 0.0).all():
            continue
        (found,) = cases.easy_cases(network, [evidence], limits)
        solution = vouched(problem, bethe(problem, rounding_goal(limits)), limits)
        assert (found is None) == (solution is None)
        met += 1
        if found is None or solution is None:
            continue
        twin = finish(network, evidence, problem, solution)
        assert found.engine == twin.engine == "bethe"
        for name in ("error", "unexplained", "log_evidence", "condition"):
            stated, other = (getattr(one.accuracy, name) for one in (found, twin))
            assert stated == pytest.approx(other, rel=1e-2, abs=1e-8)
        assert found.log_evidence == pytest.approx(twin.log_evidence, abs=1e-9)
        for name in ("posterior", "disabled", "sustained", "unexplained", "single_fault"):
            np.testing.assert_allclose(getattr(found, name), getattr(twin, name), atol=1e-8)
    assert met
