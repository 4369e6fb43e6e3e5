"""Deadlines: whoever works looks at the clock, and leaves time for those who come after."""

from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.advise.what_if import cure, smallest_cure
from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled import choice
from hickam.inference.coupled import mixed as mixing
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.checked import check
from hickam.inference.coupled.climb import climb
from hickam.inference.coupled.cures import weighed_explanations
from hickam.inference.coupled.mixture import mix
from hickam.inference.cures import NetworkCures
from hickam.inference.frontier.visit import exactly
from hickam.inference.joint_causes import JointCauses
from hickam.inference.problem import Solution, impossible
from hickam.inference.reduce import reduce
from hickam.inference.sampling.estimates import combine
from hickam.inference.sampling.sampled import CHAINS, _sample, by_sampling, sparing
from hickam.inference.settled import choice as settled_choice
from hickam.inference.settled.choice import Way, settled
from hickam.inference.solve import solve
from hickam.issues import TooHard
from hickam.kernels import compiled
from planted import planted_problem

pytestmark = pytest.mark.skipif(compiled() is None, reason="clocks of compiled kernels")
OVER = Deadline.after(-1.0)


def wide_network(risks=30, diseases=40, findings=18, seed=3):
    """A network in which everything is coupled to some of everything."""
    rng = np.random.default_rng(seed)

    def causes(prefix, count, most):
        some = rng.choice(count, min(count, 6), replace=False)
        return {f"{prefix}{i}": float(rng.uniform(0.2, most)) for i in some}

    return hickam.from_dict(
        {
            "hickam": 1,
            "name": "wide",
            "risk_factors": [{"id": f"r{j}", "prior": 0.2} for j in range(risks)],
            "diseases": [
                {"id": f"d{k}", "leak": 0.01, "causes": causes("r", risks, 0.8)}
                for k in range(diseases)
            ],
            "findings": [
                {"id": f"f{s}", "leak": 0.01, "causes": causes("d", diseases, 0.9)}
                for s in range(findings)
            ],
        }
    )


def wide_problem(likelihoods=None, **sizes):
    network = wide_network(**sizes)
    case = hickam.Case(present=network.findings, likelihoods=likelihoods or {})
    return reduce(network, locate(case, network))


def thin_mixture(problem):
    """A mixture that leaves couplings out."""
    mixture = mix(problem, 5e5, Limits(), NEVER)
    assert mixture is not None
    assert not mixture.exact
    return mixture


def nothing_found(problem):
    return Solution(impossible(problem), "nothing", Accuracy("sampled", 0.0))


def test_the_earlier_of_two_deadlines_counts():
    soon, late = Deadline.after(1.0), Deadline.after(2.0)
    assert soon.before(late) is soon
    assert late.before(soon) is soon
    assert NEVER.before(soon) is soon
    assert soon.before(NEVER) is soon
    assert NEVER.before(NEVER).end is None


def test_auto_answers_wherever_sampling_by_name_does():
    """However short the time: also when all of it is gone once the others have tried."""
    settled_one = planted_problem(1, rows=100, present=30)
    coupled_one = wide_problem()
    for problem in (settled_one, coupled_one):
        for seconds in (0.0, 0.002, 0.01):
            limits = Limits(deadline=seconds)
            assert by_sampling(problem, limits, Deadline.after(seconds)).engine == "sampling"
            solution = solve(problem, limits, Deadline.after(seconds))
            assert np.isfinite(solution.accuracy.error)
            assert np.all(np.isfinite(solution.tables.posterior))


def test_the_others_leave_sampling_a_part_of_the_time(monkeypatch):
    """Each of them is given a deadline before the end of all."""
    problem, end = wide_problem(), Deadline.after(100.0)
    asked = {}

    def noting(name):
        def attempt(*arguments, **_):
            asked[name] = max(one.end for one in arguments if isinstance(one, Deadline))
            nothing = {"eliminated": (None, 0.0), "explained": (None, 0.0), "_by_messages": ()}
            return nothing.get(name)

        return attempt

    for name in ("eliminated", "exactly", "explained", "mixed", "_by_messages"):
        monkeypatch.setattr(choice, name, noting(name))
    monkeypatch.setattr(choice, "message_seconds", lambda problem: 0.01)
    monkeypatch.setattr(choice, "by_sampling", lambda *_: nothing_found(problem))
    assert choice.coupled(problem, Limits(deadline=100.0), end).engine == "nothing"
    assert set(asked) == {"eliminated", "exactly", "explained", "mixed", "_by_messages"}
    assert max(asked.values()) < end.end - 9.0
    assert sparing(problem, end).end < end.end - 9.0
    assert sparing(problem, NEVER) is NEVER


def test_exact_ways_that_do_not_end_leave_sampling_its_time(monkeypatch):
    problem, end = planted_problem(1, rows=100, present=20), Deadline.after(100.0)
    given = []

    def never(deadline):
        given.append(deadline.end)
        raise TimeoutError

    ways = [Way("frontier", 0.0, 0.0, True, never), Way("cover", 0.0, 0.0, True, never)]
    monkeypatch.setattr(settled_choice, "exact_ways", lambda problem: ways)
    sample = Solution(impossible(problem), "sampling", Accuracy("sampled", 1.0))
    monkeypatch.setattr(settled_choice, "by_sampling", lambda *_: sample)
    monkeypatch.setattr(settled_choice, "held_to_sampling", lambda *_: None)
    assert settled(problem, Limits(deadline=100.0), end) is sample
    assert len(given) >= 2
    assert max(given) <= end.end - 49.0


