"""Phenopackets say what a case says; what they get wrong is named with its place."""

import gzip
import json
import os
from pathlib import Path

import pytest

from hickam.io.case_file import open_case, read_case
from hickam.io.cases import read_cases
from hickam.io.phenopackets import case_for, is_phenopacket, read_packet
from hickam.io.vignettes import read_vignettes
from hickam.issues import InvalidInput
from patients import patient, syndromes


def test_a_packet_says_what_is_present_excluded_and_known_about_the_person():
    packet, issues = read_packet(patient())
    assert [term.id for term in packet.present] == ["HP:0001250", "HP:0001631", "HP:9999999"]
    assert [term.id for term in packet.excluded] == ["HP:0000252"]
    assert (packet.sex, packet.age) == ("female", 6.25)
    assert packet.present[0].onset == "at 6 months"
    assert packet.present[0].modifiers == ("Severe",)
    assert packet.onset == "Infantile onset"
    assert packet.references == ("PMID:123",)
    assert issues == []


def test_the_truth_is_the_settled_diagnosis_and_no_excluded_disease():
    assert [term.id for term in read_packet(patient())[0].diagnoses] == ["OMIM:100001"]


@pytest.mark.parametrize("status", ["IN_PROGRESS", "UNSOLVED"])
def test_a_candidate_diagnosis_is_no_truth(status):
    document = patient(diseases=[])
    document["interpretations"][0]["progressStatus"] = status
    assert read_packet(document)[0].diagnoses == ()


def test_a_term_that_the_network_does_not_know_is_left_out_and_named():
    case, issues = case_for(syndromes(), patient())
    assert case.present == ("HP:0001250", "HP:0001631")
    assert case.absent == ("HP:0000252",)
    assert [str(issue.level) for issue in issues] == ["warning"]
    assert "HP:9999999" in str(issues[0])
    assert "Term of tomorrow" in str(issues[0])


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("HP:0002279", "HP:0001250"),  # an alternative id, which the network lists
        ("HP_0001250", "HP:0001250"),
        ("http://purl.obolibrary.org/obo/HP_0001250", "HP:0001250"),
        ("hp:0001250", "HP:0001250"),
    ],
)
def test_other_spellings_of_an_id_are_the_same_finding(written, known):
    document = patient(phenotypicFeatures=[{"type": {"id": written}}])
    assert case_for(syndromes(), document)[0].present == (known,)


def test_a_label_is_tried_where_the_id_is_not_known():
    features = [{"type": {"id": "SNOMED:1", "label": "epileptic seizure"}}]
    case, issues = case_for(syndromes(), patient(phenotypicFeatures=features))
    assert (case.present, issues) == (("HP:0001250",), [])


def test_a_patient_of_whom_nothing_is_known_is_an_error_and_not_an_empty_case():
    features = [{"type": {"id": "HP:9999999", "label": "Term of tomorrow"}}]
    with pytest.raises(InvalidInput, match="none of the 1 present findings"):
        case_for(syndromes(), patient(phenotypicFeatures=features))


def test_a_term_both_present_and_excluded_counts_as_present_and_is_reported():
    twice = [
        {"type": {"id": "HP:0001250"}, "excluded": True},
        {"type": {"id": "HP:0001250"}},
    ]
    packet, issues = read_packet(patient(phenotypicFeatures=twice))
    assert [term.id for term in packet.present] == ["HP:0001250"]
    assert packet.excluded == ()
    assert "both as present and as excluded" in str(issues[0])


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ({"sex": "F"}, "has the sex 'F'"),
        ({"sex": ["MALE"]}, "has the sex"),
        ({"timeAtLastEncounter": {"age": {"iso8601duration": "six years"}}}, "has the age"),
        ({"ageAtCollection": "P"}, "has the age"),
    ],
)
def test_a_sex_or_age_that_cannot_be_read_is_left_out_and_named(subject, said):
    packet, issues = read_packet(patient(subject=subject))
    assert (packet.sex, packet.age) == (None, None)
    assert [said in str(issue) for issue in issues] == [True]


