"""The compiled kernels refuse arrays that do not fit together instead of reading beyond them."""

from types import SimpleNamespace

import numpy as np
import pytest

import hickam
from hickam.beliefs.options import Limits
from hickam.inference.cases import REST
from hickam.inference.coupled.vouched import trust
from hickam.kernels import compiled

kernels = compiled()
pytestmark = pytest.mark.skipif(kernels is None, reason="installed without compiled kernels")

ROWS, COLUMNS, RISKS = 3, 2, 2
FAR = 10**12  # an index that would be far outside every array
LINKS = ("cause", "effect", "effect_start", "by_effect", "acts", "fails")


def settled():
    """The arrays of a small settled problem, in the order in which they are passed."""
    half = np.full((ROWS, COLUMNS), 0.5)
    return {
        "off": np.full(ROWS, 0.9),
        "on": np.full(ROWS, 0.1),
        "acts": half,
        "fails": half,
        "leak": np.full(COLUMNS, 0.1),
        "leak_fails": np.full(COLUMNS, 0.9),
    }


def coupled():
    """The arrays of a small problem with two risk factors that couple its rows."""
    given = settled()
    return {
        "on": given["on"],
        "off": given["off"],
        "weight_on": np.ones(ROWS),
        "weight_off": np.ones(ROWS),
        "reached": np.ones(ROWS, dtype=bool),
        "acts": given["acts"],
        "fails": given["fails"],
        "leak": given["leak"],
        "leak_fails": given["leak_fails"],
        "risk_prior": np.full(RISKS, 0.5),
        "edge_risk": np.array([0, 0, 1, 1]),
        "edge_row": np.array([0, 1, 1, 2]),
        "edge_acts": np.full(4, 0.5),
        "edge_fails": np.full(4, 0.5),
    }


def sampling():
    """The arrays for slot Gibbs, and how long to run."""
    given = coupled()
    each = ("off", "on", "weight_off", "weight_on", "acts", "fails", "leak", "leak_fails")
    edges = ("risk_prior", "edge_risk", "edge_row", "edge_acts", "edge_fails")
    arrays = {name: given[name] for name in each + edges}
    return arrays | {"chains": 1, "batches": 2, "steps": 50, "seed": 1, "workers": 1, "seconds": 0}


def visiting():
    """The arrays of a coupled problem and how the frontier is to visit it."""
    return coupled() | {"most_operations": 1e9, "most_bytes": 1e9, "seconds": 0.0}


CALLS = {
    "cover": lambda: settled() | {"seconds": 0.0},
    "lattice": lambda: settled() | {"parts": 2, "seconds": 0.0},
    "bethe": lambda: coupled() | {"goal": 1e-9, "seconds": 0.0},
    "frontier": visiting,
    "cured": lambda: coupled() | {"cured_rows": np.array([True, False, True])} | visiting(),
    "elimination": lambda: coupled() | {"goal": 1e-9} | visiting(),
    "explanations": visiting,
    "strongest": lambda: (
        coupled() | {"importance": np.ones(4), "most_operations": 1e6, "seconds": 0.0}
    ),
    "sample": sampling,
}


def call(name, **changed):
    """The kernel's answer to its small problem with some arguments changed."""
    return getattr(kernels, name)(*(CALLS[name]() | changed).values())


@pytest.mark.parametrize("name", CALLS)
def test_every_kernel_answers_its_small_problem(name):
    assert call(name) is not None


@pytest.mark.parametrize(
    ("name", "array"),
    [
        (name, array)
        for name, arguments in CALLS.items()
        for array, value in arguments().items()
        # the arrays that every other length is compared with; their indices are tested below
        if isinstance(value, np.ndarray) and array != "risk_prior"
    ],
)
@pytest.mark.parametrize("longer", [1, -1])
def test_an_array_of_the_wrong_length_is_refused(name, array, longer):
    value = CALLS[name]()[array]
    wrong = np.concatenate([value, value[-1:]]) if longer > 0 else value[:-1]
    with pytest.raises(ValueError, match="are needed"):
        call(name, **{array: np.ascontiguousarray(wrong)})


@pytest.mark.parametrize(
    ("name", "array"),
    [(name, array) for name in CALLS for array in ("acts", "fails") if array in CALLS[name]()],
)
def test_a_table_of_the_wrong_width_is_refused(name, array):
    with pytest.raises(ValueError, match=f"{array} has 3 entries along axis 1, but 2 are needed"):
        call(name, **{array: np.full((ROWS, COLUMNS + 1), 0.5)})


def uncut():
    """What a coupled problem was before links were cut, and an order of its rows."""
    names = ("weight_on", "acts", "fails", "leak", "leak_fails")
    return (*(coupled()[name] for name in names), np.arange(ROWS))


@pytest.mark.parametrize("place", range(6))
def test_what_was_before_links_were_cut_has_the_shape_of_the_problem(place):
    given = list(uncut())
    assert kernels.mixture(*visiting().values(), tuple(given)) is not None
    given[place] = np.ascontiguousarray(given[place][:-1])
    with pytest.raises(ValueError, match="are needed"):
        kernels.mixture(*visiting().values(), tuple(given))


