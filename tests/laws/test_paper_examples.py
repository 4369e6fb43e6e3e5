"""The paper's examples, figures and remarks, each against an independent computation."""

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import hickam
from exact import disease_worlds
from hickam.advise.joint_sufficiency import joint_sufficiency
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput
from hickam.model.kinds import as_scm
from hickam.model.relative_risk import acts_of, risk_ratio_of_absence
from models import model_of
from strategies import documents, network_of, networks_with_cases

slowly = settings(deadline=None, max_examples=40, derandomize=True)
ASTHMA = Path(__file__).parents[2] / "examples" / "asthma.yaml"


def test_confounded_diseases_have_one_posterior_but_only_causes_disable():
    """Direct cause, common cause, both: [a], [b] and [c] of the paper's figure on confounding."""
    network = hickam.load("confounding")
    disabled = {}
    for figure in "abc":
        beliefs = hickam.infer(network, hickam.Case(present=[f"symptom_{figure}"]))
        row = network.index[f"disease_{figure}"]
        assert beliefs.posterior[row] == pytest.approx(0.64, abs=0.02)
        assert beliefs.posterior[row] > 4 * network.prior[row]
        disabled[figure] = beliefs.disabled[row].sum()
    assert disabled["b"] == 0.0
    assert disabled["a"] > 0.3
    assert disabled["c"] > 0.05


def asthma_table():
    """[asthma, pneumonia, care, death] joint probability from the numbers of the file."""
    care = {(0, 0): 0.001, (0, 1): 0.002, (1, 0): 0.2, (1, 1): 0.95}
    death = {(1, 0, 0): 0.15, (1, 0, 1): 0.03, (1, 1, 0): 0.30, (1, 1, 1): 0.06}
    table = np.zeros((2, 2, 2, 2))
    for a, p, c, d in itertools.product((0, 1), repeat=4):
        ill = 1 - 0.98 * 0.97**a
        dies = death.get((p, a, c), 0.001)
        chance = 0.1 if a else 0.9
        chance *= ill if p else 1 - ill
        chance *= care[p, a] if c else 1 - care[p, a]
        table[a, p, c, d] = chance * (dies if d else 1 - dies)
    return table


def test_asthma_looks_protective_by_association_and_harms_by_intervention():
    model = hickam.load(ASTHMA)
    table = asthma_table()

    def dies(given, do):
        return hickam.query(model, given, do, {"death": True}).probability

    seen = [dies({"pneumonia": True, "asthma": bool(a)}, {}) for a in (0, 1)]
    by_hand = [table[a, 1, :, 1].sum() / table[a, 1].sum() for a in (0, 1)]
    assert seen == pytest.approx(by_hand, rel=1e-9)
    assert seen[1] < seen[0]
    usual = [dies({"pneumonia": True, "asthma": bool(a)}, {"care": False}) for a in (0, 1)]
    assert usual == pytest.approx([0.15, 0.30], rel=1e-9)
    ill = [
        hickam.query(model, {}, {"asthma": bool(a)}, {"pneumonia": True}).probability
        for a in (0, 1)
    ]
    assert ill == pytest.approx([0.02, 1 - 0.98 * 0.97], rel=1e-9)


def joint_by_definition(network, case, chosen):
    """{finding: P(a mechanism of the chosen diseases produces it | evidence)} in fractions."""
    evidence = locate(case, network)
    lam = {
        (int(c), int(e)): Fraction(float(f))
        for c, e, f in zip(
            network.effects.cause, network.effects.effect, network.effects.fails, strict=True
        )
    }

    def off(finding, world, some):
        left = Fraction(1)
        for disease in some:
            left *= lam.get((disease, finding), Fraction(1)) if world[disease] else 1
        return left

    everyone = range(len(network.diseases))
    total, kept = Fraction(0), dict.fromkeys(map(int, evidence.present), Fraction(0))
    for world, prior in disease_worlds(network, case):
        weight, there = prior, {}
        for finding in map(int, evidence.absent):
            leak = Fraction(float(network.finding_leak_fails[finding]))
            weight *= leak * off(finding, world, everyone)
        for finding in kept:
            leak = Fraction(float(network.finding_leak_fails[finding]))
            there[finding] = 1 - leak * off(finding, world, everyone)
        for finding in kept:
            part = weight * (1 - off(finding, world, chosen))
            for other, chance in there.items():
                part *= chance if other != finding else 1
            kept[finding] += part
        for chance in there.values():
            weight *= chance
        total += weight
    return {network.findings[f]: float(chance / total) for f, chance in kept.items()}


