import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import hickam
from exact import _parts, _twins, disease_worlds
from hickam.advise.what_if import cure, smallest_cure
from hickam.evidence.locate import locate
from strategies import network_of, networks_with_cases

NETWORK = network_of(
    {
        "diseases": [{"id": d, "leak": 0.125} for d in ("a", "b", "c")],
        "findings": [
            {"id": "x", "leak": 0.015625, "causes": {"a": 0.5, "b": 0.5}},
            {"id": "y", "leak": 0.015625, "causes": {"b": 0.25, "c": 0.75}},
        ],
    }
)
CASE = hickam.Case(present=["x", "y"])


def removed_by_definition(network, case, diseases):
    """P(finding goes away under do(all of the set = 0)) by enumerating worlds and noise bits."""
    _, into_finding = _parts(network)
    evidence = locate(case, network)
    total, gone = 0, [0] * len(evidence.present)
    chosen = {network.index[d] for d in diseases}
    for world, prior in disease_worlds(network, case):
        weight = prior
        for finding in map(int, evidence.absent):
            weight *= 1 - _twins(network, into_finding[finding], finding, world)[0]
        cured = tuple(0 if k in chosen else on for k, on in enumerate(world))
        on = [_twins(network, into_finding[int(f)], int(f), world)[0] for f in evidence.present]
        still = [_twins(network, into_finding[int(f)], int(f), cured)[0] for f in evidence.present]
        joint = weight
        for chance in on:
            joint *= chance
        total += joint
        for i in range(len(on)):
            rest = weight
            for j, chance in enumerate(on):
                rest *= chance if j != i else 1
            # monotone: with the same noise a finding that is on after the cure was on before it
            gone[i] += rest * (on[i] - still[i])
    return [float(g / total) for g in gone]


@given(networks_with_cases(risks=1, diseases=3, findings=3))
@settings(deadline=None, max_examples=40, derandomize=True)
def test_curing_a_set_removes_what_the_definition_says(drawn):
    network, case = drawn
    for size in (1, 2, 3):
        for diseases in itertools.combinations(network.diseases, size):
            ours = cure(network, case, diseases)
            exact = removed_by_definition(network, case, diseases)
            np.testing.assert_allclose(list(ours.removed.values()), exact, rtol=1e-8, atol=1e-12)


def test_curing_one_disease_is_its_expected_disablement():
    beliefs = hickam.infer(NETWORK, CASE)
    for position, disease in enumerate(NETWORK.diseases):
        what = cure(NETWORK, CASE, [disease])
        assert list(what.removed.values()) == pytest.approx(beliefs.disabled[position].tolist())


def test_curing_two_can_remove_more_than_the_sum_of_each():
    both = cure(NETWORK, CASE, ["a", "b"]).expected
    assert both > cure(NETWORK, CASE, ["a"]).expected + cure(NETWORK, CASE, ["b"]).expected


def test_the_smallest_cure_is_no_larger_than_needed():
    one = max(cure(NETWORK, CASE, [d]).expected for d in NETWORK.diseases)
    assert len(smallest_cure(NETWORK, CASE, one).diseases) == 1
    found = smallest_cure(NETWORK, CASE, one + 1e-6)
    assert len(found.diseases) == 2
    assert found.expected >= one + 1e-6
    assert found.smallest
    best = max(cure(NETWORK, CASE, pair).expected for pair in itertools.combinations("abc", 2))
    assert found.expected == pytest.approx(best)


def test_a_goal_out_of_reach_has_no_cure():
    assert smallest_cure(NETWORK, CASE, 2.0) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cure(NETWORK, CASE, ["aa"]), "disease 'aa' is not in the network"),
        (lambda: cure(NETWORK, CASE, []), "the set of diseases is empty"),
        (lambda: smallest_cure(NETWORK, CASE, 3.0), "is outside (0, 2]"),
    ],
)
def test_a_bad_question_is_named(call, message):
    with pytest.raises(hickam.InvalidInput) as caught:
        call()
    assert message in str(caught.value)
