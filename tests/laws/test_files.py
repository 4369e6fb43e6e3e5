"""What is saved and loaded again is the same network."""

import pytest
from hypothesis import HealthCheck, given, settings

import hickam
from hickam.io.network_document import document_of
from hickam.io.save import save
from hickam.model.build import build_network
from strategies import documents_by_person, network_of


@given(documents_by_person())
@settings(deadline=None, max_examples=60, derandomize=True)
def test_a_document_survives_the_round_trip(document):
    network = network_of(document)
    again, issues = build_network(document_of(network))
    assert again is not None, issues
    assert again.hash == network.hash


@given(documents_by_person())
@settings(
    deadline=None,
    max_examples=25,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@pytest.mark.parametrize("name", ["n.yaml", "n.json", "sheets"])
def test_a_file_survives_the_round_trip(tmp_path, name, document):
    network = network_of(document)
    save(network, tmp_path / name)
    assert hickam.load(tmp_path / name).hash == network.hash


@pytest.mark.parametrize("name", ["clinic", "smoker", "confounding", "car"])
@pytest.mark.parametrize("form", ["n.yaml", "n.json", "sheets"])
def test_an_embedded_network_survives_the_round_trip(tmp_path, name, form):
    network = hickam.load(name)
    save(network, tmp_path / form)
    assert hickam.load(tmp_path / form).hash == network.hash


def test_a_form_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(hickam.InvalidInput, match="has the ending"):
        save(hickam.load("smoker"), tmp_path / "n.xlsx")
