"""Sampled answers on general models are as near to the exact ones as they state."""

from itertools import islice

import numpy as np
import pytest

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.infer import infer
from hickam.issues import InvalidInput
from hickam.model.kinds import as_scm
from hickam.twin.infer import infer_scm
from truth_structures import instances


@pytest.mark.parametrize("structure", ["near_certain", "rare", "huge_ratios", "two_by_two"])
def test_what_no_sample_met_is_allowed_for(structure):
    met = 0
    for _, (network, case) in islice(instances(structure, seed=51), 6):
        model = as_scm(network)
        try:
            exact = infer(network, case, engine="frontier")
            sampled = infer_scm(model, locate(case, model), "sampling", Limits())
        except InvalidInput:
            continue
        met += 1
        pairs = (
            (sampled.posterior, exact.posterior),
            (sampled.disabled.sum(axis=1), exact.disabled.sum(axis=1)),
            (sampled.sustained.sum(axis=1), exact.sustained.sum(axis=1)),
        )
        for one, other in pairs:
            gap = np.abs(one - other) / np.maximum(np.abs(other), FLOOR)
            assert gap.max(initial=0.0) <= sampled.accuracy.error
    assert met
