"""Many cases: the same answers in the same order, however the work is shared out."""

import numpy as np
import pytest

import hickam
from hickam.beliefs.beliefs import Beliefs
from hickam.issues import InvalidInput, answered
from hickam.kernels import describe
from hickam.model.build import build_network


def cases(network, count=40):
    draw = np.random.default_rng(0)
    return [
        hickam.Case(present=[str(f) for f in draw.choice(network.findings, 2, replace=False)])
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", ["car", "clinic"])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_nothing(workers, name):
    network = hickam.load(name)
    asked = cases(network)
    one_by_one = [hickam.infer(network, case) for case in asked]
    together = list(hickam.infer_many(network, asked, workers=workers))
    for ours, theirs in zip(together, one_by_one, strict=True):
        np.testing.assert_array_equal(ours.posterior, theirs.posterior)
        np.testing.assert_array_equal(ours.disabled, theirs.disabled)
        assert ours.engine == theirs.engine


def test_cases_are_taken_as_they_are_needed():
    network = hickam.load("smoker")
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield hickam.Case(present=["chest pain"])

    many = hickam.infer_many(network, endless(), workers=2)
    for _ in range(3):
        next(many)
    many.close()
    assert len(taken) < 1000


def test_a_mistake_is_reported_where_it_stands():
    network = hickam.load("smoker")
    asked = [hickam.Case(present=["chest pain"])] * 20 + [hickam.Case(present=["chest pane"])]
    many = hickam.infer_many(network, asked, workers=2)
    for _ in range(16):
        next(many)
    with pytest.raises(InvalidInput, match="chest pane"):
        list(many)


@pytest.mark.parametrize("workers", [0, -1, True])
def test_a_senseless_number_of_workers_is_refused(workers):
    with pytest.raises(InvalidInput, match="workers"):
        hickam.infer_many(hickam.load("smoker"), [], workers=workers)


def test_the_kernels_in_use_can_be_told(monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    assert describe().startswith("NumPy")


def mixed_cases(network, count=150):
    """Cases with few and many findings, risk factors known, partly known and unknown."""
    draw = np.random.default_rng(3)
    made = []
    for number in range(count):
        size = int(draw.integers(0, 15))
        chosen = [network.findings[s] for s in draw.choice(len(network.findings), size + 2, False)]
        known = draw.random(len(network.risk_factors)) < (0.0, 0.9, 1.0, 1.0)[number % 4]
        pairs = zip(network.risk_factors, known, strict=True)
        made.append(
            hickam.Case(
                present=chosen[:-2],
                absent=chosen[-2:],
                risks={risk: bool(draw.random() < 0.2) for risk, told in pairs if told},
                likelihoods={network.diseases[number]: 3.0} if number % 3 == 0 else {},
                sex=("female", "male", None)[number % 3],
                age=None if number % 5 == 0 else float(draw.integers(0, 100)),
            )
        )
    return made


def possible(network, cases):
    """The cases that can happen."""
    found = [case for case in cases if isinstance(answered(hickam.infer, network, case), Beliefs)]
    assert 2 * len(found) > len(cases)
    return found


def small_patients(network, count):
    """Patients with known risk factors and up to five findings."""
    draw = np.random.default_rng(5)
    risks = network.risk_factors
    return [
        hickam.Case(
            present=[str(f) for f in draw.choice(network.findings, draw.integers(0, 6), False)],
            risks={risk: bool(draw.random() < 0.3) for risk in risks},
            likelihoods={str(draw.choice(network.diseases)): float(draw.choice([0.0, 0.2, 9.0]))},
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("dial", [1.0, 0.1])
def test_many_cases_in_one_call_are_answered_as_one_by_one(dial):
    network = hickam.load("clinic")
    asked = possible(network, [case for case in mixed_cases(network) if len(case.present) < 9])
    together = hickam.infer_many(network, asked, workers=1, dial=dial)
    for case, ours in zip(asked, together, strict=True):
        alone = hickam.infer(network, case, dial=dial)
        assert ours.present == alone.present
        assert ours.engine == alone.engine
        assert ours.log_evidence == alone.log_evidence
        assert ours.in_force == alone.in_force
        for table in ("posterior", "disabled", "sustained", "unexplained", "single_fault"):
            np.testing.assert_array_equal(getattr(ours, table), getattr(alone, table))


@pytest.mark.parametrize("name", ["clinic", "car"])
def test_the_kernel_of_many_cases_agrees_with_the_twins_in_numpy(name, monkeypatch):
    network = hickam.load(name)
    asked = possible(network, small_patients(network, 40))
    found = list(hickam.infer_many(network, asked, workers=1))
    assert {beliefs.engine for beliefs in found} == {"cover"}
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    for ours, twin in zip(found, hickam.infer_many(network, asked, workers=1), strict=True):
        assert ours.log_evidence == pytest.approx(twin.log_evidence, rel=1e-11, abs=1e-11)
        for table in ("posterior", "disabled", "sustained", "unexplained", "single_fault"):
            np.testing.assert_allclose(
                getattr(ours, table), getattr(twin, table), rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize("workers", [1, 2])
def test_every_case_before_a_mistake_is_answered(workers):
    network = hickam.load("smoker")
    asked = [hickam.Case(present=["chest pain"])] * 90 + [hickam.Case(present=["chest pane"])]
    many = hickam.infer_many(network, asked, workers=workers)
    assert len([next(many) for _ in range(90)]) == 90
    with pytest.raises(InvalidInput, match="chest pane"):
        next(many)


def test_what_would_take_cover_long_is_planned_first():
    size, count = 900, 12
    near = [{f"d{k}": 0.3 for k in range(size) if (k - s) % count < 2} for s in range(count)]
    document = {
        "hickam": 1,
        "name": "wide",
        "diseases": [{"id": f"d{k}", "leak": 0.001} for k in range(size)],
        "findings": [{"id": f"s{s}", "leak": 0.01, "causes": near[s]} for s in range(count)],
    }
    network, _ = build_network(document)
    case = hickam.Case(present=network.findings)
    ours, by_cover = hickam.infer(network, case), hickam.infer(network, case, engine="cover")
    assert ours.engine != "cover"
    np.testing.assert_allclose(ours.posterior, by_cover.posterior, rtol=1e-8)
    np.testing.assert_allclose(ours.disabled, by_cover.disabled, rtol=1e-8)


def sampled_alike(ours: Beliefs, theirs: Beliefs) -> None:
    """Whether two answers are the same to the last digit."""
    for table in ("posterior", "disabled", "sustained", "unexplained"):
        np.testing.assert_array_equal(getattr(ours, table), getattr(theirs, table))
    assert ours.log_evidence == theirs.log_evidence
    assert ours.accuracy == theirs.accuracy


@pytest.mark.parametrize("engine", ["sampling", "mixture"])
def test_a_seed_gives_one_answer_for_any_number_of_workers(engine, monkeypatch):
    monkeypatch.setattr("hickam.inference.sampling.sampled.NOMINAL", 0.02)
    network = hickam.load("car")
    asked = cases(network, 3)
    first = [hickam.infer(network, case, engine, seed=7, tolerance=0.2) for case in asked]
    for workers in (1, 3):
        found = hickam.infer_many(network, asked, engine, workers=workers, seed=7, tolerance=0.2)
        for ours, theirs in zip(found, first, strict=True):
            sampled_alike(ours, theirs)


def test_a_seed_gives_one_answer_for_any_number_of_cores(monkeypatch):
    monkeypatch.setattr("hickam.inference.sampling.sampled.NOMINAL", 0.02)
    network = hickam.load("car")
    case = hickam.Case(present=[str(f) for f in network.findings[:4]])
    found = []
    for cores in (1, 5):
        monkeypatch.setattr("os.cpu_count", lambda n=cores: n)
        found.append(hickam.infer(network, case, "sampling", seed=7, tolerance=0.2))
    for other in found[1:]:
        sampled_alike(found[0], other)
