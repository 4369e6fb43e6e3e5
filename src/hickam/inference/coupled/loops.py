"""Corrections to message passing for loops of two and of three rows, and what they leave out.

The factor of a reached row is a mixture of two products with shares X and Y; it correlates risk
factors i and j by s = X Y tilt_i tilt_j. A loop through several rows adds the product of their
correlations to log Φ; a path through other rows correlates two risk factors of a row and changes
its slope. The messages respond to a_k too: the chain rule, backwards through them, adds that part.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hickam.inference.coupled.subsets import Real, Wide
from hickam.inference.problem import Problem
from hickam.model.network import Ints

RARE = 4e-4  # prior of a risk factor
ROUNDS = 3  # of the messages' response
# By how much each part of what is left out is counted, as in coupled_doubt.cpp.
LONGER, THREES, SKEW, LONGEST, UNHEARD = 1.5, 4.0, 4.0, 3.0, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Pairs of risk factors that share a row, and paths of two such pairs."""

    first: Ints  # [meeting]  edge
    second: Ints  # [meeting]  another edge of the same row
    pair: Ints  # [meeting]  their two risk factors
    row: Ints  # [meeting]
    speaks: npt.NDArray[np.bool_]  # [meeting]  whether the row is reached
    pairs: int
    path_pair: Ints  # [path]  the pair that it joins
    path_legs: Ints  # [path, 2]  through a third risk factor
    pair_risks: Ints  # [pair, 2]
    trios: Ints  # [threesome, 3]  three edges of a row whose risk factors meet in another row too
    trio_set: Ints  # [threesome]  those risk factors


def meetings_of(problem: Problem) -> Meetings:
    """Where the loops of a problem run."""
    by_row: dict[int, list[int]] = defaultdict(list)
    for edge, row in enumerate(problem.edge_row.tolist()):
        by_row[row].append(edge)
    risk = problem.edge_risk.tolist()
    found = []
    number: dict[tuple[int, int], int] = {}
    linked: dict[int, dict[int, int]] = defaultdict(dict)
    for row, edges in by_row.items():
        for i, e in enumerate(edges):
            for f in edges[i + 1 :]:
                pair = number.setdefault((risk[e], risk[f]), len(number))
                found.append((e, f, pair, row))
                if problem.reached[row]:
                    linked[risk[e]][risk[f]] = pair
                    linked[risk[f]][risk[e]] = pair
    paths = [
        (pair, linked[one][via], linked[two][via])
        for (one, two), pair in number.items()
        if two in linked[one]  # those that only listeners know are a doubt
        for via in linked[one].keys() & linked[two].keys()
    ]
    first, second, pair_of, row_of = np.array(found, dtype=np.int64).reshape(-1, 4).T
    routes = np.array(paths, dtype=np.int64).reshape(-1, 3)
    return Meetings(
        first=first,
        second=second,
        pair=pair_of,
        row=row_of,
        speaks=problem.reached[row_of],
        pairs=len(number),
        path_pair=routes[:, 0],
        path_legs=routes[:, 1:],
        pair_risks=np.array(list(number), dtype=np.int64).reshape(-1, 2),
        **_threesomes(problem, by_row),
    )


def _threesomes(problem: Problem, by_row: dict[int, list[int]]) -> dict[str, Ints]:
    """Three edges of a row whose risk factors a reached row and another one share."""
    risk = problem.edge_risk.tolist()
    shared: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
    for edges in by_row.values():
        for three in combinations(edges, 3):
            shared[tuple(risk[e] for e in three)].append(three)
    row = problem.edge_row
    speaking = [
        trios
        for trios in shared.values()
        if len(trios) > 1 and any(problem.reached[row[three[0]]] for three in trios)
    ]
    flat = [(*three, number) for number, trios in enumerate(speaking) for three in trios]
    found = np.array(flat, dtype=np.int64).reshape(-1, 4)
    return {"trios": found[:, :3], "trio_set": found[:, 3]}


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """The messages at their fixed point, all [.., z]."""

    a: Wide  # [row]
    b: Wide  # [row]
    o: Wide  # [row, 1]
    heard: Wide  # [edge]  P(risk on), as the row hears it
    others: Wide  # [edge]  P(the other causes of the row fail)
    quiet: Wide  # [edge]  P(this cause fails)
    stay_off: Wide  # [row]
    factor: Wide  # [row]
    belief: Wide  # [risk]


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """What loops add to log Φ(z) and to its slopes [row, z]."""

    log_phi: Wide
    slope: Wide


