import itertools
import math

import numpy as np
import pytest

import small_hpo
from hickam.hpo import Recipe, build
from hickam.hpo.annotations import Said
from hickam.hpo.frequency import frequency
from hickam.hpo.kin import lent, stem
from hickam.hpo.merge import merge

RECIPE = Recipe()


@pytest.fixture(scope="module")
def hpo(tmp_path_factory):
    folder = small_hpo.write(tmp_path_factory.mktemp("hpo"))
    return build(folder, recipe=Recipe(keep=0.1))  # four diseases have few strong links


@pytest.mark.parametrize(
    ("omim", "orphanet", "value"),
    [
        (Said(seen=3, asked=6), None, (3 + 4 * 0.3) / 10),
        (Said(seen=3, asked=6), Said(words=[0.9]), (3 + 4 * 0.9) / 10),
        (Said(seen=0, asked=6), Said(words=[0.9]), 0.02),
        (Said(words=[0.55]), Said(words=[0.9]), 0.55),
        (Said(bare=1), None, 0.4),
        (Said(bare=1), Said(words=[0.9]), 0.9),
        (None, Said(words=[0.17, 0.55]), 0.36),
        (Said(denied=True), Said(words=[0.9]), 0.0),
        (Said(words=[1.0]), None, 0.99),
    ],
)
def test_frequencies_follow_the_stated_rules(omim, orphanet, value):
    assert frequency(omim, orphanet, RECIPE) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "gene", "merged"),
    [
        ("Marfan syndrome", (), True),  # the same name
        ("Marfan syndrome", ("OTHER",), False),  # but another gene
        ("Neonatal Marfan syndrome", ("FBN1",), True),  # near, and the gene
        ("Neonatal Marfan syndrome", (), False),  # near alone
        ("Something else entirely", ("FBN1",), True),  # the one gene of one disease
        ("Something else entirely", ("FBN1", "OTHER"), False),
    ],
)
def test_orphanet_entries_are_merged_by_name_and_gene(name, gene, merged):
    names = {"OMIM:1": "Marfan syndrome", "OMIM:2": "Unrelated", "ORPHA:1": name}
    genes = {"OMIM:1": ("FBN1",), **({"ORPHA:1": gene} if gene else {})}
    assert merge(names, genes) == ({"ORPHA:1": ("OMIM:1",)} if merged else {})


def test_a_gene_of_two_diseases_does_not_merge_by_itself():
    names = {"OMIM:1": "One", "OMIM:2": "Two", "ORPHA:1": "Three"}
    genes = dict.fromkeys(names, ("G",))
    assert merge(names, genes) == {}
    assert merge(names, {}, [("ORPHA:1", "OMIM:2")]) == {"ORPHA:1": ("OMIM:2",)}


def test_kin_differ_by_their_number_only():
    assert stem("Alpha syndrome 1") == stem("ALPHA SYNDROME 2B, autosomal recessive")
    assert stem("Alpha syndrome 1") != stem("Beta syndrome 1")


def test_kin_lend_their_mean_the_more_the_less_is_known():
    lent_to = lent({1: 0.9}, [{1: 0.2, 2: 0.6}, {2: 0.2}], worth=10.0)
    assert lent_to == pytest.approx({1: 0.9, 2: 10 / 11 * 0.4})
    assert lent({1: 0.9}, [], worth=10.0) == {1: 0.9}


def shown(hpo, disease, term):
    """f_c(D) from its definition: not all of the annotated terms at or below are missed."""
    row = hpo.table.diseases.index(disease)
    missed = 1.0
    for below, value in zip(*hpo.table.stated.of(row), strict=True):
        if term in hpo.ontology.above[below]:
            missed *= 1.0 - value
    return 1.0 - missed


def test_links_are_the_strongest_over_a_term_and_what_is_above_it(hpo):
    diseases, terms = hpo.table.diseases, range(len(hpo.ontology.ids))
    implied = np.array([[shown(hpo, d, t) for t in terms] for d in diseases])
    background = (implied.sum(axis=0) + 0.3) / (len(diseases) + 0.3)
    assert hpo.table.background == pytest.approx(background)
    links = {
        (int(d), t): v
        for t in terms
        for d, v in zip(*(part.tolist() for part in hpo.links.of(t)), strict=True)
    }
    for d, t in itertools.product(range(len(diseases)), terms):
        best = max(
            implied[d, c] * (background[t] / background[c]) ** 2 for c in hpo.ontology.above[t]
        )
        kept = best >= 0.1 * background[t]
        assert ((d, t) in links) == kept
        if kept:
            assert links[d, t] == pytest.approx(best)


def test_the_network_has_the_ids_of_the_files(hpo):
    network = hpo.network
    assert network.diseases == ("OMIM:1", "OMIM:2", "OMIM:3", "OMIM:4")
    assert hpo.merged == {"ORPHA:1": ("OMIM:3",), "ORPHA:2": ("OMIM:4",)}
    assert network.entries["OMIM:3"].synonyms == ("ORPHA:1",)
    assert hpo.genes("OMIM:3") == ("B",)
    assert hpo.parents("HP:0000022") == ("HP:0000011", "HP:0000021")
    assert hpo.children("HP:0000011") == ("HP:0000012", "HP:0000022")
    assert network.prior == pytest.approx(np.full(4, 0.25))
    odds = network.finding_leak / network.finding_leak_fails
    assert odds == pytest.approx(2.0 * hpo.table.background)
    assert "2030-01-01" in network.about.notice
    assert "hpo.jax.org" in network.about.notice


def test_broad_diseases_pay_for_every_finding(hpo):
    for disease, expected in zip(hpo.table.diseases, hpo.table.findings, strict=True):
        factor = ((expected + 20.0) / 30.0) ** -0.25
        assert hpo.network.entries[disease].per_finding == pytest.approx(factor)


def test_orphanet_entries_that_are_no_omim_disease_are_kept_on_request(tmp_path):
    folder = small_hpo.write(tmp_path)
    assert "ORPHA:3" not in build(folder).network.diseases
    assert "ORPHA:3" in build(folder, recipe=Recipe(alone=True)).network.diseases


def test_every_number_of_the_network_is_a_probability(hpo):
    for values in (hpo.network.effects.acts, hpo.network.finding_leak, hpo.table.background):
        assert all(0.0 < value < 1.0 and math.isfinite(value) for value in values.tolist())
