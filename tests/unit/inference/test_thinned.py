"""Links to findings that are cut, and explanations that make up for it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import hickam
from coupled_instances import random_problems, true_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled import thinned as room
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.mixed import weigh
from hickam.inference.coupled.mixture import mix, uncut
from hickam.inference.coupled.thinned import (
    _mixture,
    by_thinned,
    held_to_sampling,
    thinned,
)
from hickam.inference.coupled.thinning import guess, learned, thin
from hickam.inference.frontier.visit import SECONDS, exactly
from hickam.inference.problem import Problem, Solution
from hickam.inference.reduce import reduce
from hickam.issues import TooHard
from hickam.kernels import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="needs compiled kernels")

# Someone who had not built the engine found them: no draw of what is left meets the hub.
HUBS = json.loads((Path(__file__).parents[2] / "golden" / "rare_hubs.json").read_text())
LITTLE = 1e-4  # of the usual operations: links are cut of small problems, too


def settled_problems(seed: int) -> Iterator[Problem]:
    """Settled problems without end, of varied size, links, priors and leaks."""
    rng = np.random.default_rng(seed)
    none, nobody = np.zeros(0), np.zeros(0, dtype=np.int64)
    while True:
        rows, columns = int(rng.integers(4, 50)), int(rng.integers(4, 16))
        linked = rng.random((rows, columns)) < rng.uniform(0.1, 0.7)
        acts = np.where(linked, rng.uniform(0.01, rng.choice([0.3, 0.95]), (rows, columns)), 0.0)
        on = 10 ** rng.uniform(-5.0, rng.choice([-1.0, -0.05]), rows)
        leak = 10 ** rng.uniform(-5.0, rng.choice([-3.0, -1.0]), columns)
        weight = np.where(rng.random(rows) < 0.2, 10 ** rng.uniform(-1.0, 1.0, rows), 1.0)
        most = np.maximum(weight, 1.0)
        yield Problem(
            *(rows, np.arange(rows), np.ones(rows, dtype=bool), on, 1.0 - on),
            *(weight / most, 1.0 / most, acts, 1.0 - acts, leak, 1.0 - leak),
            *(nobody, none, nobody, nobody, none, none, 0.0, np.zeros(rows)),
        )


def wide_problem(findings: int = 60) -> Problem:
    """A settled problem that no frontier takes within a minute."""
    rng = np.random.default_rng(3)
    rows = 120
    linked = rng.random((rows, findings)) < 0.12
    acts = np.where(linked, rng.uniform(0.05, 0.9, (rows, findings)), 0.0)
    on = 10 ** rng.uniform(-3.0, -1.0, rows)
    leak = 10 ** rng.uniform(-3.0, -1.0, findings)
    none, nobody = np.zeros(0), np.zeros(0, dtype=np.int64)
    return Problem(
        *(rows, np.arange(rows), np.ones(rows, dtype=bool), on, 1.0 - on),
        *(np.ones(rows), np.ones(rows), acts, 1.0 - acts, leak, 1.0 - leak),
        *(nobody, none, nobody, nobody, none, none, 0.0, np.zeros(rows)),
    )


@pytest.mark.parametrize("problems", [settled_problems(1), random_problems(1)])
def test_explanations_make_up_for_what_was_cut_within_the_stated_error(problems):
    held = []
    for problem in islice(problems, 60):
        truth = exactly(problem, 0.2, Limits(), NEVER)
        solution = None if truth is None else thinned(problem, Limits(), NEVER, LITTLE)
        if truth is None or solution is None or solution.accuracy.exact:
            continue
        held.append(true_error(solution.tables, truth.tables) / solution.accuracy.error)
        left = np.abs(solution.tables.unexplained - truth.tables.unexplained).max()
        assert left <= solution.accuracy.unexplained
    assert len(held) > 10
    assert np.mean(np.array(held) <= 1.0) >= 0.96
    assert max(held) < 10.0


def test_the_evidence_is_that_of_the_problem_and_not_of_what_is_left():
    gaps, cut = [], []
    for problem in islice(settled_problems(2), 20):
        truth = exactly(problem, 0.2, Limits(), NEVER)
        mixture = _mixture(problem, guess(problem), 1e-5, 1e-5, Limits(), NEVER)
        if truth is None or mixture is None or not mixture.cut.any():
            continue
        found = weigh(mixture.drawing(0), None, 4000, NEVER)
        assert found is not None
        cut.append(abs(mixture.mean.log_evidence - truth.tables.log_evidence))
        gaps.append(abs(found.tables.log_evidence - truth.tables.log_evidence))
    assert len(gaps) > 5
    assert np.median(gaps) < 0.2 * np.median(cut)


def test_with_more_operations_fewer_links_are_cut_and_in_the_end_none():
    for problem in islice(settled_problems(4), 10):
        belief = guess(problem)
        cut = [thin(problem, belief, operations).cut.sum() for operations in (1e3, 1e5, 1e12)]
        assert cut[0] >= cut[1] >= cut[2] == 0


def test_what_is_left_fits_the_operations():
    problem = wide_problem()
    for seconds in (1e-3, 1e-1):
        few = thin(problem, guess(problem), seconds / SECONDS)
        assert few.cut.any()
        operations = 1.5 * seconds / SECONDS
        assert mix(few.problem, operations, Limits(), NEVER, uncut(problem, few.order)) is not None
        assert sorted(few.order) == list(range(len(problem.rows)))


def test_a_finding_that_is_there_anyway_keeps_its_links():
    problem = wide_problem()
    problem.leak[5], problem.leak_fails[5] = 1.0, 0.0
    assert not thin(problem, guess(problem), 1e5).cut[:, 5].any()


def test_a_belief_is_not_given_up_because_no_draw_met_it():
    problem = wide_problem(20)
    before = guess(problem)
    tables = exactly(problem, 5.0, Limits(), NEVER)
    assert tables is not None
    after = learned(before, tables.tables)
    assert (after.posterior >= 0.1 * before.posterior).all()
    assert (after.alone >= 0.1 * before.alone).all()


def test_the_same_seed_gives_the_same_answer():
    problem = wide_problem()
    one, same, other = (thinned(problem, Limits(seed=seed), NEVER, 0.02) for seed in (7, 7, 8))
    assert one is not None
    assert same is not None
    assert other is not None
    assert (one.tables.disabled == same.tables.disabled).all()
    assert (one.tables.disabled != other.tables.disabled).any()


def test_two_seeds_agree_within_what_they_state():
    problem = wide_problem()
    one, other = (thinned(problem, Limits(seed=seed), NEVER, 0.2) for seed in (1, 2))
    assert one is not None
    assert other is not None
    gap = np.abs(one.tables.posterior - other.tables.posterior)
    allowed = one.accuracy.stated_errors[:, 0] + other.accuracy.stated_errors[:, 0]
    assert (gap <= allowed).all()


def test_it_is_not_begun_where_there_is_no_time_for_it():
    assert thinned(wide_problem(), Limits(), Deadline.after(0.01)) is None
    with pytest.raises(TooHard, match="thinned"):
        by_thinned(wide_problem(), Limits(), Deadline.after(0.01))


def test_a_problem_that_little_memory_holds_is_thinned_further():
    solution = thinned(wide_problem(), Limits(memory=3_000_000), NEVER, 0.02)
    assert solution is not None


def test_sixty_findings_of_the_clinic_are_told_to_some_percent():
    network = hickam.load("clinic")
    rng = np.random.default_rng(60)
    present: list[str] = []
    while len(present) < 60:
        links = network.effects.of_cause(int(rng.integers(len(network.diseases))))
        acts, effects = network.effects.acts[links], network.effects.effect[links]
        caused = [network.findings[s] for s in effects[rng.random(len(acts)) < acts]]
        present += [finding for finding in caused if finding not in present]
    known = dict.fromkeys(network.risk_factors, False)
    case = hickam.Case(present[:60], risks=known)
    solution = thinned(reduce(network, locate(case, network)), Limits(), NEVER, 0.3)
    assert solution is not None
    assert leading_error(solution) < 0.1


def test_samples_that_contradict_are_preferred(monkeypatch):
    problem = wide_problem(40)
    found = thinned(problem, Limits(), NEVER, 0.1)
    assert found is not None
    assert found.accuracy.stated_errors is not None
    tables = found.tables
    leading = int(tables.disabled.sum(axis=1).argmax())
    missed = replace(
        tables,
        posterior=np.where(np.arange(len(tables.posterior)) == leading, 0.0, tables.posterior),
        disabled=np.where(
            (np.arange(len(tables.posterior)) == leading)[:, None], 0.0, tables.disabled
        ),
        sustained=np.where(
            (np.arange(len(tables.posterior)) == leading)[:, None], 0.0, tables.sustained
        ),
    )
    sure = replace(found.accuracy, stated_errors=0.001 * found.accuracy.stated_errors)
    monkeypatch.setattr(room, "thinned", lambda *_: Solution(missed, "thinned", sure))
    answer = held_to_sampling(problem, Limits(), NEVER)
    assert answer is not None
    assert answer.engine == "sampling"


@pytest.mark.parametrize("name", HUBS)
def test_a_disease_that_is_very_rare_and_explains_most_is_not_missed(name):
    network = hickam.from_dict(HUBS[name]["network"])
    case = hickam.Case(**HUBS[name]["case"])
    truth = hickam.infer(network, case)
    assert truth.accuracy.exact
    found = hickam.infer(network, case, "thinned")
    for mine, right in (
        (found.posterior, truth.posterior),
        (found.disabled.sum(axis=1), truth.disabled.sum(axis=1)),
        (found.sustained.sum(axis=1), truth.sustained.sum(axis=1)),
    ):
        assert (np.abs(mine - right) <= found.accuracy.error * np.maximum(right, 1e-3)).all()
