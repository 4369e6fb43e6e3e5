"""Pooling is fair to every voice, and a changed network is the one its file would describe."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.strategies import documents_with_kinds, network_of

import hickam
from hickam.infer import infer
from hickam.io.experts import read_experts
from hickam.issues import InvalidInput
from hickam.model.numbers import Chance
from hickam.report.disagreement import sentences
from hickam.trust.changed import with_numbers
from hickam.trust.disagreement import disagreement
from hickam.trust.experts import Said
from hickam.trust.numbers import is_estimate, source_of
from hickam.trust.pool import METHODS, combine, pool

open_chances = st.floats(0.001, 0.999).map(lambda p: Chance(p, 1.0 - p))
voices = st.dictionaries(st.sampled_from("abcd"), open_chances, min_size=1)
weights = st.fixed_dictionaries(dict.fromkeys("abcd", st.floats(0.1, 5.0)))
methods = st.sampled_from(sorted(METHODS))


@given(voices, weights, methods, st.floats(0.1, 10.0))
def test_a_pool_lies_between_its_voices_and_weights_are_relative(said, scale, method, by) -> None:
    pooled = combine(said, scale, method)
    assert pooled is not None
    chances = [chance.acts for chance in said.values()]
    assert min(chances) - 1e-12 <= pooled.acts <= max(chances) + 1e-12
    assert pooled.acts + pooled.fails == pytest.approx(1.0, abs=1e-12)
    again = combine(said, {name: by * weight for name, weight in scale.items()}, method)
    assert again is not None
    assert again.acts == pytest.approx(pooled.acts, rel=1e-9)


@given(voices, weights, st.floats(0.1, 10.0))
def test_new_evidence_before_or_after_a_log_pool_is_the_same(said, scale, ratio) -> None:
    """A log pool is externally Bayesian: a likelihood ratio for all is one for the pool."""

    def updated(chance: Chance) -> Chance:
        total = chance.acts * ratio + chance.fails
        return Chance(chance.acts * ratio / total, chance.fails / total)

    pooled = combine(said, scale, "log")
    later = combine({name: updated(chance) for name, chance in said.items()}, scale, "log")
    assert pooled is not None
    assert later is not None
    assert later.acts == pytest.approx(updated(pooled).acts, rel=1e-9)


@given(methods)
def test_certainties(method) -> None:
    """A linear pool averages them; a log pool lets one veto, and has no value for both."""
    never, always, maybe = Chance(0.0, 1.0), Chance(1.0, 0.0), Chance(0.5, 0.5)
    weight = {"a": 1.0, "b": 1.0}
    one = combine({"a": never, "b": maybe}, weight, method)
    both = combine({"a": never, "b": always}, weight, method)
    assert one is not None
    assert one.acts == (0.25 if method == "linear" else 0.0)
    assert (both is None) == (method == "log")


@settings(max_examples=80, deadline=None)
@given(st.data(), documents_with_kinds(risks=2, diseases=3, findings=4))
def test_a_changed_network_is_the_one_of_the_edited_file(data, document) -> None:
    """Numbers replaced in memory and in the document give the same network, kinds included."""
    network = network_of(document)
    where: list[tuple[dict[str, Any], str, str]] = [
        (node, cause, node["id"])
        for layer in ("diseases", "findings")
        for node in document[layer]
        for cause in node["causes"]
    ]
    assume(where)
    node, cause, effect = data.draw(st.sampled_from(where))
    value = data.draw(st.integers(1, 63)) / 64
    changed = with_numbers(network, {(cause, effect): Chance(value, 1.0 - value)})
    node["causes"][cause] = value
    # The network in memory has forgotten what a finding stated below its kinds: it stays raised.
    expected = network_of(document)
    for links in ("causes", "effects"):
        mine, theirs = (
            dict(zip(zip(x.cause.tolist(), x.effect.tolist(), strict=True), x.acts, strict=True))
            for x in (getattr(changed, links), getattr(expected, links))
        )
        assert mine.keys() >= {pair for pair, acts in theirs.items() if acts > 0.0}
        at = (network.index[cause], network.index[effect])
        if links == ("effects" if effect in network.findings else "causes"):
            assert mine[at] >= value - 1e-12
            if not any(entry.is_a == effect for entry in network.entries.values()):
                assert mine[at] == pytest.approx(value)
        for pair, acts in theirs.items():
            assert mine[pair] >= acts - 1e-12


@pytest.fixture
def smoker() -> hickam.Network:
    network = hickam.load("smoker")
    assert isinstance(network, hickam.Network)
    return network


ROWS = [
    Said("angina", "chest pain", {"Ann": 0.75, "Bo": "50 %", "Cy": "very frequent"}),
    Said("reflux", "chest pain", {"Ann": 0.15, "Bo": 0.4}),
    Said("", "gastritis", {"Bo": "1 in 50", "Cy": 0.03}),
    Said("reflux", "fatigue", {"Ann": 0.1}),
]


def test_a_missing_link_is_proposed_and_added_only_on_request(smoker: hickam.Network) -> None:
    held = pool(smoker, ROWS)
    assert [one.key for one in held.proposals] == [("reflux", "fatigue")]
    assert len(held.network.effects) == len(smoker.effects)
    added = pool(smoker, ROWS, add=True)
    assert len(added.network.effects) == len(smoker.effects) + 1
    assert not added.proposals


def test_the_source_says_who_and_how_and_stays_an_estimate(smoker: hickam.Network) -> None:
    held = pool(smoker, ROWS, method="log", weights={"Ann": 2.0})
    source = source_of(held.network, "angina", "chest_pain")
    assert is_estimate(source)
    assert all(word in source for word in ("log pool", "Ann", "weight 2", "Bo", "Cy"))


def test_the_number_that_is_there_can_have_a_voice(smoker: hickam.Network) -> None:
    alone = pool(smoker, ROWS[:1], weights={"Ann": 0, "Bo": 0, "Cy": 0, "network": 1})
    assert alone.pooled["angina", "chest_pain"].acts == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("row", "weights", "words"),
    [
        (Said("anginna", "chest pain", {"A": 0.5}), {}, "Angina"),
        (Said("angina", "chest pian", {"A": 0.5}), {}, "Chest pain"),
        (Said("angina", "chest pain", {"A": 1.5}), {}, "outside [0, 1]"),
        (Said("angina", "chest pain", {"A": "oftn"}), {}, "frequent"),
        (Said("angina", "", {"A": 0.5}), {}, "effect"),
        (Said("angina", "chest pain", {"Ann": 0.5}), {"An": 2.0}, "Ann"),
        (Said("angina", "chest pain", {"Ann": 0.5}), {"Ann": -1.0}, ">= 0"),
        (Said("chest pain", "angina", {"A": 0.5}), {}, "finding"),
        (Said("angina", "chest pain", {"network": 0.5}), {}, "rename"),
    ],
)
def test_mistakes_name_the_item_and_the_way_out(
    smoker: hickam.Network, row: Said, weights: dict[str, float], words: str
) -> None:
    with pytest.raises(InvalidInput) as bad:
        pool(smoker, [row], weights=weights)
    assert words in str(bad.value)


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_any_size_are_relative(method: str) -> None:
    said = {"a": Chance(0.25, 0.75), "b": Chance(0.75, 0.25)}
    for size in (1e308, 1e-308):
        found = combine(said, dict.fromkeys(said, size), method)
        assert found is not None
        assert found.acts == pytest.approx(0.5)


def test_a_finding_is_never_pooled_below_its_kinds() -> None:
    network = hickam.from_dict(
        {
            "hickam": 1,
            "name": "kinds",
            "diseases": [{"id": "d", "prior": 0.1}],
            "findings": [
                {"id": "whole", "leak": 0.1, "causes": {"d": 0.5}},
                {"id": "kind", "leak": 0.05, "is_a": "whole", "causes": {"d": 0.3}},
            ],
        }
    )
    held = pool(network, [Said("d", "whole", {"Ann": 0.1, "Bo": 0.2})])
    now = held.network.effects.acts[held.network.effects.of_effect(0)].tolist()
    assert now == pytest.approx([0.3])
    assert held.raised["d", "whole"].acts == pytest.approx(0.3)
    assert "raised" in source_of(held.network, "d", "whole")
    assert any("0.3" in s or "30 %" in s for s in sentences(disagreement(held, each=2)))


def test_a_veto_is_a_dispute_like_any_other(smoker: hickam.Network) -> None:
    """A log pool with 0 is 0; what the other expert's number does is told all the same."""
    held = pool(smoker, [Said("angina", "chest pain", {"Ann": 0, "Bo": 0.75})], method="log")
    assert held.pooled["angina", "chest_pain"].acts == 0.0
    case = hickam.Case(present=["chest pain"])
    found = disagreement(held, [case])
    (dispute,) = found.disputes
    assert dispute.bears == dispute.turned == 1
    assert dispute.moved > 0.1
    assert found.agree == {"Ann": 1.0, "Bo": 0.0}


