from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, Vignette, ranked
from hickam.study.doctors import shadow, standings


def vignette(name, truth, *opinions):
    return Vignette(name, Case(present=["x"], id=name), (truth,), opinions=opinions)


VIGNETTES = [
    vignette("1", "a", Opinion("d", ranked(["a", "b"])), Opinion("e", ranked(["c"]))),
    vignette("2", "b", Opinion("d", ranked([["a", "c"]]))),
]


def test_an_algorithm_gets_lists_of_the_doctors_own_size():
    (trial,) = shadow(VIGNETTES, {"posterior": [2, 3]}, minimum=2)
    assert trial.hits == {"doctor": 1, "posterior": 1}


def test_doctors_below_the_minimum_are_left_out():
    assert [trial.doctor for trial in shadow(VIGNETTES, {}, minimum=1)] == ["d", "e"]
    assert [trial.doctor for trial in shadow(VIGNETTES, {}, minimum=2)] == ["d"]


def test_equal_accuracy_counts_for_both_sides():
    doctor, algorithm = standings(shadow(VIGNETTES, {"posterior": [2, 3]}, minimum=2))
    assert doctor.at_least == {"posterior": 1}
    assert algorithm.at_least == {"doctor": 1}
    assert algorithm.surely == {"doctor": 0}


def test_no_trials_have_no_standings():
    assert standings([]) == []
