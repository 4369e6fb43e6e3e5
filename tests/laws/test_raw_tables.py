"""What an engine returns obeys the laws before anything is trimmed, within what it states."""

from itertools import islice

import numpy as np
import pytest

from hickam.beliefs.beliefs import FLOOR, LEAST_TRIM, tidy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.checked import by_messages
from hickam.inference.coupled.elimination import by_elimination
from hickam.inference.coupled.explanations import by_explanations
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import by_sampling
from hickam.inference.settled.choice import by_cover, by_lattice
from hickam.inference.solve import solve
from hickam.issues import LostPrecision, TooHard
from hickam.kernels import compiled
from truth_structures import instances

SOLVERS = {
    "auto": solve,
    "cover": by_cover,
    "lattice": by_lattice,
    "frontier": by_frontier,
    "elimination": by_elimination,
    "explanations": by_explanations,
    "bethe": by_messages,
    "sampling": by_sampling,
}
STRUCTURES = ("dense", "ring", "two_by_two", "near_certain", "certain", "huge_ratios", "settled")
needs_kernels = pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")


def worst_breach(tables):
    """The largest breach of 0 <= disabled <= sustained <= posterior <= 1, as errors are stated."""
    posterior = tables.posterior[:, None]
    gaps = [
        -tables.disabled / np.maximum(tables.sustained, FLOOR),
        (tables.disabled - tables.sustained) / np.maximum(tables.sustained, FLOOR),
        (tables.sustained - posterior) / np.maximum(posterior, FLOOR),
        posterior - 1.0,
    ]
    return max(float(gap.max(initial=0.0)) for gap in gaps)


@needs_kernels
@pytest.mark.parametrize("engine", SOLVERS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_raw_tables_break_their_laws_by_no_more_than_is_stated(engine, structure):
    answered = 0
    for _, (network, case) in islice(instances(structure, seed=9), 6):
        problem = reduce(network, locate(case, network))
        limits = Limits(deadline=0.2) if engine == "sampling" else Limits()
        try:
            tables, _, accuracy = SOLVERS[engine](problem, limits, Deadline.after(limits.deadline))
        except (TooHard, LostPrecision):
            continue
        answered += 1
        assert worst_breach(tables) <= max(accuracy.error, LEAST_TRIM)
    assert answered or engine in ("cover", "lattice", "bethe")


def test_trimming_more_than_is_stated_is_refused():
    posterior = np.array([-0.449, 1.0])
    none = np.zeros((2, 1))
    with pytest.raises(LostPrecision, match="breaks its laws"):
        tidy(posterior, none, none, 5e-6)
    trimmed, _, _ = tidy(np.array([-1e-9, 1.0 + 1e-9]), none, none, 5e-6)
    assert trimmed.tolist() == [0.0, 1.0]