def test_an_unknown_sex_and_a_time_without_an_age_are_no_mistakes():
    time = {"ontologyClass": {"id": "HP:0003581", "label": "Adult onset"}}
    subject = {"sex": "UNKNOWN_SEX", "timeAtLastEncounter": time}
    assert read_packet(patient(subject=subject))[1] == []


def test_a_packet_without_present_features_says_so():
    assert "no phenotypic feature" in str(read_packet(patient(phenotypicFeatures=[]))[1][0])


def test_version_1_says_the_same_in_other_words():
    old = {
        "id": "old",
        "subject": {"id": "a", "sex": "MALE", "ageAtCollection": {"age": "P10Y"}},
        "phenotypicFeatures": [
            {"type": {"id": "HP:0001250"}, "classOfOnset": {"id": "HP:1", "label": "Adult onset"}},
            {"type": {"id": "HP:0000252"}, "negated": True},
        ],
        "diseases": [{"term": {"id": "MIM:100001"}}],
    }
    packet, _ = read_packet(old)
    assert (packet.sex, packet.age) == ("male", 10.0)
    assert [term.id for term in packet.excluded] == ["HP:0000252"]
    assert packet.present[0].onset == "Adult onset"
    assert [term.id for term in packet.diagnoses] == ["OMIM:100001"]


def test_snake_case_names_are_read_as_protocol_buffers_do():
    features = patient()["phenotypicFeatures"]
    packet, _ = read_packet({"id": "s", "phenotypic_features": features})
    assert len(packet.present) == 3


def test_a_family_is_its_proband_and_says_so():
    packet, issues = read_packet({"id": "f", "proband": patient(), "relatives": [{}, {}]})
    assert packet.id == "patient-1"
    assert "only the proband" in str(issues[0])


def test_a_cohort_is_no_single_case_but_many():
    cohort = {"id": "c", "members": [patient(), patient(id="patient-2")]}
    with pytest.raises(InvalidInput, match="cohort of 2 patients"):
        read_packet(cohort)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"phenotypicFeatures": {}}, ("phenotypicFeatures",)),
        ({"phenotypicFeatures": [3]}, ("phenotypicFeatures", 0)),
        ({"phenotypicFeatures": [{"type": {}}]}, ("phenotypicFeatures", 0, "type")),
        ({"phenotypicFeatures": [{"type": {"id": 5}}]}, ("phenotypicFeatures", 0, "type")),
        ({"interpretations": [{"diagnosis": {"disease": []}}]}, ("interpretations", 0)),
        ({"subject": "me"}, ("subject",)),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change, place):
    with pytest.raises(InvalidInput) as raised:
        read_packet(patient(**change))
    assert raised.value.issues[0].path[: len(place)] == place


def test_a_wrong_packet_in_a_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "patient.json"
    document = patient()
    document["phenotypicFeatures"][1]["type"] = {}
    path.write_text(json.dumps(document, indent=1))
    with pytest.raises(InvalidInput) as raised:
        read_case(path)
    lines = path.read_text().splitlines()
    assert '"type"' in lines[(raised.value.issues[0].line or 0) - 1]


def test_more_features_than_any_patient_has_are_refused():
    many = [{"type": {"id": f"HP:{n:07}"}} for n in range(10_001)]
    with pytest.raises(InvalidInput, match="at most 10,000"):
        read_packet(patient(phenotypicFeatures=many))


@pytest.mark.parametrize("document", [None, [], "x", 3, {"present": ["cough"]}, {}])
def test_what_is_no_packet_is_not_taken_for_one(document):
    assert not is_phenopacket(document)