def entanglement(problem: Problem) -> tuple[float, float]:
    """The strongest link of the weaker of two reached rows that share two risk factors.

    If both are strong, a rare risk factor couples them in every order: the second number is that
    of pairs of which one row at least hears such a risk factor.
    """
    found = meetings_of(problem)
    acts = np.maximum(problem.edge_acts[found.first], problem.edge_acts[found.second])
    rare = _hears_rare(problem)
    together: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for pair, row, one in zip(
        found.pair[found.speaks], found.row[found.speaks], acts[found.speaks], strict=True
    ):
        together[int(pair)].append((float(one), bool(rare[row])))
    most = near_rare = 0.0
    for links in together.values():
        for (one, here), (other, there) in combinations(links, 2):
            most = max(most, min(one, other))
            if here or there:
                near_rare = max(near_rare, min(one, other))
    return most, near_rare


def _hears_rare(problem: Problem) -> npt.NDArray[np.bool_]:
    """[row] whether a rare risk factor acts on it that another reached row hears as well."""
    speaking = problem.reached[problem.edge_row]
    shared = np.bincount(problem.edge_risk[speaking], minlength=len(problem.risk_prior)) > 1
    rare = shared & (problem.risk_prior > 0.0) & (problem.risk_prior < RARE)
    hears = np.zeros(len(problem.rows), dtype=bool)
    hears[problem.edge_row[rare[problem.edge_risk]]] = True
    return hears


