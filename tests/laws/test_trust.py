"""How answers follow the numbers: exact lines, sure bounds, redrawn networks that stay sound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.exact import by_definition
from tests.strategies import (
    cases_for,
    documents,
    documents_by_person,
    documents_with_kinds,
    network_of,
)

from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.infer import infer
from hickam.inference.enumeration import enumerate_worlds
from hickam.issues import InvalidInput
from hickam.model.adapted import USUAL, adapted
from hickam.model.network import Links, Network
from hickam.trust.curves import with_odds
from hickam.trust.examine import MEASURED, Examination
from hickam.trust.numbers import Number
from hickam.trust.redraw import Redraw
from hickam.trust.sensitivity import sensitivity

FACTOR = 3.0
measures = st.sampled_from(MEASURED)


def with_number(network: Network, number: Number, value: float) -> Network:
    """The network with one of its numbers changed."""
    index, both = network.index, (value, 1.0 - value)

    def put(array: np.ndarray, at: int, new: float) -> np.ndarray:
        changed = array.copy()
        changed[at] = new
        return changed

    def linked(links: Links, cause: int, effect: int) -> Links:
        (at,) = np.flatnonzero((links.cause == cause) & (links.effect == effect))
        return replace(
            links, acts=put(links.acts, at, both[0]), fails=put(links.fails, at, both[1])
        )

    if number.kind == "link":
        ends = index[number.cause], index[number.effect]
        which = "effects" if number.effect in network.findings else "causes"
        return replace(network, **{which: linked(getattr(network, which), *ends)})
    at = index[number.effect]
    if number.effect in network.risk_factors:
        return replace(network, risk_prior=put(network.risk_prior, at, value))
    layer = "disease" if number.effect in network.diseases else "finding"
    return replace(
        network,
        **{
            f"{layer}_leak": put(getattr(network, f"{layer}_leak"), at, both[0]),
            f"{layer}_leak_fails": put(getattr(network, f"{layer}_leak_fails"), at, both[1]),
        },
    )


def examined(network: Network, case: Case, measure: str) -> Examination:
    """A case with every number of its network examined."""
    evidence = locate(case, network)
    own = adapted(network, evidence.circumstances)
    known = Examination(own, evidence, measure, FACTOR, Limits(), NEVER)
    known.examine(0, 0, top=10**9)
    return known


@settings(max_examples=60, deadline=None)
@given(st.data(), documents(risks=2, diseases=3, findings=3), measures, st.integers(1, 63))
def test_a_curve_is_the_paper_with_another_number(data, document, measure, sixty_fourths) -> None:
    """Every score at any value of any number is what exact rational arithmetic says."""
    network = network_of(document)
    case = data.draw(cases_for(network, soft=True))
    value = sixty_fourths / 64
    for number, curve in examined(network, case, measure).curves():
        exact = by_definition(with_number(network, number, value), case)
        expected = [float(score) for score in getattr(exact, measure)]
        assert curve.scores(value) == pytest.approx(expected, rel=1e-6, abs=1e-9), number


@settings(max_examples=40, deadline=None)
@given(st.data(), documents(risks=2, diseases=3, findings=3), measures)
def test_a_slope_is_the_limit_of_differences(data, document, measure) -> None:
    """The exact derivative by the log odds, against central differences of exact fractions."""
    network = network_of(document)
    case = data.draw(cases_for(network))
    step = 1e-4
    for number, curve in examined(network, case, measure).curves():
        ends = [
            by_definition(with_number(network, number, with_odds(number.value, by)), case)
            for by in (np.exp(-step), np.exp(step))
        ]
        low, high = (np.array([float(s) for s in getattr(end, measure)]) for end in ends)
        assert curve.slopes() == pytest.approx((high - low) / (2.0 * step), rel=1e-5, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(st.data(), documents_by_person(risks=2, diseases=3, findings=3), measures)
def test_numbers_are_those_of_the_network_for_this_patient(data, document, measure) -> None:
    """With kinds of findings, sex, age and categories, a curve follows the adapted network."""
    network = network_of(document)
    someone = {"sex": data.draw(st.sampled_from([None, "female", "male"])), "age": 30}
    try:
        case = replace(data.draw(cases_for(network)), **someone)
        infer(network, case)
    except InvalidInput:  # impossible for this patient
        assume(False)
    evidence = locate(case, network)
    own = adapted(network, evidence.circumstances)
    plain = replace(evidence, circumstances=USUAL)
    weights = np.ones(len(evidence.present))
    for number, curve in examined(network, case, measure).curves():
        beliefs = enumerate_worlds(with_number(own, number, 0.375), plain)
        tables = {
            "posterior": beliefs.posterior,
            "disablement": beliefs.disabled @ weights,
            "sufficiency": beliefs.sustained @ weights,
        }
        assert curve.scores(0.375) == pytest.approx(tables[measure], rel=1e-6, abs=1e-9), number


@settings(max_examples=60, deadline=None)
@given(st.data(), documents(risks=3, diseases=4, findings=3), measures)
def test_what_was_not_examined_moves_no_more_than_the_bound(data, document, measure) -> None:
    """Stopping early gives the same strongest numbers as examining all, and a bound on the rest."""
    network = network_of(document)
    case = data.draw(cases_for(network))
    assume(case.present)
    scores = by_definition(network, case)
    assume(max(getattr(scores, measure)) > 0)
    few = sensitivity(network, case, measure, factor=FACTOR, top=1)
    whole = sensitivity(network, case, measure, factor=FACTOR, top=10**9)
    assert len(whole.effects) == whole.numbers == few.numbers
    assert whole.left == 0.0
    if whole.effects:
        assert few.effects[0].swing == pytest.approx(whole.effects[0].swing, abs=1e-9)
    seen = {(e.number.kind, e.number.cause, e.number.effect) for e in few.effects}
    for effect in whole.effects:
        number = effect.number
        if (number.kind, number.cause, number.effect) not in seen:
            assert effect.swing <= few.left + 1e-9
            assert not (few.settled and effect.near(FACTOR))


@settings(max_examples=60, deadline=None)
@given(st.data(), documents(risks=2, diseases=4, findings=3))
def test_at_a_turn_two_diseases_share_the_first_place(data, document) -> None:
    """At the value told, the first and the one that takes over have the same score."""
    network = network_of(document)
    case = data.draw(cases_for(network))
    assume(case.present)
    assume(max(by_definition(network, case).disablement) > 0)
    found = sensitivity(network, case, factor=FACTOR, top=10**9)
    for effect in found.effects:
        for turn in effect.turns:
            # values that floating point cannot hold apart from 0 or 1 are no test of the line
            if not 1e-6 < turn.value < 1.0 - 1e-6:
                continue
            beliefs = infer(with_number(network, effect.number, turn.value), case)
            scores = beliefs.disabled.sum(axis=1)
            first, other = (scores[network.index[d]] for d in (found.leader, turn.disease))
            assert first == pytest.approx(other, rel=1e-5, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(documents_with_kinds(risks=2, diseases=3, findings=4), st.integers(0, 99))
def test_a_redrawn_network_is_sound_and_within_the_factor(document, seed) -> None:
    """Numbers stay within the factor, certainties stay, and kinds stay kinds of their wholes."""
    network = network_of(document)
    drawn = Redraw(network, FACTOR).draw(np.random.default_rng(seed))
    for name in ("risk_prior", "disease_leak"):
        before, after = getattr(network, name), getattr(drawn, name)
        certain = (before == 0.0) | (before == 1.0)
        assert (after[certain] == before[certain]).all()
        with np.errstate(divide="ignore", invalid="ignore"):
            by = after / (1.0 - after) * (1.0 - before) / before
        assert ((by[~certain] <= FACTOR * 1.001) & (by[~certain] >= 0.999 / FACTOR)).all()
    for place, finding in enumerate(network.findings):
        whole = network.entries[finding].is_a
        if whole:
            wider = network.index[whole]
            assert drawn.finding_leak[wider] >= drawn.finding_leak[place] - 1e-12
            strength = dict(
                zip(
                    zip(drawn.effects.cause.tolist(), drawn.effects.effect.tolist(), strict=True),
                    drawn.effects.acts.tolist(),
                    strict=True,
                )
            )
            for (cause, effect), acts in strength.items():
                if effect == place:
                    assert strength[cause, wider] >= acts - 1e-12
    unmoved = Redraw(network, 1.0).draw(np.random.default_rng(seed))
    assert unmoved.effects.acts == pytest.approx(network.effects.acts, rel=1e-9, abs=1e-12)
    assert unmoved.finding_leak == pytest.approx(network.finding_leak, rel=1e-9, abs=1e-12)
