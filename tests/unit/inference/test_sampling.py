"""Sampling finds every explanation, says how far it can be trusted, and keeps its limits."""

import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

import hickam
from conditioned import only_caused_by
from coupled_instances import true_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.cures import NetworkCures
from hickam.inference.frontier.visit import by_frontier
from hickam.inference.problem import Tables
from hickam.inference.reduce import reduce
from hickam.inference.sampling.cures import sampled_cures
from hickam.inference.sampling.estimates import DISAGREE, evidence, quantile, split_r_hat
from hickam.inference.sampling.sampled import draw, nominal_steps, sampled
from hickam.kernels import compiled
from strategies import network_of
from truth_reference import Impossible, truth
from truth_structures import instances

needs_kernels = pytest.mark.skipif(compiled() is None, reason="too slow without compiled kernels")
both = pytest.mark.parametrize("kernels", ["compiled", "numpy"])


@pytest.fixture
def steps(kernels, monkeypatch):
    """Steps that a chain can afford with these kernels."""
    if kernels == "numpy":
        monkeypatch.setenv("HICKAM_KERNELS", "numpy")
        return 400
    if compiled() is None:
        pytest.skip("installed without compiled kernels")
    return 5000


def problem_of(network, case):
    return reduce(network, locate(case, network))


def near_certain_links():
    """A risk factor that makes both diseases certain but for one chance in a million."""
    network = network_of(
        {
            "risk_factors": [{"id": "r", "prior": 0.3}],
            "diseases": [
                {"id": f"d{k}", "leak": 1e-7, "causes": {"r": 1.0 - 1e-6}} for k in range(2)
            ],
            "findings": [
                {"id": "f0", "leak": 0.05, "causes": {"d0": 0.2}},
                {"id": "f1", "leak": 0.3, "causes": {"d1": 0.1}},
            ],
        }
    )
    return network, Case(present=["f0", "f1"])


def rows_or_columns(side=3, prior=2e-3, leak=1e-4):
    """Findings on a grid that either all diseases of the rows explain or all of the columns."""
    cells = [(i, j) for i in range(side) for j in range(side)]
    network = network_of(
        {
            "risk_factors": [],
            "diseases": [{"id": f"{way}{i}", "leak": prior} for way in "rc" for i in range(side)],
            "findings": [
                {"id": f"f{i}{j}", "leak": leak, "causes": {f"r{i}": 0.9, f"c{j}": 0.8}}
                for i, j in cells
            ],
        }
    )
    return network, Case(present=[f"f{i}{j}" for i, j in cells])


@both
@pytest.mark.parametrize("made", [near_certain_links, rows_or_columns])
def test_chains_go_from_one_explanation_to_the_other(made, steps):
    problem = problem_of(*made())
    tables, accuracy = sampled(problem, Limits(), steps=steps)
    error = true_error(tables, by_frontier(problem, Limits(), NEVER).tables)
    assert error <= accuracy.error
    assert error < 0.3


@needs_kernels
@pytest.mark.parametrize("name", ["near_certain", "certain", "bipartite", "ring", "rare"])
def test_the_stated_error_holds_on_structures_made_to_hurt(name):
    ratios = []
    for number, (network, case) in islice(instances(name, 3), 60):
        problem = problem_of(network, case)
        try:
            known = truth(network, case)
        except Impossible:
            continue
        if len(problem.rows) == 0:
            continue
        tables, accuracy = sampled(problem, Limits(seed=number), steps=3000)
        right = Tables(
            0.0,
            *(np.asarray(x, float)[problem.rows] for x in (known.posterior, known.disabled)),
            np.asarray(known.sustained, float)[problem.rows],
            np.asarray(known.unexplained, float),
        )
        ratios.append(true_error(tables, right) / accuracy.error)
    assert np.mean(np.array(ratios) <= 1.0) >= 0.98
    assert max(ratios) < 10.0
    assert np.median(ratios) > 1.0 / 60.0


