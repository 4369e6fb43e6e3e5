"""`hickam new`: a network to start from."""

import pytest
from click.testing import CliRunner

import hickam
from hickam.cli.main import hickam as command
from hickam.io.load import read_network
from hickam.io.network_document import model_document


@pytest.mark.parametrize("wording", [[], ["--machine"]])
def test_the_template_is_a_network_without_a_remark_that_diagnoses(wording, tmp_path):
    path = tmp_path / "mine.yaml"
    done = CliRunner().invoke(command, ["new", str(path), *wording])
    assert done.exit_code == 0, done.output
    network, issues = read_network(path)
    assert issues == []
    dx = hickam.diagnose(network, hickam.Case(present=[network.findings[0]]))
    assert dx[0].score > 0.0
    assert f"hickam check {path}" in path.read_text()


def test_what_is_there_already_is_not_overwritten(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    assert CliRunner().invoke(command, ["new", str(path)]).exit_code != 0
    assert path.read_text() == "precious"
    assert CliRunner().invoke(command, ["new", str(path), "--force"]).exit_code == 0


def test_a_file_without_room_for_comments_is_refused(tmp_path):
    done = CliRunner().invoke(command, ["new", str(tmp_path / "mine.json")])
    assert "comments need YAML" in str(done.exception)


@pytest.mark.parametrize("name", ["smoker", "confounding", "car"])
def test_a_network_survives_the_way_through_plain_values_and_a_file(name, tmp_path):
    network = hickam.load(name)
    assert hickam.from_dict(model_document(network)).hash == network.hash
    hickam.save(network, tmp_path / "x.json")
    assert hickam.load(tmp_path / "x.json").hash == network.hash


def test_a_wrong_document_is_refused_with_every_error():
    with pytest.raises(hickam.InvalidInput, match="format mark"):
        hickam.from_dict({"name": "x", "diseases": []})