def test_an_order_of_rows_that_are_not_there_is_refused():
    given = (*uncut()[:-1], np.array([0, 1, ROWS]))
    with pytest.raises(ValueError, match=r"order\[2\] is 3, but must be"):
        kernels.mixture(*visiting().values(), given)


@pytest.mark.parametrize("importance", [np.nan, np.inf, -1.0, 0.0])
def test_whatever_the_importance_every_row_is_visited_once(importance):
    kept, order = kernels.thin(np.full((4, 3), importance), 1e6, 0.0)
    assert len(kept) == 12
    assert sorted(order) == [0, 1, 2, 3]


COUPLED = [name for name in CALLS if "edge_row" in CALLS[name]()]


@pytest.mark.parametrize("name", COUPLED)
@pytest.mark.parametrize("index", [-1, ROWS, FAR, -FAR])
def test_an_edge_to_a_row_that_is_not_there_is_refused(name, index):
    with pytest.raises(ValueError, match=rf"edge_row\[2\] is {index}, but must be"):
        call(name, edge_row=np.array([0, 1, index, 2]))


@pytest.mark.parametrize("name", COUPLED)
@pytest.mark.parametrize("index", [-1, RISKS, FAR, -FAR])
def test_an_edge_from_a_risk_factor_that_is_not_there_is_refused(name, index):
    with pytest.raises(ValueError, match=rf"edge_risk\[3\] is {index}, but must be"):
        call(name, edge_risk=np.array([0, 0, 1, index]))


@pytest.mark.parametrize("name", COUPLED)
def test_edges_that_are_not_sorted_by_risk_factor_are_refused(name):
    with pytest.raises(ValueError, match="edge_risk must be sorted"):
        call(name, edge_risk=np.array([0, 1, 0, 1]))


@pytest.mark.parametrize("name", ["cover", "lattice", "bethe"])
@pytest.mark.parametrize("columns", [31, 64, 70])
def test_more_findings_than_a_set_of_bits_can_hold_are_refused(name, columns):
    table = np.full((ROWS, columns), 0.5)
    short = np.full(columns, 0.5)
    with pytest.raises(ValueError, match=f"{columns} present findings.* at most 30"):
        call(name, acts=table, fails=table, leak=short, leak_fails=short)


def test_cover_takes_many_findings_that_share_no_cause():
    columns = 70
    tables = {"acts": np.zeros((ROWS, columns)), "fails": np.ones((ROWS, columns))}
    leak = np.full(columns, 0.25)
    log_evidence, *_ = call("cover", **tables, leak=leak, leak_fails=1.0 - leak)
    assert log_evidence == pytest.approx(columns * np.log(0.25))


@pytest.mark.parametrize("parts", [0, 3, -1, 8])
def test_numbers_of_an_odd_number_of_doubles_are_refused(parts):
    with pytest.raises(ValueError, match="1, 2 or 4 doubles"):
        call("lattice", parts=parts)


@pytest.mark.parametrize("name", ["chains", "batches", "steps", "workers"])
def test_sampling_nothing_is_refused(name):
    with pytest.raises(ValueError, match="at least 1"):
        call("sample", **{name: 0})


@pytest.mark.parametrize("columns", [COLUMNS, 70])
def test_a_frontier_without_a_limit_is_refused_where_its_tables_could_not_be_held(columns):
    risks = 40  # all causes of all rows: at least forty are open at once
    rows = 40
    edges = {
        "edge_risk": np.repeat(np.arange(risks), rows),
        "edge_row": np.tile(np.arange(rows), risks),
        "edge_acts": np.full(risks * rows, 0.5),
        "edge_fails": np.full(risks * rows, 0.5),
    }
    table = np.full((rows, columns), 0.5)
    each = {name: np.full(rows, 0.5) for name in ("on", "off", "weight_on", "weight_off")}
    each |= {name: np.full(columns, 0.5) for name in ("leak", "leak_fails")}
    each |= {"reached": np.ones(rows, dtype=bool), "risk_prior": np.full(risks, 0.5)}
    each |= {"most_operations": np.inf, "most_bytes": np.inf}
    answer, price = call("frontier", **each, **edges, acts=table, fails=table)
    assert answer is None
    assert not price[-1]


def network(**changed):
    """What the kernels read of the embedded smoker network, with some arrays changed."""
    found = hickam.load("smoker")
    names = ("risk_prior", "finding_leak", "finding_leak_fails", "disease_leak")
    arrays = {name: getattr(found, name) for name in (*names, "disease_leak_fails")}
    for side in ("causes", "effects"):
        links = getattr(found, side)
        arrays[side] = SimpleNamespace(
            **{name: changed.pop(f"{side}.{name}", getattr(links, name)) for name in LINKS}
        )
    return SimpleNamespace(**arrays | changed)


def test_a_network_that_fits_together_is_prepared():
    assert kernels.Prepared(network()) is not None