def correct_loops(problem: Problem, at: Settlement) -> tuple[Correction, Correction]:
    """The corrections, and what they leave out may add to them."""
    found = meetings_of(problem)
    e, f, pair, row = found.first, found.second, found.pair, found.row
    shape = at.a.shape
    spread = np.sqrt(at.belief * (1 - at.belief))[problem.edge_risk]
    acts = problem.edge_acts.astype(Real)[:, None]
    tilt = ratio(at.heard * acts * (1 - at.heard), at.quiet * spread)
    silent = at.b * at.stay_off
    mixing = np.where(problem.reached[:, None], ratio(at.a * silent, at.factor**2), 0)
    both = tilt[e] * tilt[f]
    own = mixing[row] * both
    total = spread_sum(own, pair, found.pairs)
    direct = total[pair] - own

    squares = spread_sum(tilt**2, problem.edge_row, shape[0])
    square = squares[row] - tilt[e] ** 2 - tilt[f] ** 2
    legs = total[found.path_legs[:, 0]] * total[found.path_legs[:, 1]]
    indirect = spread_sum(legs, found.path_pair, found.pairs)
    indirect -= spread_sum(own * mixing[row] * square, pair, found.pairs)
    around = spread_sum(tilt[f] * total[pair], e, len(tilt))
    around += spread_sum(tilt[e] * total[pair], f, len(tilt))
    detour = tilt[e] * (around[f] - tilt[e] * total[pair])
    detour += tilt[f] * (around[e] - tilt[f] * total[pair])
    path = indirect[pair] + mixing[row] * (2 * own * square - detour)

    log_two = ((total**2).sum(axis=0) - (own**2).sum(axis=0)) / 2
    log_three = (own * path).sum(axis=0) / 3
    bend = at.stay_off * ((at.b - at.a) * at.factor - 2 * at.a * at.b * (1 - at.stay_off))
    scale = ratio(bend, at.factor**3)
    in_mixing = spread_sum(both * (direct + path), row, shape[0])
    rest = mixing[row] * (direct + path)
    pull = spread_sum(tilt[f] * rest, e, len(tilt)) + spread_sum(tilt[e] * rest, f, len(tilt))
    slope = scale * in_mixing + _respond(problem, at, pull * tilt, in_mixing)
    known = Known(tilt, mixing, total, around, squares, ratio(acts + 0 * tilt, at.quiet))
    doubt = _doubts(problem, found, known)
    longest = LONGEST * np.abs(log_three)
    left_out = Correction(doubt.log_phi + longest, scale * doubt.slope)
    return Correction(log_two + log_three, slope), left_out


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What the corrections found, all [.., z]."""

    tilt: Wide  # [edge]
    mixing: Wide  # [row]  0 where a row only listens
    total: Wide  # [pair]  correlation by one row
    around: Wide  # [edge]  of its risk factor with the others of the row
    squares: Wide  # [row]  of the tilts
    strength: Wide  # [edge]  by how much it raises a row that is off


def _doubts(problem: Problem, found: Meetings, of: Known) -> Correction:
    """What is left out, one order further; slopes are those in the mixing.

    Loops of four rows and more: at most half the square of all correlations' squares. Two rows
    that share three risk factors. Two pairs of risk factors that have one in common, whose
    distribution is skewed. For rows that only listen, the last two and paths one step longer.
    """
    e, f, pair, row = found.first, found.second, found.pair, found.row
    size = len(problem.rows)
    speaks = problem.reached[:, None]
    both = of.tilt[e] * of.tilt[f]
    all_squares = (of.total**2).sum(axis=0)
    meeting = np.where(found.speaks[:, None], both * of.total[pair], 0)
    slope = 2 * LONGER * all_squares * spread_sum(meeting, row, size)
    log_phi = LONGER / 2 * all_squares**2

    three = of.tilt[found.trios].prod(axis=1) if len(found.trios) else of.tilt[:0]
    trio_row = problem.edge_row[found.trios[:, 0]]
    own = of.mixing[trio_row] * three
    joint = spread_sum(own, found.trio_set, int(found.trio_set.max(initial=-1)) + 1)
    slope += THREES * spread_sum(three * (joint[found.trio_set] - own), trio_row, size)
    log_phi += THREES / 2 * ((joint**2).sum(axis=0) - (own**2).sum(axis=0))

    near = np.zeros((len(problem.risks), of.total.shape[1]), Real)
    for side in (0, 1):
        near += spread_sum(of.total**2, found.pair_risks[:, side], len(near))
    near = np.sqrt(near)
    one, two = near[problem.edge_risk[e]], near[problem.edge_risk[f]]
    met = np.isin(pair, pair[found.speaks])[:, None]
    unheard = both * np.where(met, np.abs(of.total[pair]) * (one + two), one * two)
    slope += UNHEARD * spread_sum(np.where(found.speaks[:, None], 0, unheard), row, size)

    k = problem.edge_row
    elsewhere = of.around - of.mixing[k] * of.tilt * (of.squares[k] - of.tilt**2)
    skew = SKEW / 2 * of.strength * elsewhere**2
    log_phi += (of.mixing[k] * skew).sum(axis=0)
    # A reached row appears in three places of such a product.
    slope += spread_sum(np.where(speaks[k], 3 * skew, skew), k, size)
    return Correction(log_phi, slope)


def _respond(problem: Problem, at: Settlement, by_tilt: Wide, in_mixing: Wide) -> Wide:
    """[row, z] what a_k does to the loops by moving the messages."""
    risk, row = problem.edge_risk, problem.edge_row
    speaks = problem.reached[row][:, None]
    acts = problem.edge_acts.astype(Real)[:, None]
    fails = problem.edge_fails.astype(Real)[:, None]
    silent = at.b * at.stay_off
    in_off = in_mixing * ratio(at.a * silent * (silent - at.a), at.factor**3)
    one = np.ones_like(at.heard)
    loud = ratio(acts * one, at.quiet)
    tilt_slope = ratio(one, at.heard) - ratio(one, 1 - at.heard) + loud
    push = np.where(speaks, by_tilt * tilt_slope + in_off[row] * loud, 0)
    moved = spread_sum(by_tilt * (at.belief[risk] - Real(0.5)), risk, len(at.belief))
    rest = at.b[row] * at.others
    low = at.a[row] + rest * fails
    back = np.where(speaks, ratio(rest * fails, low) - ratio(rest, at.a[row] + rest), 0)
    wiggle = at.heard * (1 - at.heard)
    field, risk_field = np.zeros_like(push), np.zeros_like(at.belief)
    for _ in range(ROUNDS):
        moved = moved + spread_sum(push * wiggle, risk, len(at.belief))
        now = np.where(speaks, moved[risk] - push * wiggle, 0)
        field += now
        risk_field += moved
        push = now * back
        push = (push - spread_sum(push, row, len(at.a))[row]) * loud
        moved = np.zeros_like(moved)
    chance = at.others * fails
    speaking = ratio(1 - chance, low) - ratio(1 - at.others, at.a[row] + rest)
    listening = risk_field[risk] * at.others * acts / at.o[row]
    return spread_sum(np.where(speaks, field * speaking, listening), row, len(at.a))


def spread_sum(values: Wide, group: Ints, size: int) -> Wide:
    """[group, z] sum of the values of each group."""
    total = np.zeros((size, values.shape[1]), Real)
    np.add.at(total, group, values)
    return total


def ratio(numerator: Wide, denominator: Wide) -> Wide:
    """The quotient, 0 where the denominator is 0 (an impossible branch)."""
    blank = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape), Real)
    return np.divide(numerator, denominator, out=blank, where=denominator != 0)
