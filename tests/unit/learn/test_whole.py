"""A finding with kinds is spoken of as its file does: together with them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hickam
from hickam.io.network_document import document_of
from hickam.learn.numbers import numbers_of
from hickam.learn.run import Plan, learn_from
from hickam.learn.simulate import simulate_records
from hickam.report.learning import learning_document, learning_lines
from hickam.report.plain import to_json

KINDS = {
    "hickam": 1, "name": "kinds", "diseases": [{"id": "a", "leak": 0.2}, {"id": "b", "leak": 0.1}],
    "findings": [
        {"id": "pain", "leak": 0.1, "causes": {"a": 0.6}},
        {"id": "sharp", "is_a": "pain", "leak": 0.02, "causes": {"a": 0.3, "b": 0.4}},
        {"id": "stabbing", "is_a": "sharp", "leak": 0.01},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    network = hickam.from_dict(KINDS)
    records = simulate_records(numbers_of(network), 4000, np.random.default_rng(0))
    return learn_from(network, records, Plan(trust={"estimate": 0.01}, workers=1))


def stated(network) -> dict[tuple[str, str], float]:
    """The numbers of a network's file."""
    document = document_of(network)
    numbers = {}
    for item in (*document["diseases"], *document["findings"]):
        for cause, value in {item["id"]: item["leak"], **item.get("causes", {})}.items():
            plain = value["probability"] if isinstance(value, dict) else value
            numbers[cause, item["id"]] = plain
    return numbers


def test_the_report_and_the_sources_say_what_the_files_say(found):
    before, after = stated(found.numbers.network), stated(found.network())
    listed = json.loads(to_json(learning_document(found)))["numbers"]
    said = {(one["cause"], one["effect"]): one for one in listed}
    assert said.keys() == before.keys()
    sources = found.network().link_sources
    for name, one in said.items():
        assert one["before"] == before[name]
        assert one["learnt"] == pytest.approx(after[name], rel=1e-5)
        assert one["low"] < one["learnt"] < one["high"]
        assert f"(before: {before[name]:.3g}," in sources[name]
    lines = "\n".join(learning_lines(found))
    assert f"{after['pain', 'pain']:.3g}" in lines
    assert f"{len(before)} of {len(before)} numbers learnt" in lines


def test_a_link_that_only_a_kind_has_is_learnt_with_it(found):
    """b makes pain only by making it sharp."""
    assert found.numbers.values[found.numbers.names.index(("b", "pain"))] == 0.0
    after = stated(found.network())
    assert after["b", "pain"] == pytest.approx(after["b", "sharp"])
    assert "learnt from" in found.network().link_sources["b", "pain"]


def test_errors_are_those_of_the_whole(found):
    """With all known, a leak is a share of those who have no disease: its error is a binomial's."""
    records = simulate_records(found.numbers, 4000, np.random.default_rng(0))
    well = (records.diseases == 0).all(axis=1)
    number = found.numbers.names.index(("pain", "pain"))
    share = found.whole.learnt[number]
    binomial = 1.0 / np.sqrt(well.sum() * share * (1.0 - share))
    assert found.whole.certainty.errors[number] == pytest.approx(binomial, rel=0.1)
    assert found.certainty.errors[number] > 1.02 * binomial  # of what pain has besides
