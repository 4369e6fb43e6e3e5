import numpy as np
import pytest

from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, Vignette, ranked
from hickam.study.difficulty import STRATA, by_difficulty, correlation, trends
from hickam.study.doctors import Trial


def vignette(name, *lists):
    opinions = tuple(Opinion(f"d{n}", ranked(listed)) for n, listed in enumerate(lists))
    return Vignette(name, Case(present=["x"], id=name), ("a",), opinions=opinions)


def test_difficulty_is_what_the_other_doctors_make_of_a_vignette():
    some = [vignette("easy", "a", "a", "b"), vignette("hard", "b", "c", "a"), vignette("lone", "a")]
    found = {s.name: (s.opinions, s.accuracy) for s in by_difficulty(some, {"alg": [1, 2, 1]})}
    # easy: the doctor who errs is judged by two who are right, the other two by one of each;
    # hard: the doctor who is right by two who err, the other two by one of each
    none, _, half = STRATA
    assert found[none] == (1, {"doctor": 0.0, "alg": 1.0})
    assert found[half] == (5, {"doctor": 3 / 5, "alg": 2 / 5})
    assert sum(opinions for opinions, _ in found.values()) == 6


def test_a_doctors_own_luck_does_not_make_a_vignette_hard():
    """Doctors and algorithm guess: by other doctors' answers no stratum favours either."""
    rng = np.random.default_rng(3)
    some = [
        vignette(str(n), *(["a"] if hit else ["b"] for hit in rng.random(5) < 0.5))
        for n in range(3000)
    ]
    places = np.where(rng.random(3000) < 0.5, 1, 2)
    for stratum in by_difficulty(some, {"alg": places}):
        assert stratum.accuracy["doctor"] == pytest.approx(0.5, abs=0.05)
        assert stratum.accuracy["alg"] == pytest.approx(0.5, abs=0.05)


def test_correlations_agree_with_numpy():
    rng = np.random.default_rng(1)
    first, second = rng.random(20), rng.random(20)
    assert correlation(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert correlation(np.ones(4), second[:4]) == 0.0


def test_a_steady_algorithm_leads_where_doctors_do_badly():
    trials = [Trial(str(n), 100, 2.0, {"doctor": n, "alg": 70}) for n in (50, 60, 70, 80)]
    (found,) = trends(trials)
    assert found.lead == -1.0
    assert trends(trials[:2]) == []
