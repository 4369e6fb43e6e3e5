import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import small_hpo
from hickam import Case
from hickam.hpo import Recipe, build, load, restore, save
from hickam.hpo.likelihood import Likelihood, Weighted
from hickam.hpo.lirical import Lirical
from hickam.hpo.similarity import Annotated, Similarity
from hickam.infer import infer
from hickam.io.load import load as load_network
from hickam.issues import InvalidInput


@pytest.fixture(scope="module")
def hpo(tmp_path_factory):
    folder = small_hpo.write(tmp_path_factory.mktemp("hpo"))
    return build(folder, recipe=Recipe(keep=0.1))  # four diseases have few strong links


def posterior(network, present, absent_weight=0.0, absent=()):
    """[disease] P(D = 1 | findings), by going through every world of diseases."""
    size = len(network.diseases)
    strength = np.zeros((size, len(network.findings)))
    strength[network.effects.cause, network.effects.effect] = network.effects.acts
    total = np.zeros(size)
    whole = 0.0
    for world in itertools.product([0, 1], repeat=size):
        on = np.array(world, dtype=bool)
        weight = math.prod(
            p * network.entries[d].per_finding ** len(present) if here else 1.0 - p
            for p, d, here in zip(network.prior, network.diseases, world, strict=True)
        )
        for finding in present:
            place = network.index[finding]
            weight *= 1.0 - network.finding_leak_fails[place] * np.prod(1.0 - strength[on, place])
        for finding in absent:
            weight *= np.prod(1.0 - strength[on, network.index[finding]]) ** absent_weight
        whole += weight
        total += weight * on
    return total / whole


def test_answers_are_those_of_the_definition(hpo):
    present = ["HP:0000012", "HP:0000021"]
    beliefs = infer(hpo.network, Case(present=present))
    assert beliefs.posterior == pytest.approx(posterior(hpo.network, present))


def test_excluded_findings_do_not_count_unless_asked_for(hpo):
    present, absent = ["HP:0000012"], ["HP:0000030"]
    ignored = infer(hpo.network, Case(present=present, absent=absent))
    assert ignored.posterior == pytest.approx(posterior(hpo.network, present))
    assert "1 absent finding not counted" in ignored.in_force
    half = build_with(hpo, Recipe(keep=0.1, excluded=0.5))
    counted = infer(half, Case(present=present, absent=absent))
    assert counted.posterior == pytest.approx(posterior(half, present, 0.5, absent))
    assert not np.allclose(counted.posterior, ignored.posterior)


def build_with(hpo, recipe):
    return replace(hpo, recipe=recipe).network


def test_old_ids_and_synonyms_are_found(hpo):
    new = infer(hpo.network, Case(present=["HP:0000021"]))
    for name in ("HP:0000099", "fits", "Seizure"):
        assert infer(hpo.network, Case(present=[name])).posterior == pytest.approx(new.posterior)


def test_the_likelihood_of_one_disease_is_the_single_fault_of_the_network(hpo):
    terms = [hpo.ontology.place[t] for t in ("HP:0000012", "HP:0000021", "HP:0000030")]
    beliefs = infer(hpo.network, Case(present=[hpo.ontology.ids[t] for t in terms]))
    scores = np.exp(Likelihood("x", hpo).scores(terms))
    assert scores / scores.sum() == pytest.approx(beliefs.single_fault)


def rankers(hpo):
    annotated = Annotated(hpo.ontology, hpo.table)
    return [
        Likelihood("a", hpo),
        Weighted("b", annotated),
        Lirical("d", hpo.ontology, hpo.table),
        *(
            Similarity("e", annotated, kind, both)
            for kind in ("resnik", "graphic")
            for both in (True, False)
        ),
    ]


def test_a_disease_by_itself_scores_as_among_all(hpo):
    terms = [hpo.ontology.place[t] for t in ("HP:0000012", "HP:0000022")]
    for ranker in rankers(hpo):
        scores = ranker.scores(terms)
        for row in range(len(hpo.table.diseases)):
            own = dict(zip(*(part.tolist() for part in hpo.table.stated.of(row)), strict=True))
            assert ranker.score(terms, own) == pytest.approx(scores[row]), type(ranker)


def test_resnik_is_the_most_informative_common_term(hpo):
    annotated = Annotated(hpo.ontology, hpo.table)
    above = [set(some.tolist()) for some in hpo.ontology.above]
    having = [len(hpo.table.implied.of(t)[0]) for t in range(len(above))]
    info = [-math.log(max(count, 0.5) / len(hpo.table.diseases)) for count in having]
    for a, b in itertools.product(range(len(above)), repeat=2):
        common = above[a] & above[b]
        resnik = max((info[c] for c in common), default=0.0)
        assert annotated.alike(a, "resnik")[b] == pytest.approx(max(resnik, 0.0))
        either = sum(info[c] for c in above[a] | above[b])
        graphic = sum(info[c] for c in common) / either if either > 0 else 0.0
        assert annotated.alike(a, "graphic")[b] == pytest.approx(graphic)


def test_a_built_network_comes_back_from_its_file(hpo, tmp_path):
    save(hpo, tmp_path / "a.npz")
    assert restore(tmp_path / "a.npz").network.hash == hpo.network.hash
    assert load_network(tmp_path / "a.npz").hash == hpo.network.hash


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "foreign", "compressed", "points out"])
def test_a_damaged_file_is_refused(hpo, tmp_path, harm):
    path = tmp_path / "a.npz"
    save(hpo, path)
    whole = path.read_bytes()
    if harm == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif harm == "flip":
        place = whole.index(b"links_value.npy") + 200
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
    elif harm == "empty":
        path.write_bytes(b"")
    elif harm == "foreign":
        np.savez(path, a=np.zeros(3))
    else:
        with np.load(path) as held:
            arrays = dict(held)
        if harm == "points out":
            arrays["links_column"] = arrays["links_column"] + 1000
            np.savez(path, **arrays)
        else:
            np.savez_compressed(path, **arrays)
    with pytest.raises(InvalidInput, match="build it again"):
        restore(path)


def test_the_cache_is_used_and_mended(tmp_path, monkeypatch):
    monkeypatch.setenv("HICKAM_CACHE", str(tmp_path / "cache"))
    folder = small_hpo.write(tmp_path / "data")
    first = load(folder)
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(b"damaged")
    load_again()
    second = load(folder)
    assert second.network.hash == first.network.hash
    assert restore(kept).network.hash == first.network.hash
    small_hpo.write(folder, small_hpo.ROWS[:-3])
    assert load(folder).network.hash != first.network.hash


def load_again():
    """Forget what is in memory."""
    from hickam.hpo.cache import _load

    _load.cache_clear()


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HICKAM_CACHE", str(tmp_path / "file" / "inside"))
    assert load(small_hpo.write(tmp_path / "data")).network.diseases