def test_a_dispute_is_what_the_networks_of_the_experts_say(smoker: hickam.Network) -> None:
    """First places told to change do so when the network is really given the expert's number."""
    held = pool(smoker, ROWS)
    found = disagreement(held, each=20, seed=3)
    assert [d.moved for d in found.disputes] == sorted(d.moved for d in found.disputes)[::-1]
    told = [d for d in found.disputes if d.example and d.example.before != d.example.after]
    assert told
    for dispute in told:
        example = dispute.example
        assert example is not None
        theirs = with_numbers(
            held.network, {dispute.opinions.key: dispute.opinions.chances[example.expert]}
        )
        firsts = []
        for network in (held.network, theirs):
            # The example tells what is present; absent findings and risks are those of its case.
            scores = infer(network, hickam.Case(present=example.present)).disabled.sum(axis=1)
            firsts.append(scores)
        before, after = (smoker.diseases.index(d) for d in (example.before, example.after))
        shift = [scores[after] / scores[before] for scores in firsts]
        assert shift[1] > shift[0]


def test_the_same_table_in_every_form(tmp_path: Path) -> None:
    text = "cause;effect;Dr Ann;Bo\nangina;chest pain;0,75;50 %\n;gastritis;;1 in 50\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    numbers = [
        {"cause": "angina", "effect": "chest pain", "Dr Ann": 0.75, "Bo": "50 %"},
        {"effect": "gastritis", "Bo": "1 in 50"},
    ]
    (tmp_path / "t.json").write_text(json.dumps({"numbers": numbers, "weights": {"Bo": 2}}))
    network = hickam.load("smoker")
    csv, plain = (read_experts(tmp_path / name) for name in ("t.csv", "t.json"))
    first, second = (pool(network, table.rows).pooled for table in (csv, plain))
    assert first.keys() == second.keys()
    assert all(math.isclose(first[key].acts, second[key].acts) for key in first)
    assert plain.weights == {"Bo": 2.0}
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["cause", "effect", "Dr Ann", "Bo"], ["angina", "chest pain", 0.75, "50 %"]):
        book.active.append(row)
    book.active.append([None, "gastritis", None, "1 in 50"])
    book.save(tmp_path / "t.xlsx")
    third = pool(network, read_experts(tmp_path / "t.xlsx").rows).pooled
    assert np.allclose([c.acts for c in third.values()], [c.acts for c in first.values()])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "effect"),
        ("cause,effect\nangina,chest pain\n", "expert"),
        ("cause,effect,A,A\nangina,chest pain,1,1\n", "same name"),
        ("cause,effect,A\nangina,chest pain,0,5\n", "decimal points"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput) as bad:
        read_experts(path)
    assert words in str(bad.value)