@pytest.mark.parametrize("side", ["causes", "effects"])
@pytest.mark.parametrize("name", LINKS)
def test_links_of_the_wrong_length_are_refused(side, name):
    given = getattr(getattr(network(), side), name)
    with pytest.raises(ValueError, match=r"entries|sorted"):
        kernels.Prepared(network(**{f"{side}.{name}": given[:-1]}))


@pytest.mark.parametrize("side", ["causes", "effects"])
@pytest.mark.parametrize("name", ["cause", "effect", "by_effect", "effect_start"])
@pytest.mark.parametrize("index", [-1, FAR])
def test_a_link_to_something_that_is_not_there_is_refused(side, name, index):
    given = getattr(getattr(network(), side), name).copy()
    given[-1] = index
    with pytest.raises(ValueError, match=rf"{name}\[{len(given) - 1}\] is {index}"):
        kernels.Prepared(network(**{f"{side}.{name}": given}))


def test_link_tables_that_run_backwards_are_refused():
    start = network().effects.effect_start.copy()
    start[1] = start[-1]
    start[2] = 0
    with pytest.raises(ValueError, match="effect_start must be sorted"):
        kernels.Prepared(network(**{"effects.effect_start": start}))


@pytest.mark.parametrize("name", ["disease_leak_fails", "finding_leak_fails"])
def test_leaks_of_the_wrong_length_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} has"):
        kernels.Prepared(network(**{name: np.ones(1)}))


def test_links_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="by_effect is not"):
        kernels.Prepared(network(**{"causes.by_effect": ["first"]}))


@pytest.mark.parametrize("name", ["present", "absent", "risks_on", "risks_off"])
@pytest.mark.parametrize("index", [-1, FAR])
def test_evidence_about_something_that_is_not_there_is_refused(name, index):
    none = np.array([], dtype=np.int64)
    evidence = dict.fromkeys(("present", "absent", "risks_on", "risks_off"), none)
    evidence[name] = np.array([0, index])
    likelihood = np.ones(len(network().disease_leak))
    with pytest.raises(ValueError, match=rf"{name}\[1\] is {index}"):
        kernels.Prepared(network()).reduce(*evidence.values(), likelihood, True)


def test_likelihoods_of_the_wrong_length_are_refused():
    none = np.array([], dtype=np.int64)
    with pytest.raises(ValueError, match="likelihood has 1 entries"):
        kernels.Prepared(network()).reduce(none, none, none, none, np.ones(1), True)


def test_a_measurement_over_nothing_is_refused():
    with pytest.raises(ValueError, match="not be empty"):
        kernels.bare_loop(0, 1)


def test_a_frontier_without_a_limit_stops_where_its_tables_could_not_be_indexed():
    columns = 70  # all caused by all rows: the state must hold every one of them
    table, short = np.full((ROWS, columns), 0.5), np.full(columns, 0.5)
    tables = {"acts": table, "fails": table, "leak": short, "leak_fails": short}
    outcome, price = call("frontier", **tables, most_operations=np.inf, most_bytes=np.inf)
    assert outcome is None
    assert not price[-1]


DEMANDS = (1e-3, 1e-11, 1e6, 1e-8, 1e7, trust(Limits()))


def answer_all(block=None, **changed):
    """The kernel of many cases, asked about one case of the smoker network."""
    size = len(network().disease_leak)
    none = np.array([], dtype=np.int64)
    evidence = dict.fromkeys(("present", "absent", "risks_on", "risks_off"), none)
    evidence |= {"likelihood": np.ones(size)} | changed
    block = np.empty(2 * size + REST) if block is None else block
    asked = [SimpleNamespace(**evidence)]
    return kernels.answer_all(kernels.Prepared(network()), asked, [block], *DEMANDS)


def test_a_case_that_fits_together_is_answered():
    assert list(answer_all()) == [0]


@pytest.mark.parametrize("name", ["present", "absent", "risks_on", "risks_off"])
@pytest.mark.parametrize("index", [-1, FAR])
def test_one_of_many_cases_about_something_that_is_not_there_is_refused(name, index):
    with pytest.raises(ValueError, match=rf"{name}\[1\] is {index}"):
        answer_all(**{name: np.array([0, index])})


@pytest.mark.parametrize(
    "changed",
    [{"present": ["chest pain"]}, {"likelihood": np.ones(1)}],
    ids=["words", "one ratio"],
)
def test_one_of_many_cases_that_is_no_array_of_its_kind_is_refused(changed):
    with pytest.raises(ValueError, match=r"array of its kind|entries along axis"):
        answer_all(**changed)


def test_a_block_that_cannot_hold_the_answer_is_refused():
    constant = np.empty(2 * len(network().disease_leak) + 1)
    constant.flags.writeable = False
    for block in (np.empty(3), np.empty(4000), constant, [0.0]):
        with pytest.raises(ValueError, match="block"):
            answer_all(block)


def test_every_one_of_many_cases_needs_a_block():
    with pytest.raises(ValueError, match="needs a block"):
        kernels.answer_all(kernels.Prepared(network()), [], [np.empty(1)], *DEMANDS)
