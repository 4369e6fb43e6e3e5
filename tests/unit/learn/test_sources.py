"""What was learnt says so: how many patients it rests on, and which records taught it."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import hickam
from hickam.io.records import read_records
from hickam.io.write_records import write_records
from hickam.issues import InvalidInput
from hickam.learn.belief import belief_of
from hickam.learn.numbers import numbers_of
from hickam.learn.records import digest_of
from hickam.learn.run import Plan, learn_from
from hickam.learn.simulate import simulate_records
from hickam.model.source import firmness, learnt
from hickam.trust.numbers import is_estimate
from hickam.trust.redraw import Redraw

SMOKER = hickam.load("smoker")


def network(source: str = "estimate"):
    return hickam.from_dict({
        "hickam": 1, "name": "n", "diseases": [{"id": "a", "leak": 0.2}],
        "findings": [{"id": "s", "leak": 0.1, "source": source, "causes": {"a": 0.5}}],
    })  # fmt: skip


def taught(model, count: int, seed: int = 0, **options):
    records = simulate_records(numbers_of(model), count, np.random.default_rng(seed))
    return learn_from(model, records, Plan(workers=1), source=f"r{seed}.csv", **options).network()


def widest(model, factor: float = 8.0) -> float:
    """How far the odds of the link are drawn apart."""
    rng = np.random.default_rng(0)
    draws = [Redraw(model, factor).draw(rng).effects.acts[0] for _ in range(400)]
    odds = np.log(np.array(draws) / (1.0 - np.array(draws)))
    return float(np.ptp(odds))


def test_a_learnt_number_is_no_citation_and_counts_for_its_patients():
    model = taught(network(), 2000)
    said = learnt(model.link_sources["a", "s"])
    assert is_estimate(model.link_sources["a", "s"])
    assert said.before == "0.5, estimate"
    assert 300 < said.patients < 500  # those who have the disease
    # the leak explains some of them: they tell less than so many throws of a coin
    assert 10 < said.weight < said.patients + 10
    weight = belief_of(numbers_of(model)).weight
    names = numbers_of(model).names
    assert weight[names.index(("a", "s"))] == pytest.approx(said.weight, abs=0.5)
    assert belief_of(numbers_of(model), {"learnt": 7.0}).weight[names.index(("a", "s"))] == 7.0


def test_a_number_that_every_patient_shows_counts_for_every_patient():
    said = learnt(taught(network(), 3000).link_sources["a", "a"])
    assert said.patients == 3000
    assert said.weight == pytest.approx(3010, rel=0.03)


@pytest.mark.parametrize("source", ["estimate", ""])
def test_three_records_make_no_number_firm(source):
    """It is drawn as far as an estimate, and 1,000 other records move it as they would one."""
    three, many = taught(network(source), 3), taught(network(source), 5000)
    assert widest(three) == pytest.approx(widest(network(source)), rel=0.02)
    assert widest(many) < 0.3 * widest(three)
    assert firmness(three.link_sources["a", "a"]) <= 3.0
    truth = network(source)
    records = simulate_records(numbers_of(truth), 1000, np.random.default_rng(5))
    once, twice = (learn_from(model, records, Plan(workers=1)) for model in (truth, three))
    assert np.abs(once.values - twice.values).max() < 0.02


def test_what_was_cited_stays_as_firm_as_it_was():
    model = taught(network("Fiest 2017"), 3)
    assert firmness(model.link_sources["a", "s"]) >= 100.0
    assert 0.0 < widest(model) < widest(network())


def test_patients_add_up_over_records():
    first = taught(network(), 800)
    second = taught(first, 700, seed=1)
    one, two = (learnt(model.link_sources["a", "a"]) for model in (first, second))
    assert (one.patients, two.patients) == (800, 1500)
    assert one.before == two.before == "0.2, no source"
    assert two.weight == pytest.approx(1510, rel=0.05)
    assert second.link_sources["a", "a"].startswith("learnt from r1.csv and earlier records,")
    both = second.about.learnt_from
    assert "r0.csv" in both
    assert "r1.csv" in both


@pytest.mark.parametrize("name", ["n.yaml", "n.json", "sheets"])
def test_the_same_records_are_known_again_from_any_file(name, tmp_path):
    model = taught(SMOKER, 50)
    hickam.save(model, tmp_path / name)
    again = hickam.load(tmp_path / name)
    assert again.about == model.about
    assert again.hash == model.hash
    first, other = (simulate_records(numbers_of(SMOKER), 50, np.random.default_rng(seed))
                    for seed in (0, 1))  # fmt: skip
    with pytest.raises(InvalidInput, match="have taught this network already"):
        learn_from(again, first)
    learn_from(again, other, Plan(workers=1))


def test_records_are_the_same_in_any_order_and_form(tmp_path):
    rng = np.random.default_rng(0)
    records = simulate_records(numbers_of(SMOKER), 60, rng, missing=0.3, people=(("female", 40.0),))
    write_records(SMOKER, records, tmp_path / "r.csv")
    write_records(SMOKER, records.take(rng.permutation(60)), tmp_path / "s.jsonl")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "r.csv").read_bytes()))
    digests = {digest_of(read_records(SMOKER, tmp_path / name).records)
               for name in ("r.csv", "s.jsonl", "t.csv.gz")}  # fmt: skip
    assert len(digests) == 1
    assert digest_of(records.take(slice(1, None))) not in digests


def test_records_that_taught_a_network_do_not_judge_it():
    records = simulate_records(numbers_of(SMOKER), 100, np.random.default_rng(0))
    others = simulate_records(numbers_of(SMOKER), 100, np.random.default_rng(1))
    with pytest.raises(InvalidInput, match="records to judge by"):
        learn_from(SMOKER, records, Plan(hold_out=records))
    model = learn_from(SMOKER, records, Plan(hold_out=others, workers=1)).network()
    with pytest.raises(InvalidInput, match="records to judge by"):
        learn_from(model, others, Plan(hold_out=records))


def test_nothing_else_of_a_network_or_of_its_hash_changes():
    assert SMOKER.about.learnt_from == ""
    assert "learnt_from" not in repr(SMOKER.about)
    assert taught(SMOKER, 50).hash != taught(SMOKER, 50, marks=["another"]).hash


def test_a_notice_survives_sheets(tmp_path):
    model = hickam.from_dict({
        "hickam": 1, "name": "n", "notice": "Data of others.", "diseases": [{"id": "a"}],
        "findings": [{"id": "s", "leak": 0.1}],
    })  # fmt: skip
    hickam.save(model, tmp_path / "sheets")
    assert hickam.load(tmp_path / "sheets").about.notice == "Data of others."