def test_a_check_that_ended_in_time_counts_when_a_wider_one_does_not(monkeypatch):
    problem = wide_problem(risks=12, diseases=12, findings=6)
    checked = check(problem, bethe(problem, 1e-9, 0.0), Limits(), NEVER, 1e8)
    assert checked is not None
    asked = []

    def once(*_):
        asked.append(1)
        if len(asked) > 1:
            raise TimeoutError
        return replace(checked, missed=0.1)

    monkeypatch.setattr(choice, "vouched", lambda *_: None)
    monkeypatch.setattr(choice, "check", once)
    (found,) = choice._by_messages(problem, Limits(), Deadline.after(1000.0))
    assert len(asked) == 2
    assert found is checked.solution


def test_certain_leaks_are_not_gone_through_when_the_time_is_up(monkeypatch):
    """What they ask for is a further inference each."""
    problem = planted_problem(1, rows=20, present=8)
    leak, fails = problem.leak.copy(), problem.leak_fails.copy()
    leak[0], fails[0] = 1.0, 0.0
    problem = replace(problem, leak=leak, leak_fails=fails)
    sample = Solution(impossible(problem), "sampling", Accuracy("sampled", 1.0))
    monkeypatch.setattr(settled_choice, "by_sampling", lambda *_: sample)
    monkeypatch.setattr(settled_choice, "held_to_sampling", lambda *_: None)

    def late(*_):
        raise TimeoutError

    end = Deadline.after(100.0)
    assert settled(problem, Limits(deadline=100.0), end).accuracy.exact
    monkeypatch.setattr(settled_choice, "_again", late)
    assert settled(problem, Limits(deadline=100.0), end) is sample


def test_a_hurried_run_states_its_error_of_the_log_evidence():
    """When the time is up soft evidence is taken in by fewer particles, in fewer stages."""
    ratios = {f"d{k}": 0.02 if k % 2 else 30.0 for k in range(8)}
    for seed in range(4):
        problem = wide_problem(ratios, risks=10, diseases=8, findings=5, seed=seed)
        truth = exactly(problem, 5.0, Limits(), NEVER)
        assert truth is not None
        tables, accuracy = combine(problem, _sample(problem, 1000, seed, 1e-9), CHAINS)
        assert abs(tables.log_evidence - truth.tables.log_evidence) <= accuracy.log_evidence


def test_draws_that_are_kept_end_with_the_time():
    mixture = mix(wide_problem(risks=8, diseases=10, findings=6), 1e5, Limits(), NEVER)
    assert mixture is not None
    try:
        found = mixture.drawing(0, keep=True, seconds=0.2).draw(10**12, seconds=0.2)
    except TimeoutError:  # a busy machine: too few draws to say anything
        return
    assert len(found["kept_weight"]) < 10**12


def test_no_finer_expansion_is_begun_when_the_time_is_up():
    mixture = thin_mixture(wide_problem(findings=8))
    climbed = climb(mixture, 1e9, Limits(), NEVER)
    assert climbed is not None
    assert climbed.before is not None
    asked = []
    expand = type(mixture).expand

    class Noting:
        def expand(self, *arguments):
            asked.append(arguments)
            return expand(mixture, *arguments[:-1], 0.0)

    hurried = climb(Noting(), 1e9, Limits(), OVER)
    assert hurried is not None
    assert hurried.before is None
    assert len(asked) == 1


def test_an_expansion_without_draws_gives_way_to_others_under_a_deadline(monkeypatch):
    def late(*_):
        raise AssertionError

    problem = wide_problem(findings=8)
    monkeypatch.setattr(mixing, "weigh", lambda *_: None)
    monkeypatch.setattr(mixing, "drawn", late)
    monkeypatch.setattr(mixing, "mix", lambda *_: thin_mixture(problem))
    monkeypatch.setattr(mixing, "climb", lambda mixture, *_: climb(mixture, 1e8, Limits(), NEVER))
    assert mixing.mixed(problem, Limits(), Deadline.after(1000.0)) is None


def test_explanations_for_cures_are_given_the_time_that_is_left(monkeypatch):
    problem = wide_problem(risks=6, diseases=8, findings=5)
    known = exactly(problem, 5.0, Limits(), NEVER).tables
    assert weighed_explanations(problem, known, Limits(), NEVER) is not None
    assert weighed_explanations(problem, known, Limits(), OVER) is None


def test_a_further_inference_that_is_only_sampled_in_time_leaves_cures_to_explanations():
    network = wide_network()
    evidence = locate(hickam.Case(present=network.findings), network)
    problem = reduce(network, evidence)
    solution = by_sampling(problem, Limits(deadline=0.05), Deadline.after(0.05))
    joint = JointCauses(problem, solution, Limits(deadline=0.05), OVER)
    with pytest.raises(TooHard):
        joint.of([0, 1])


def test_cures_are_answered_however_short_the_time():
    network = wide_network()
    case = hickam.Case(present=network.findings)
    for seconds in (0.0, 0.005):
        found = cure(network, case, network.diseases[:4], deadline=seconds)
        assert np.isfinite(found.accuracy.error)
        assert all(0.0 <= chance <= 1.0 for chance in found.removed.values())
        assert smallest_cure(network, case, 2.0, deadline=seconds) is not None


def test_a_search_for_cures_is_exact_no_longer_than_a_part_of_the_time():
    network = wide_network(risks=4, diseases=5, findings=4)
    evidence = locate(hickam.Case(present=network.findings), network)
    cures = NetworkCures(network, evidence, Limits(deadline=0.0))
    cures.tried(network.diseases[:2])
    assert cures._search is not None
    assert cures._search.over