@both
def test_log_evidence_is_within_five_of_its_standard_errors(steps):
    for name in ("dense", "near_certain", "huge_ratios"):
        for number, (network, case) in islice(instances(name, 4), steps // 400):
            problem = problem_of(network, case)
            if len(problem.rows) == 0:
                continue
            log_evidence, error = evidence(draw(problem, Limits(seed=number), steps=steps))
            right = by_frontier(problem, Limits(), NEVER).tables.log_evidence
            assert abs(log_evidence - right) <= 5.0 * error + 0.02
            assert error < 3.0


@needs_kernels
def test_the_answer_does_not_depend_on_the_number_of_threads(monkeypatch):
    network = hickam.load("clinic")
    problem = problem_of(network, Case(present=network.findings[:25]))
    answers = []
    for processors in (1, 2, 5):
        monkeypatch.setattr("os.cpu_count", lambda count=processors: count)
        answers.append(sampled(problem, Limits(seed=2), steps=300)[0])
    for answer in answers[1:]:
        assert answer.log_evidence == answers[0].log_evidence
        np.testing.assert_array_equal(answer.posterior, answers[0].posterior)
        np.testing.assert_array_equal(answer.disabled, answers[0].disabled)


@both
def test_a_tolerance_of_nothing_is_no_reason_to_fail(steps):
    del steps
    problem = problem_of(*near_certain_links())
    tables, accuracy = sampled(problem, Limits(tolerance=0.0, deadline=0.3))
    assert np.isfinite(tables.posterior).all()
    assert accuracy.error > 0.0


@both
def test_a_deadline_cuts_the_work_short(steps):
    del steps
    network = hickam.load("clinic")
    problem = problem_of(network, Case(present=network.findings[:40]))
    taken = draw(problem, Limits(deadline=0.01))["steps"]
    assert taken.min() > 0
    assert taken.sum() < 8 * nominal_steps(problem)


@needs_kernels
def test_a_batch_is_a_few_steps_when_the_time_is_up():
    network = hickam.load("clinic")
    problem = problem_of(network, Case(present=network.findings[:40]))
    taken = draw(problem, Limits(deadline=1e-6))["steps"]
    assert 0 < taken.min() <= taken.max() < 32  # a whole cycle


@needs_kernels
def test_sixty_findings_with_open_risk_factors_are_answered():
    network = hickam.load("clinic")
    case = Case(present=network.findings[:60])
    beliefs = hickam.infer(network, case, engine="sampling", deadline=0.2)
    assert beliefs.engine == "sampling"
    assert np.isfinite(beliefs.log_evidence)
    assert beliefs.posterior.max() > 0.5


def removed_exactly(problem, rows):
    """[present] P(every active cause is in the rows), by two exact inferences each."""
    before = by_frontier(problem, Limits(), NEVER).tables.log_evidence + problem.log_scale
    chances = []
    for column in range(len(problem.leak)):
        only = only_caused_by(problem, np.array(rows), column)
        if only is None:
            chances.append(0.0)
            continue
        after = by_frontier(only, Limits(), NEVER).tables.log_evidence + only.log_scale
        chances.append(float(np.exp(after - before)))
    return np.array(chances)


@both
def test_cures_of_any_set_come_from_one_run(steps):
    beyond, seen = 0, 0
    for name in ("dense", "near_certain", "certain"):
        for number, (network, case) in islice(instances(name, 6), steps // 400):
            problem = problem_of(network, case)
            able = np.flatnonzero((problem.acts > 0.0).any(axis=1)).tolist()
            sets = [able[:size] for size in (1, 2, 3) if size <= len(able)]
            found = sampled_cures(problem, sets, Limits(seed=number), steps)
            for removed, errors, rows in zip(
                found.removed, found.standard_errors, sets, strict=True
            ):
                gap = np.abs(removed - removed_exactly(problem, rows))
                beyond += int((gap > 4.0 * errors + 0.003).sum())
                seen += len(gap)
    assert seen > 10
    assert beyond <= 0.02 * seen


@needs_kernels
def test_a_sampled_case_is_cured_by_its_explanations():
    network, case = next(iter(instances("dense", 8)))[1]
    cures = NetworkCures(network, locate(case, network), Limits())
    pair = cures.able[:2]
    right, how = cures.removed(pair)
    assert how.exact
    cures = NetworkCures(network, locate(case, network), Limits(deadline=0.5))
    cures._search = Deadline.after(0.0)  # as after a long search
    removed, how = cures.tried(pair)
    assert how.kind == "sampled"
    expected = sum(right.values())
    assert abs(sum(removed.values()) - expected) <= how.error * max(expected, 1e-3)
    assert sum(removed.values()) == pytest.approx(expected, abs=0.1)


def chain_of(*sets):
    """Kept sets as the sampler hands them over."""
    return np.cumsum([0, *map(len, sets)]), np.concatenate([np.array(s, dtype=int) for s in sets])


def test_a_quantile_is_that_of_numpy():
    values = np.random.default_rng(3).random(12)
    for share in (0.0, 0.3, 0.5, 0.95, 1.0):
        assert quantile(values, share) == pytest.approx(np.quantile(values, share), abs=1e-15)


def test_chains_that_stick_to_different_explanations_are_seen():
    one, other = chain_of(*[[0, 1]] * 200), chain_of(*[[2]] * 200)
    assert split_r_hat([one, one, other, other]) > DISAGREE
    moving = chain_of(*[[0, 1], [2]] * 100)
    assert split_r_hat([moving] * 4) < DISAGREE


FEW_THREADS = """
import resource
import numpy as np
from hickam.kernels import compiled

rows, columns, kernels = 300, 8, compiled()
acts = np.random.default_rng(0).uniform(0.05, 0.5, (rows, columns))
off, on, one = np.full(rows, 0.99), np.full(rows, 0.01), np.ones(rows)
leak, none, nowhere = np.full(columns, 0.01), np.zeros(0), np.zeros(0, dtype=np.int64)
problem = (off, on, one, one, acts, 1 - acts, leak, 1 - leak, none, nowhere, nowhere, none, none)
print(kernels.sample(*problem, 8, 4, 400, 1, 1, 0.0)["slot"].sum())
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 700_000_000,) * 2)
print(kernels.sample(*problem, 8, 4, 400, 1, 6, 0.0)["slot"].sum())
"""


@needs_kernels
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded in Linux's way")
def test_work_for_which_there_are_no_threads_is_done_all_the_same():
    ended = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -s 500000 && exec "{sys.executable}" -c "$PROGRAM"'],
        env={**os.environ, "PROGRAM": FEW_THREADS, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "ulimit" in ended.stderr:
        pytest.skip("the stack cannot be that large here")
    alone, together = ended.stdout.split()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert alone == together
