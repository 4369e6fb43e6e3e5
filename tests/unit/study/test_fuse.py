import numpy as np
import pytest

import hickam
from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, Vignette, ranked
from hickam.study.design import Setting
from hickam.study.fuse import (
    class_masses,
    fit_weights,
    gather,
    held_out,
    position_weights,
    single_fault_scores,
)


@pytest.fixture(scope="module")
def network():
    return hickam.load("smoker")


def vignettes(network, count=24):
    names = network.diseases
    found = []
    for number in range(count):
        truth = names[number % len(names)]
        other = names[(number + 1) % len(names)]
        order = [truth, other] if number % 4 else [other]
        opinions = tuple(Opinion(f"d{(number + k) % 6}", ranked(order)) for k in range(2))
        case = Case(present=[network.findings[number % len(network.findings)]], id=str(number))
        found.append(Vignette(str(number), case, (truth,), opinions=opinions))
    return found


def test_fitted_weights_recover_the_shares_when_masses_are_equal():
    mass = np.full((1000, 2), 0.5)
    truth = np.array([1] * 800 + [0] * 200)
    assert np.exp(fit_weights(mass, truth))[1] == pytest.approx(4.0, rel=0.02)


def test_a_position_that_is_often_right_weighs_more_than_one_that_is_not(network):
    some = vignettes(network)
    opinions = gather(some)
    scores = single_fault_scores(network, some, Setting("s"))
    masses = class_masses(network, some, opinions, scores, 2)
    weights = position_weights(masses, np.ones(len(opinions), dtype=bool), "all")
    assert weights.ratio(1) > weights.ratio(2)
    assert weights.ratio(1) > weights.unlisted


def test_weights_never_see_the_doctor_or_the_vignette_they_are_used_on(network):
    some = vignettes(network)
    opinions = gather(some)
    vignette_fold, doctor_fold = np.arange(24) % 3, np.arange(6) % 2
    setting = [Setting("s")] * 3
    told, _ = held_out(network, some, opinions, setting, vignette_fold, doctor_fold, 2)
    before = {item.row: item.vignette.case.likelihoods for item in told}
    row = 0
    spoiled = []
    for number, vignette in enumerate(some):
        same_fold = vignette_fold[number] == vignette_fold[opinions.vignette[row]]
        changed = tuple(
            Opinion(o.doctor, ranked(list(reversed(o.diseases))))
            if (same_fold or doctor_fold[int(o.doctor[1:])] == doctor_fold[opinions.doctor[row]])
            and (number, o.doctor)
            != (opinions.vignette[row], opinions.doctors[opinions.doctor[row]])
            else o
            for o in vignette.opinions
        )
        spoiled.append(Vignette(vignette.id, vignette.case, vignette.diseases, opinions=changed))
    told, _ = held_out(network, spoiled, gather(spoiled), setting, vignette_fold, doctor_fold, 2)
    after = {item.row: item.vignette.case.likelihoods for item in told}
    assert after[row] == before[row]


def test_every_opinion_is_held_out_exactly_once(network):
    some = vignettes(network)
    opinions = gather(some)
    told, cells = held_out(
        network, some, opinions, [Setting("s")] * 3, np.arange(24) % 3, np.arange(6) % 2, 2
    )
    assert sorted(item.row for item in told) == list(range(len(opinions)))
    assert len(cells) == 6
