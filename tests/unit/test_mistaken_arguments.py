"""A mistaken argument is an `InvalidInput` that says what is allowed, never a traceback."""

import pytest

import hickam
from hickam.advise.what_if import cure, smallest_cure
from hickam.beliefs.options import MOST_SEED, read_options
from hickam.inference.coupled.elimination import STOOD_IN, by_elimination
from hickam.inference.coupled.mixed import by_mixture
from hickam.issues import InvalidInput, TooHard
from hickam.kernels import compiled

NETWORK = hickam.load("smoker")
CASE = hickam.Case(present=["chest pain"])
NOT_CASES = [None, {"present": ["chest pain"]}, ["chest pain"], "chest pain", 3]


@pytest.mark.parametrize("seed", [1.5, -1, 10**30, MOST_SEED + 1, float("nan")])
@pytest.mark.parametrize("engine", ["auto", "sampling"])
def test_a_seed_is_a_whole_number_that_fits(seed, engine):
    with pytest.raises(InvalidInput, match=r"option 'seed' is .*; give a whole number from 0 to"):
        hickam.infer(NETWORK, CASE, engine=engine, seed=seed)


def test_the_largest_seed_is_taken():
    found = hickam.infer(NETWORK, CASE, engine="sampling", seed=MOST_SEED, deadline=0.3)
    assert found.engine == "sampling"


@pytest.mark.parametrize("name", ["tolerance", "deadline", "memory", "prior_shift"])
@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), -1])
def test_numbers_beyond_all_others_are_refused_in_words(name, value):
    with pytest.raises(InvalidInput, match=f"option '{name}'"):
        read_options({name: value})


@pytest.mark.parametrize("mistaken", NOT_CASES)
def test_what_is_not_a_case_is_said_to_be_none(mistaken):
    for ask in (
        lambda: hickam.infer(NETWORK, mistaken),
        lambda: hickam.diagnose(NETWORK, mistaken),
        lambda: list(hickam.infer_many(NETWORK, [mistaken])),
        lambda: cure(NETWORK, mistaken, ["angina"]),
        lambda: smallest_cure(NETWORK, mistaken, 0.5),
        *(
            []
            if isinstance(mistaken, dict)
            else [  # which gives the states of nodes
                lambda: hickam.query(NETWORK, mistaken, {}, "chest pain"),
                lambda: hickam.causation(NETWORK, mistaken, "angina", "chest pain"),
            ]
        ),
    ):
        with pytest.raises(InvalidInput, match=r"is not a case; give a hickam\.Case"):
            ask()


@pytest.mark.parametrize("mistaken", [CASE, None, 3, {"present": []}, "chest pain"])
def test_many_cases_are_several(mistaken):
    with pytest.raises(InvalidInput, match="is not many cases; give a list of cases"):
        hickam.infer_many(NETWORK, mistaken)


@pytest.mark.parametrize("workers", [0, -1, True, "2", 1.5])
def test_workers_are_counted(workers):
    with pytest.raises(InvalidInput, match="is not a number of threads"):
        hickam.infer_many(NETWORK, [CASE], workers=workers)


@pytest.mark.parametrize("name", ["present", "absent", "risks", "likelihoods", "categories"])
@pytest.mark.parametrize("value", [3, None])
def test_the_fields_of_a_case_are_lists_and_mappings(name, value):
    with pytest.raises(InvalidInput, match=f"'{name}' of a case is {value}"):
        hickam.Case(**{name: value})


@pytest.mark.parametrize("source", [3, None, ["smoker"]])
def test_only_names_and_paths_are_loaded(source):
    with pytest.raises(InvalidInput, match="is not the name of a network; give the path"):
        hickam.load(source)


@pytest.mark.parametrize("engine", [None, 3, [], "exact"])
def test_an_engine_that_is_like_none_names_all_there_are(engine):
    for ask in (
        lambda: hickam.infer(NETWORK, CASE, engine=engine),
        lambda: list(hickam.infer_many(NETWORK, [CASE], engine=engine)),
    ):
        with pytest.raises(InvalidInput, match=r"choose one of 'auto', .* 'sampling'"):
            ask()
    with pytest.raises(InvalidInput, match="did you mean 'frontier'"):
        hickam.infer(NETWORK, CASE, engine="fronteer")


def test_one_disease_is_cured_by_its_name():
    assert cure(NETWORK, CASE, "angina") == cure(NETWORK, CASE, ["angina"])
    with pytest.raises(InvalidInput, match="disease 'anginna' is not in the network"):
        cure(NETWORK, CASE, "anginna")
    with pytest.raises(InvalidInput, match="are no list of names"):
        cure(NETWORK, CASE, None)


@pytest.mark.parametrize("goal", ["1", None, True, 0.0, 5.0])
def test_a_goal_is_a_number_of_findings(goal):
    with pytest.raises(InvalidInput, match="the goal of removing"):
        smallest_cure(NETWORK, CASE, goal)


def test_cruelty_is_true_or_weights():
    with pytest.raises(InvalidInput, match="cruelty 3 is neither True nor weights"):
        hickam.diagnose(NETWORK, CASE, cruelty=3)


def wide(findings: int, size: int = 24) -> tuple[hickam.Network, hickam.Case]:
    """Everything acts on everything: no exact engine can hold it."""
    risks = [{"id": f"r{j}", "prior": 0.2} for j in range(size)]
    acts = {f"r{j}": 0.3 for j in range(size)}
    diseases = [{"id": f"d{k}", "leak": 0.01, "causes": acts} for k in range(size)]
    shown = {f"d{k}": 0.3 for k in range(size)}
    signs = [{"id": f"f{s}", "leak": 0.01, "causes": shown} for s in range(findings)]
    document = {"hickam": 1, "name": "wide", "risk_factors": risks, "diseases": diseases}
    network = hickam.from_dict({**document, "findings": signs})
    return network, hickam.Case(present=network.findings)


def test_elimination_refuses_in_its_own_name():
    network, case = wide(20)
    with pytest.raises(TooHard, match="engine 'elimination' cannot sum out the risk factors"):
        hickam.infer(network, case, engine="elimination", deadline=0.5)


def test_elimination_says_when_the_frontier_stood_in(monkeypatch):
    module = __import__(by_elimination.__module__, fromlist=["eliminated"])
    monkeypatch.setattr(module, "eliminated", lambda *_: (None, 0.0))
    found = hickam.infer(NETWORK, CASE, engine="elimination")
    assert found.engine == "frontier"
    assert STOOD_IN in found.accuracy.notes


@pytest.mark.skipif(compiled() is None, reason="the mixture is compiled")
def test_a_mixture_says_which_limit_it_does_not_keep(monkeypatch):
    network, case = wide(12)
    with pytest.raises(TooHard, match=r"engine 'mixture' needs more than 0\.001 seconds"):
        hickam.infer(network, case, engine="mixture", deadline=0.001)
    with pytest.raises(TooHard, match=r"needs .* MB, more than the 0\.01 MB of the limits"):
        hickam.infer(network, case, engine="mixture", memory=10_000)
    module = __import__(by_mixture.__module__, fromlist=["mixed"])
    monkeypatch.setattr(module, "mixed", lambda *_: None)
    with pytest.raises(TooHard, match="too many diseases that share risk factors"):
        hickam.infer(network, case, engine="mixture")
    monkeypatch.setattr(module, "needs", lambda *_: (float("inf"), 0.0))
    with pytest.raises(TooHard, match=r"would take more than 1\.5 seconds for the findings alone"):
        hickam.infer(network, case, engine="mixture")
