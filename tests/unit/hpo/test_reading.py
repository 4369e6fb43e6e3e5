import json

import pytest

import small_hpo
from hickam.hpo.annotations import read_annotations
from hickam.hpo.genes import read_genes
from hickam.hpo.mondo import read_mondo
from hickam.hpo.ontology import read_ontology
from hickam.hpo.source import find_source
from hickam.issues import InvalidInput


@pytest.fixture(scope="module")
def ontology():
    return read_ontology(small_hpo.obo())


def test_only_phenotypic_abnormalities_are_findings(ontology):
    assert ontology.ids == tuple(
        term for term in sorted(small_hpo.TERMS) if int(term[3:]) in {*range(10, 31)}
    )
    assert ontology.version == "2030-01-01"


def test_hp_json_says_the_same_as_hp_obo(ontology):
    other = read_ontology(json.dumps(small_hpo.graph()))
    for part in ("version", "ids", "names", "synonyms", "parents", "current", "elsewhere"):
        assert getattr(other, part) == getattr(ontology, part), part


def test_a_term_is_below_all_that_its_parents_are_below(ontology):
    def climb(term):
        return {term}.union(*(climb(p) for p in small_hpo.TERMS[term][1]))

    for place, term in enumerate(ontology.ids):
        expected = climb(term) - {"HP:0000001", "HP:0000118"}
        assert {ontology.ids[a] for a in ontology.above[place]} == expected


@pytest.mark.parametrize(
    ("old", "today"),
    [
        ("HP:0000099", "HP:0000021"),
        ("HP:0000098", "HP:0000012"),
        ("hp:0000012 ", "HP:0000012"),
        ("HP:0000005", None),
        ("HP:0000118", None),
        ("nonsense", None),
    ],
)
def test_ids_of_any_age_are_resolved(ontology, old, today):
    assert ontology.resolve(old) == today


def test_a_term_above_itself_is_refused():
    above = "is_a: HP:0000010 ! Abnormal head"
    text = small_hpo.obo().replace(above, f"{above}\nis_a: HP:0000012 ! x", 1)
    with pytest.raises(InvalidInput, match="above themselves"):
        read_ontology(text)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"graphs": []}', "\x00", "id: HP:0000118"])
def test_what_is_no_ontology_is_refused(text):
    with pytest.raises(InvalidInput, match="ontology"):
        read_ontology(text)


def test_rows_are_pooled_by_term_and_others_are_counted(ontology):
    annotations = read_annotations(small_hpo.hpoa(), ontology)
    said = annotations.said()
    place = ontology.place
    cataract = said["OMIM:1"][place["HP:0000012"]]
    assert (cataract.seen, cataract.asked) == (4, 8)
    assert said["OMIM:2"][place["HP:0000030"]].denied
    assert said["OMIM:2"][place["HP:0000021"]].words == [0.9]  # by its old id
    assert annotations.counts["rows of aspect I, not used"] == 1
    assert annotations.counts["rows with an old id, read as the id of today"] == 1
    assert annotations.papers == {f"PMID:{number}" for number in range(1, 7)}


def test_annotations_without_a_column_are_refused(ontology):
    with pytest.raises(InvalidInput, match="no column 'frequency'"):
        read_annotations(small_hpo.hpoa().replace("frequency", "often"), ontology)


def test_annotations_that_are_cut_short_are_refused(ontology):
    with pytest.raises(InvalidInput, match="columns in row"):
        read_annotations(small_hpo.hpoa()[:-20], ontology)


def test_genes_are_read_from_either_file():
    assert read_genes(small_hpo.genes())["OMIM:3"] == ("B",)
    other = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n1\tB\tx\ty\t-\tD\n"
    assert read_genes(other) == {"D": ("B",)}
    with pytest.raises(InvalidInput, match="gene_symbol"):
        read_genes("a\tb\n")


def test_exact_matches_of_mondo_are_joined():
    table = (
        "# made up\nsubject_id\tpredicate_id\tobject_id\nM:1\tskos:exactMatch\tOMIM:1\n"
        "M:1\tskos:exactMatch\tOrphanet:9\nM:2\tskos:broadMatch\tOMIM:2\n"
        "M:2\tskos:exactMatch\tOrphanet:8\n"
    )
    assert read_mondo(table) == [("ORPHA:9", "OMIM:1")]


def test_a_folder_without_the_files_says_which_are_missing(tmp_path):
    with pytest.raises(InvalidInput) as refused:
        find_source(tmp_path)
    assert {"hp.obo", "phenotype.hpoa"} <= set(str(refused.value).replace(",", " ").split())
    with pytest.raises(InvalidInput, match="does not exist"):
        find_source(tmp_path / "nowhere")
    with pytest.raises(InvalidInput):
        find_source("a\0b")