@given(networks_with_cases(soft=True, risks=2, diseases=3, findings=3))
@slowly
def test_joint_sufficiency_is_the_chance_that_one_of_the_set_produces_the_finding(drawn):
    network, case = drawn
    for size in (1, 2, 3):
        for chosen in itertools.combinations(range(len(network.diseases)), size):
            names = [network.diseases[k] for k in chosen]
            found = joint_sufficiency(network, case, names)
            truth = joint_by_definition(network, case, chosen)
            assert found.keeps == pytest.approx(truth, rel=1e-6, abs=1e-9)


@given(networks_with_cases(risks=1, diseases=3, findings=2))
@slowly
def test_joint_sufficiency_is_one_thing_on_networks_and_general_models(drawn):
    from hickam.advise.joint_sufficiency import _in_model
    from hickam.beliefs.options import Limits

    network, case = drawn
    names = network.diseases[:2]
    found = joint_sufficiency(network, case, names)
    keeps, _ = _in_model(as_scm(network), locate(case, network), names, Limits())
    assert found.keeps == pytest.approx(keeps, rel=1e-6, abs=1e-9)


def test_two_diseases_that_are_both_needed_suffice_together_and_not_alone():
    model = model_of(
        [
            {"id": "a", "role": "disease", "prior": 0.25},
            {"id": "b", "role": "disease", "prior": 0.5},
            {"id": "s", "role": "finding", "keep": 0.75, "needs": {"a": 1.0, "b": 1.0}},
        ]
    )
    case = hickam.Case(present=["s"])
    assert joint_sufficiency(model, case, ["a"]).expected == 0.0
    assert joint_sufficiency(model, case, ["b"]).expected == 0.0
    assert joint_sufficiency(model, case, ["a", "b"]).expected == pytest.approx(1.0)


def test_joint_sufficiency_names_every_unknown_disease():
    with pytest.raises(InvalidInput) as bad:
        joint_sufficiency(hickam.load("smoker"), hickam.Case(), ["anginaa", "vapours"])
    assert len(bad.value.issues) == 2


@given(documents(risks=2, diseases=2, findings=2))
@slowly
def test_the_relative_risk_of_a_link_is_its_lambda_and_those_of_several_multiply(document):
    network = network_of(document)
    for effects, causes in (
        (network.findings, network.diseases),
        (network.diseases, network.risk_factors),
    ):
        for effect in effects:
            for size in range(1, len(causes) + 1):
                for chosen in itertools.combinations(causes, size):
                    stays = [
                        hickam.query(network, {}, dict.fromkeys(chosen, on), {effect: False})
                        for on in (True, False)
                    ]
                    if stays[1].probability > 1e-12:
                        ratio = stays[0].probability / stays[1].probability
                        found = risk_ratio_of_absence(network, chosen, effect)
                        assert found == pytest.approx(ratio, rel=1e-9, abs=1e-12)
                        alone = [risk_ratio_of_absence(network, [c], effect) for c in chosen]
                        assert found == pytest.approx(np.prod(alone), rel=1e-12)


def test_a_protective_ratio_is_refused():
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        acts_of(1.2)
    with pytest.raises(InvalidInput, match="no possible cause"):
        risk_ratio_of_absence(hickam.load("smoker"), ["smoker"], "chest_pain")