def _write(folder: Path, kind: str) -> Path:
    """Two patients in one of the forms that are read."""
    both = [patient(), patient(id="patient-2")]
    lines = "\n".join(json.dumps(each) for each in both)
    if kind == "folder":
        (folder / "deep").mkdir()
        for number, each in enumerate(both):
            (folder / "deep" / f"{number}.json").write_text(json.dumps(each, indent=2))
        (folder / ".hidden.json").write_text("not ours")
        (folder / "README.md").write_text("not ours")
        return folder
    path = folder / f"patients{kind}"
    if kind == ".jsonl":
        path.write_text(lines)
    elif kind == ".jsonl.gz":
        path.write_bytes(gzip.compress(lines.encode()))
    elif kind == ".json":
        path.write_text(json.dumps({"id": "cohort", "members": both}))
    else:
        path.write_bytes(gzip.compress(json.dumps(both).encode()))
    return path


KINDS = ["folder", ".jsonl", ".jsonl.gz", ".json", ".json.gz"]


@pytest.mark.parametrize("kind", KINDS)
def test_many_packets_are_read_alike_in_every_form(tmp_path, kind):
    path = _write(tmp_path, kind)
    cases, issues = read_cases(path)
    assert issues == []
    assert [case.id for case in cases] == ["patient-1", "patient-2"]
    assert cases[0].present == ("HP:0001250", "HP:0001631", "HP:9999999")
    vignettes, issues = read_vignettes(path)
    assert issues == []
    assert [v.diseases for v in vignettes] == [("OMIM:100001",)] * 2
    assert {v.group for v in vignettes} == {"PMID:123"}


def test_a_broken_file_of_a_folder_is_named_and_ends_nothing(tmp_path):
    path = _write(tmp_path, "folder")
    (path / "deep" / "0a.json").write_text('{"id": ')
    cases, issues = read_cases(path)
    assert len(cases) == 2
    assert [Path(str(issue.file)).name for issue in issues] == ["0a.json"]


def test_a_vignette_needs_a_settled_diagnosis(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(patient(interpretations=[], diseases=[])))
    vignettes, issues = read_vignettes(path)
    assert vignettes == []
    assert "no settled diagnosis" in str(issues[0])


@pytest.mark.parametrize("data", [b"no gzip", gzip.compress(b"{}" * 9, mtime=0)[:-6], b""])
def test_a_damaged_archive_is_refused(tmp_path, data):
    for name in ("patients.jsonl.gz", "patients.json.gz"):
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput):
        open_case(tmp_path / "patients.json.gz")
    if data:
        with pytest.raises(InvalidInput):
            read_cases(tmp_path / "patients.jsonl.gz")


@pytest.mark.skipif(
    "HICKAM_PHENOPACKETS" not in os.environ,
    reason="HICKAM_PHENOPACKETS names no folder of published patients",
)
def test_every_published_patient_is_read_with_its_truth_and_its_paper():
    path = Path(os.environ["HICKAM_PHENOPACKETS"]) / "development.jsonl.gz"
    vignettes, issues = read_vignettes(path)
    with gzip.open(path, "rt") as file:
        documents = [json.loads(line) for line in file]
    assert len(vignettes) == len(documents)
    bare = [
        line
        for line, document in enumerate(documents, 1)
        if all(feature.get("excluded") for feature in document.get("phenotypicFeatures", []))
    ]
    assert [issue.line for issue in issues] == bare
    for vignette, document in zip(vignettes, documents, strict=True):
        listed = document.get("phenotypicFeatures", [])
        present = {f["type"]["id"] for f in listed if not f.get("excluded")}
        excluded = {f["type"]["id"] for f in listed if f.get("excluded")}
        assert set(vignette.case.present) == present
        assert set(vignette.case.absent) == excluded
        assert vignette.diseases == tuple(
            item["diagnosis"]["disease"]["id"] for item in document["interpretations"]
        )
        assert vignette.group == document["metaData"]["externalReferences"][0]["id"]
