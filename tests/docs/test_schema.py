"""The published JSON Schema says what the loader accepts."""

import json
from pathlib import Path

import pytest
import ryaml
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from hickam.model.embedded import NAMES, embedded_text
from strategies import documents_by_person

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "network.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_every_embedded_network_follows_the_schema(name):
    assert list(VALIDATOR.iter_errors(ryaml.loads(embedded_text(name)))) == []


@given(documents_by_person())
@settings(deadline=None, max_examples=40, derandomize=True)
def test_every_network_the_builder_takes_follows_the_schema(document):
    assert VALIDATOR.is_valid({"hickam": 1, **document})


@pytest.mark.parametrize(
    "change",
    [
        {"hickam": 2},
        {"findings": [{"id": "f", "leak": 1.5}]},
        {"findings": [{"id": "f", "leek": 0.5}]},
        {"diseases": [{"id": "d", "rareness": "frequent"}]},
        {"risk_factors": [{"id": "r"}]},
    ],
)
def test_what_the_builder_refuses_the_schema_refuses(change):
    good = {
        "hickam": 1,
        "diseases": [{"id": "d", "leak": 0.1}],
        "findings": [{"id": "f", "leak": 0.1}],
    }
    assert VALIDATOR.is_valid(good)
    assert not VALIDATOR.is_valid({**good, **change})
