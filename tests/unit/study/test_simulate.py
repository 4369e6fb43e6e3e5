import numpy as np
import pytest

import hickam
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput
from hickam.model.is_a import kinds_of
from hickam.study.simulate import Simulation, distort, simulate


@pytest.fixture(scope="module")
def clinic():
    return hickam.load("clinic")


def draw(network, seed=1, **given):
    return simulate(network, Simulation(**{"patients": 12, **given}), np.random.default_rng(seed))


def test_the_same_seed_draws_the_same_patients(clinic):
    assert draw(clinic, doctors=3) == draw(clinic, doctors=3)
    assert draw(clinic) != draw(clinic, seed=2)


@pytest.mark.parametrize("diseases", ["one", "network"])
def test_simulated_cases_can_be_asked(clinic, diseases):
    for vignette in draw(clinic, diseases=diseases):
        locate(vignette.case, clinic)
        assert vignette.diseases[0] in clinic.diseases


def test_the_truth_causes_a_reported_finding_without_mistakes_in_reporting(clinic):
    for vignette in draw(clinic, diseases="network", report_wrong=0.0):
        assert vignette.diseases[0] in vignette.causes.values()


def test_a_silent_truth_causes_nothing_reported(clinic):
    for vignette in draw(clinic, diseases="network", truth="silent", report_wrong=0.0):
        assert vignette.diseases[0] not in vignette.causes.values()


def test_a_hardly_distorted_world_is_the_network(clinic):
    world = distort(clinic, 1e-9, np.random.default_rng(1))
    assert np.allclose(world.prior, clinic.prior, rtol=1e-6)
    assert np.allclose(world.effects.acts, clinic.effects.acts, rtol=1e-6)
    assert np.allclose(world.finding_leak, clinic.finding_leak, rtol=1e-6)


def test_in_a_distorted_world_a_kind_is_no_likelier_than_what_it_is_a_kind_of(clinic):
    world = distort(clinic, 3.0, np.random.default_rng(1))
    links = world.effects
    into = {(c, e): a for c, e, a in zip(links.cause, links.effect, links.acts, strict=True)}
    for kind, above in kinds_of(clinic).above.items():
        assert world.finding_leak[kind] <= world.finding_leak[above[0]] * (1 + 1e-12)
        for cause in links.cause[links.of_effect(kind)]:
            assert into[cause, kind] <= into[cause, above[0]] * (1 + 1e-12)


def test_a_skilled_doctor_beats_an_unskilled_one(clinic):
    def accuracy(skill):
        found = draw(clinic, patients=60, doctors=2, skill=skill)
        hits = [v.diseases[0] in o.diseases for v in found for o in v.opinions]
        return np.mean(hits)

    assert accuracy(0.95) > accuracy(0.1) + 0.2


def test_every_bad_value_is_named():
    with pytest.raises(InvalidInput) as bad:
        Simulation(
            patients=-1, report_present=2.0, distortion=float("inf"), diseases="two", truth="both"
        ).check()
    text = str(bad.value)
    for word in ("patients", "report_present", "distortion", "'two'", "'both'"):
        assert word in text


def test_no_simulated_patient_contradicts_what_is_a_kind_of_what():
    network = hickam.load("clinic")
    above = kinds_of(network).above
    assert above
    found = simulate(network, Simulation(patients=300, report_wrong=0.2), np.random.default_rng(4))
    for case in (vignette.case for vignette in found):
        present = [network.index[finding] for finding in case.present]
        wider = {network.findings[f] for finding in present for f in above.get(finding, ())}
        assert wider.isdisjoint(case.absent)
