"""Empty cells mean what is said of them, and nobody learns from a column that never says no."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.issues import InvalidInput
from hickam.learn.batch import batches
from hickam.learn.criticise import criticise
from hickam.learn.em import log_odds
from hickam.learn.expect import expect
from hickam.learn.numbers import numbers_of
from hickam.learn.recording import Column, recording_of
from hickam.learn.records import UNKNOWN, Records, together
from hickam.learn.run import Plan, learn_from
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network
from learning_worlds import by_worlds

SMALL = Recipe(risk_factors=2, diseases=2, findings=2, causes=(1, 2), effects=(1, 2))
RECIPE = Recipe(risk_factors=3, diseases=4, findings=6, disease_leak=(0.01, 0.1), effects=(2, 4))
KINDS = {
    "hickam": 1,
    "name": "kinds",
    "risk_factors": [{"id": "r", "prior": 0.3}],
    "diseases": [
        {"id": "a", "leak": 0.2, "causes": {"r": 0.4},
         "prevalence": [{"sex": "male", "factor": 3}]},
        {"id": "b", "leak": 0.1},
    ],
    "findings": [
        {"id": "pain", "leak": 0.1, "causes": {"a": 0.6, "b": 0.5}},
        {"id": "sharp", "is_a": "pain", "leak": 0.02, "causes": {"a": 0.3}},
        {"id": "fever", "leak": 0.05, "causes": {"b": 0.7},
         "prevalence": [{"sex": "male", "factor": 2}]},
    ],
}  # fmt: skip
PEOPLE = (("female", 30.0), ("male", 30.0))


def write_down(records: Records, rng, yes: float, no: float, layer: str = "findings") -> Records:
    """The records with a state written down with one chance where it is yes, another where no."""
    table = getattr(records, layer).copy()
    table[rng.random(table.shape) >= np.where(table == 1, yes, no)] = UNKNOWN
    return replace(records, **{layer: table})


def scene(seed: int, count: int = 4000, **missing):
    """(truth, a network whose numbers are off, complete findings, randomness)."""
    rng = np.random.default_rng(seed)
    truth = numbers_of(random_network(rng, RECIPE))
    records = simulate_records(truth, count, rng, **missing)
    noise = rng.normal(0.0, 0.7, truth.size)
    start = truth.network_with(1.0 / (1.0 + np.exp(-log_odds(truth.values) - noise)))
    return truth, start, records, rng


def share_found(network, records: Records) -> float:
    """How often the likeliest disease of an ill patient is there, the diseases being hidden."""
    numbers = numbers_of(network)
    hidden = replace(records, diseases=np.full_like(records.diseases, UNKNOWN))
    found = [expect(numbers, numbers.values, batch, posterior=True).posterior
             for batch in batches(numbers, hidden)]  # fmt: skip
    first = np.concatenate(found).argmax(axis=1)
    ill = (records.diseases == 1).any(axis=1)
    return float((records.diseases[np.arange(len(first)), first] == 1)[ill].mean())


@pytest.mark.parametrize("seed", range(6))
def test_statistics_are_those_of_all_worlds(seed):
    rng = np.random.default_rng(seed)
    numbers = numbers_of(random_network(rng, SMALL))
    columns = (Column(0, (0.6, 0.3)), Column(3, (0.7, 0.2)), Column(4, (0.8, 0.0)))
    records = together(simulate_records(numbers, 60, rng, missing=0.5))
    records.findings[records.findings[:, 0] == 0, 0] = UNKNOWN  # no 'no' is written down
    values = np.concatenate([numbers.values, *(column.rates for column in columns)])
    (batch,) = batches(numbers, records, columns=columns)
    found = expect(numbers, values, batch)
    logs, score = by_worlds(numbers, values, records, columns)
    np.testing.assert_allclose(found.log_evidence, logs, atol=1e-10)
    np.testing.assert_allclose(found.acted - values * found.could, score, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_down_whatever_it_is_tells_nothing(seed):
    """With equal shares the E step is that of the kernel, also of kinds and of factors by sex."""
    rng = np.random.default_rng(seed)
    numbers = numbers_of(hickam.from_dict(KINDS))
    records = together(simulate_records(numbers, 80, rng, missing=0.4, people=PEOPLE))
    columns = tuple(Column(numbers.ids.index(name), (0.5, 0.5)) for name in ("r", "b", "fever"))
    values = np.concatenate([numbers.values, np.full(6, 0.5)])
    families = [np.arange(numbers.size)]
    (plain,), (modelled,) = batches(numbers, records), batches(numbers, records, columns=columns)
    one = expect(numbers, numbers.values, plain, families=families)
    two = expect(numbers, values, modelled, families=families)
    off = len(columns) * np.log(0.5)
    np.testing.assert_allclose(two.log_evidence - off, one.log_evidence, atol=1e-10)
    scores = [found.acted - used * found.could
              for found, used in ((one, numbers.values), (two, values))]  # fmt: skip
    np.testing.assert_allclose(scores[1][: numbers.size], scores[0], atol=1e-9)
    np.testing.assert_allclose(two.products[0], one.products[0], atol=1e-9)


@pytest.mark.parametrize(
    ("yes", "no", "said"),
    [(0.7, 0.7, ()), (1.0, 0.0, "absent"), (0.6, 0.0, "absent:0.6"), (0.8, 0.2, "model:0.8,0.2"),
     (0.8, 0.2, "model")],
)  # fmt: skip
def test_what_made_the_records_is_found_however_they_are_written_down(yes, no, said):
    """Intervals hold the truth, and patients of whom nothing was learnt are diagnosed better."""
    inside, shares, before, after = [], [], [], []
    for seed in range(5):
        truth, start, records, rng = scene(seed, 3000, hide_diseases=0.1, hide_risks=0.1)
        records = write_down(records, rng, yes, no)
        unlinked = set(range(len(start.findings))) - set(start.effects.effect.tolist())
        choices = (said,) if isinstance(said, str) else said
        if said == "model":
            choices = (*choices, *(f"{start.findings[finding]}=unknown" for finding in unlinked))
        plan = Plan(trust={"estimate": 1.0}, unmentioned=choices, workers=1)
        found = learn_from(start, records, plan)
        low, high = (part[: truth.size] for part in (found.certainty.low, found.certainty.high))
        counted = np.array([effect not in {start.findings[f] for f in unlinked}
                            for _, effect in truth.names])  # fmt: skip
        inside += ((low <= truth.values) & (truth.values <= high))[counted].tolist()
        shares += [rate.low <= {"yes": yes, "no": no}[rate.word] <= rate.high
                   for rate in found.rates if not rate.given]  # fmt: skip
        others = simulate_records(truth, 3000, rng)
        best = share_found(truth.network, others)
        before.append(best - share_found(start, others))
        after.append(best - share_found(found.network(), others))
    margin = 4.0 * np.sqrt(0.95 * 0.05 / len(inside))
    assert abs(np.mean(inside) - 0.95) < margin, np.mean(inside)
    assert not shares or np.mean(shares) > 0.8
    assert np.mean(after) < 0.5 * np.mean(before), (before, after)


@pytest.mark.parametrize("layer", ["risks", "diseases", "findings"])
def test_columns_that_never_say_no_are_refused_by_name(layer):
    _, start, records, rng = scene(0, 500)
    records = write_down(records, rng, 0.9, 0.0, layer)
    names = {"risks": "r0", "diseases": "d1", "findings": "f2"}
    for ask in (learn_from, criticise):
        with pytest.raises(InvalidInput) as refused:
            ask(start, records)
        assert f"column '{names[layer]}'" in str(refused.value)
        for word in ("absent", "absent:0.8", "unknown", "model:0.8,0.1"):
            assert word in str(refused.value)
    columns = {"risks": 3, "diseases": 4, "findings": 6}[layer]
    assert len(refused.value.issues) == columns + 1


def test_a_column_that_hardly_ever_says_no_is_refused_and_one_that_does_is_not():
    _, start, records, rng = scene(1, 2000)
    few, many = write_down(records, rng, 0.9, 0.002), write_down(records, rng, 0.9, 0.5)
    numbers = numbers_of(start)
    with pytest.raises(InvalidInput, match="no in"):
        recording_of(numbers, few)
    assert not recording_of(numbers, many).one_way.any()


def test_one_column_is_found_among_others():
    _, start, records, _ = scene(2, 800)
    records.findings[records.findings[:, 3] == 0, 3] = UNKNOWN
    with pytest.raises(InvalidInput) as refused:
        learn_from(start, records)
    assert [issue.where for issue in refused.value.issues] == ["column 'f3'", "1 of the columns"]
    found = learn_from(start, records, Plan(unmentioned="f3=absent", workers=1))
    assert found.patients == 800


def test_a_column_left_out_teaches_nothing():
    truth, start, records, rng = scene(3, 800)
    records = write_down(records, rng, 0.6, 0.0)
    found = learn_from(start, records, Plan(unmentioned="unknown", workers=1))
    own = slice(truth.of_kind("finding leak").start, truth.size)
    assert found.values[own].tolist() == numbers_of(start).values[own].tolist()
    assert not found.told[own].any()
    assert len(found.recording.warnings) == len(start.findings)


def test_gains_are_of_patients_of_whom_enough_is_known_or_not_stated():
    truth, start, records, rng = scene(4, 1500)
    complete = simulate_records(truth, 400, rng)
    silent = write_down(records, rng, 0.6, 0.0)
    for said in ("absent", "absent:0.6", "unknown"):
        found = learn_from(start, silent, Plan(unmentioned=said, hold_out=0.3, workers=1))
        assert (found.judged, found.unjudged) == (None, True)
    plan = Plan(unmentioned="absent:0.6", hold_out=complete, workers=1)
    found = learn_from(start, silent, plan)
    assert found.judged.patients == 400
    assert found.judged.gain > 0.0
    wrong = learn_from(start, silent, replace(plan, unmentioned="absent:0.9"))
    assert wrong.judged.gain < found.judged.gain
    found = learn_from(start, records, Plan(hold_out=0.2, workers=1))
    assert found.judged.patients == 300
    some = records.take(np.arange(len(records)))
    some.findings[:1000, 2:] = UNKNOWN
    found = learn_from(start, some, Plan(hold_out=0.2, workers=1))
    assert 50 < found.judged.patients < 150


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("f0=model", "never says no"),
        ("pain=model:0.8,0.1", "has kinds"),
        ("a=absent:0.01", "more than are written down"),
        ("a=model:0.9,0.2", "give 0"),
        ("nosuch=absent", "is no column"),
        ("absent:0", "not understood"),
        ("absent:nan", "not understood"),
        ("model:0.8", "not understood"),
        ("maybe", "not understood"),
    ],
)
def test_what_cannot_be_told_from_the_records_is_refused(said, words):
    document = {**KINDS, "findings": [*KINDS["findings"],
                                      {"id": "f0", "leak": 0.1, "causes": {"a": 0.4}}]}  # fmt: skip
    network = hickam.from_dict(document)
    rng = np.random.default_rng(0)
    records = simulate_records(numbers_of(network), 500, rng)
    records = write_down(write_down(records, rng, 0.8, 0.0), rng, 0.5, 0.0, "diseases")
    with pytest.raises(InvalidInput, match=words):
        learn_from(network, records, Plan(unmentioned=("absent", said), workers=1))


def test_kinds_are_spoken_of_together_and_the_others_by_a_model():
    network = hickam.from_dict(KINDS)
    rng = np.random.default_rng(0)
    records = simulate_records(numbers_of(network), 500, rng)
    records = write_down(records, rng, 0.8, 0.0)
    found = learn_from(
        network, records, Plan(unmentioned=("absent:0.8", "kinds=absent"), workers=1)
    )
    assert [found.numbers.ids[column.node] for column in found.recording.columns] == ["fever"]
    assert found.recording.absent.sum() == 2


def test_a_share_without_a_link_cannot_be_learnt():
    network = hickam.from_dict({
        "hickam": 1, "name": "n", "diseases": [{"id": "a", "leak": 0.3}],
        "findings": [{"id": "s", "leak": 0.3, "causes": {"a": 0.5}}, {"id": "t", "leak": 0.3}],
    })  # fmt: skip
    inside = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        records = write_down(simulate_records(numbers_of(network), 5000, rng), rng, 0.8, 0.3)
        with pytest.raises(InvalidInput, match="column 't' has no link"):
            learn_from(network, records, Plan(unmentioned="model"))
        plan = Plan(unmentioned=("model", "t=unknown"), workers=1)
        yes, no = learn_from(network, records, plan).rates
        inside += [yes.low <= 0.8 <= yes.high, no.low <= 0.3 <= no.high]
    assert np.mean(inside) > 0.85


def test_too_much_left_open_for_a_model_is_refused():
    rng = np.random.default_rng(0)
    numbers = numbers_of(random_network(rng, Recipe(diseases=20, findings=20)))
    records = simulate_records(numbers, 50, rng, hide_diseases=1.0)
    records = write_down(records, rng, 0.6, 0.0)
    with pytest.raises(InvalidInput, match="at most 12"):
        learn_from(numbers.network, records, Plan(unmentioned="absent:0.6"))
