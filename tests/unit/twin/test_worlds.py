"""Twins are built as far as their targets need them, and no further."""

import numpy as np

from hickam.model.scm_build import build_scm
from hickam.twin.actions import cure, only
from hickam.twin.factorise import factorise
from hickam.twin.shared import Shared
from hickam.twin.sums import Sums
from hickam.twin.worlds import Const, Slot, build_twin

NODES = [
    {"id": "r", "role": "risk factor", "prior": 0.3},
    {"id": "a", "role": "disease", "leak": 0.1, "causes": {"r": 0.5}},
    {"id": "b", "role": "disease", "leak": 0.05, "causes": {"r": 0.2, "a": 0.4}},
    {"id": "c", "role": "disease", "leak": 0.2},
    {"id": "s", "role": "finding", "leak": 0.02, "causes": {"a": 0.7, "c": 0.6}},
    {"id": "t", "role": "finding", "leak": 0.01, "causes": {"b": 0.8, "c": 0.3}},
]
OBSERVED = {"s": 1, "t": 1}


def model():
    found, issues = build_scm({"hickam": 1, "name": "m", "nodes": NODES})
    assert found is not None, issues
    return found


def renewed(twin):
    """The nodes whose places are not those of the factual world."""
    return {name for name, place in twin.places.items() if place is not twin.ground.places[name]}


def test_a_cure_places_anew_only_what_lies_between_it_and_the_target():
    scm = model()
    twin = build_twin(scm, [cure(scm, "a")], OBSERVED, [(1, "s")])
    assert renewed(twin) == {"a", "s"}  # not b and t, which a affects too
    assert twin.places["a"].value == (Slot(0), Const(0))
    through = build_twin(scm, [cure(scm, "a")], OBSERVED, [(1, "t")])
    assert renewed(through) == {"a", "b", "t"}


def test_all_else_off_places_anew_only_the_causes_of_the_target():
    scm = model()
    actions = [only(scm, "a"), only(scm, "a", on=False)]
    twin = build_twin(scm, actions, OBSERVED, [(1, "s"), (2, "s")])
    assert renewed(twin) == {"a", "c", "s"}


def test_a_whole_twin_places_everything_that_an_action_moves():
    scm = model()
    twin = build_twin(scm, [cure(scm, "a")], OBSERVED, [(1, "s")], whole=True)
    assert renewed(twin) == {"a", "b", "s", "t"}


def test_what_no_target_needs_changes_no_answer():
    scm = model()
    for disease in scm.diseases:
        for actions in ([cure(scm, disease)], [only(scm, disease)]):
            both = []
            for whole in (False, True):
                twin = build_twin(scm, actions, OBSERVED, [(1, "s"), (1, "t")], whole=whole)
                product = factorise(twin)
                wanted = [node for node in ("s", "t") if node in product.sizes]
                both.append(Sums(product.factors, product.sizes).calibrate(wanted))
            assert both[0].log_total == both[1].log_total
            for node, belief in both[0].beliefs.items():
                np.testing.assert_array_equal(belief, both[1].beliefs[node])


def test_parts_that_a_cure_leaves_alone_are_those_of_the_factual_world():
    scm, shared, weights = model(), Shared(), {"c": np.array([1.0, 2.0])}
    factual = factorise(build_twin(scm, [], OBSERVED, [], shared=shared), weights, shared=shared)
    kept = {id(factor) for factor in factual.factors}
    twin = build_twin(scm, [cure(scm, "a")], OBSERVED, [(1, "s")], shared=shared)
    cured = factorise(twin, weights, shared=shared)
    anew = {factor.sets for factor in cured.factors if id(factor) not in kept}
    assert {name if isinstance(name, str) else name[0] for name in anew} == {"s"}
