"""Two diseases at once: every number against exact fractions from the definitions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given, settings

import hickam
from exact import _parts, disease_worlds
from hickam.advise.pairs import Pair, pairs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.company import NetworkCompany
from hickam.issues import InvalidInput
from hickam.model.kinds import as_scm
from hickam.model.network import Network
from hickam.twin.company import ModelCompany
from strategies import networks_with_cases


class Both(NamedTuple):
    """Exact answers about two diseases; the lists are given that both are there."""

    chance: Fraction
    first: list[Fraction]
    second: list[Fraction]
    together: list[Fraction]


def by_definition(network: Network, case: Case, i: int, j: int) -> Both:
    """Sum over all disease states of P(state, evidence, the finding's only causes are cured)."""
    links = _parts(network)[1]
    evidence = locate(case, network)
    present = [int(s) for s in evidence.present]
    total = both = Fraction(0)
    gone = {cured: [Fraction(0)] * len(present) for cured in ((i,), (j,), (i, j))}
    for world, prior in disease_worlds(network, case):

        def fails(s: int, but: tuple[int, ...] = (), world: tuple[int, ...] = world) -> Fraction:
            lam = Fraction(float(network.finding_leak_fails[s]))
            for k, link in links[s].items():
                lam *= link if world[k] and k not in but else 1
            return lam

        weight = prior
        for s in map(int, evidence.absent):
            weight *= fails(s)
        chances = [1 - fails(s) for s in present]
        whole = weight
        for chance in chances:
            whole *= chance
        total += whole
        if not (world[i] and world[j]):
            continue
        both += whole
        for at, s in enumerate(present):
            rest = weight
            for other, chance in enumerate(chances):
                rest *= chance if other != at else 1
            for cured, sums in gone.items():
                mine = Fraction(1)
                for k in cured:
                    mine *= links[s].get(k, 1)
                sums[at] += rest * fails(s, cured) * (1 - mine)
    shares = [[part / both if both else Fraction(0) for part in gone[c]] for c in gone]
    return Both(both / total, *shares)


@settings(max_examples=150, deadline=None)
@given(networks_with_cases(soft=True))
def test_a_pair_is_as_likely_and_explains_as_much_as_the_definition_says(drawn):
    network, case = drawn
    company = NetworkCompany(network, locate(case, network), Limits())
    for one, other in itertools.combinations(company.leading(10), 2):
        exact = by_definition(network, case, network.index[one], network.index[other])
        assert company.chance(one, other) == pytest.approx(float(exact.chance), rel=1e-9)
        if exact.chance == 0:
            continue
        for found, true in (
            (company.removed(one, other), exact.first),
            (company.removed(other, one), exact.second),
            (company.removed_together(one, other), exact.together),
        ):
            assert found.tolist() == pytest.approx([float(x) for x in true], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(networks_with_cases(risks=2, diseases=3, findings=3))
def test_a_general_model_says_the_same_about_pairs(drawn):
    network, case = drawn
    evidence = locate(case, network)
    layered = NetworkCompany(network, evidence, Limits())
    general = ModelCompany.of(as_scm(network), evidence, Limits())
    for one, other in itertools.combinations(layered.leading(10), 2):
        chance = layered.chance(one, other)
        assert general.chance(one, other) == pytest.approx(chance, rel=1e-9, abs=1e-12)
        if chance > 1e-9:
            there = layered.removed(one, other).tolist()
            assert general.removed(one, other).tolist() == pytest.approx(there, abs=1e-7)
            both = layered.removed_together(one, other).tolist()
            assert general.removed_together(one, other).tolist() == pytest.approx(both, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(networks_with_cases())
def test_curing_both_removes_no_less_than_curing_either_and_shares_add_up_to_one(drawn):
    network, case = drawn
    for pair in pairs(network, case):
        assert isinstance(pair, Pair)
        for finding, both in pair.together.items():
            assert all(gone[finding] <= both + 1e-9 for gone in pair.alone)
            assert sum(pair.share(finding)) == pytest.approx(1.0)
            assert pair.left(0)[finding] == pytest.approx(1.0 - pair.alone[0][finding])


def test_two_unrelated_complaints_have_the_pair_of_their_causes_first():
    clinic = hickam.load("clinic")
    findings = ["dysuria", "urinary frequency", "sore throat", "runny nose"]
    best = pairs(clinic, Case(present=findings, risks=dict.fromkeys(clinic.risk_factors, False)))[0]
    assert set(best.names) == {"Cystitis", "Common cold"}


def test_a_dial_turned_towards_one_disease_makes_every_pair_less_likely():
    clinic = hickam.load("clinic")
    case = Case(present=["dysuria", "sore throat"], risks=dict.fromkeys(clinic.risk_factors, False))
    free, strict = pairs(clinic, case), pairs(clinic, case, dial=0.01)
    strictly = {pair.diseases: pair.chance for pair in strict}
    shared = [pair for pair in free if pair.diseases in strictly]
    assert shared
    assert all(strictly[pair.diseases] < pair.chance for pair in shared)


@pytest.mark.parametrize("top", [0, 46, True, 2.5])
def test_a_number_of_pairs_that_there_cannot_be_is_refused(top):
    with pytest.raises(InvalidInput, match="is not a number of pairs"):
        pairs(hickam.load("smoker"), Case(present=["chest pain"]), top=top)


def test_a_case_without_present_findings_has_no_pairs():
    assert len(pairs(hickam.load("smoker"), Case())) == 0
