"""Whether every stated accuracy is true, over structures made to break each engine.

    python benchmarks/truth.py [--answers N] [--structure NAME ...] [--engine NAME ...] [--seed S]
                               [--workers W] [--approximate] [--independent I] [--number I]

The error of an answer is the largest |x - truth| / max(truth, 0.001) over the posterior, expected
disablement and expected sufficiency of every disease, and must not exceed `accuracy.error`; the
absolute errors of each score, of the unexplained shares and of the log evidence must not exceed
theirs.

Engines are those of `hickam.infer`, and other ways to ask. By default those that are approximate
also where `auto` would be exact: `bethe`; `thin`, a mixture of few couplings and draws; `coarse`,
expansions of little effort; `cut`, few links to findings and draws; `short`, sampling with few
steps. `tight` is `auto` with little memory and time, `rough` and `strict` are `auto` with a
tolerance of 0.05 and 1e-7, `brief` is sampling with little time.

The truth is an exact reference that shares nothing with the engines (`tests/truth_reference.py`).
It is slow; so where only those are asked, it judges one of every `--independent` instances, and
the exact frontier the others, which is itself held to the reference on each of the former.

`--answers` counts answers per structure and engine; with `--approximate` only those that are not
exact, of at most twenty times as many. `--number` asks about one instance again, as numbered in the
column of the worst ratio of true to stated error. Network A takes part if HICKAM_AUTHORS names the
folder with the authors' data.

The exit code is 1 if, for any structure, fewer than 99.5 % of the stated errors hold, among all
answers or among the approximate ones; an answer is off by more than ten times what it states;
twenty or more approximate answers state in the median more than thirty times their error; or an
answer is not a number, breaks a law, is an unexpected exception, or concerns the impossible.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hickam
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.coupled.checked import by_messages, message_seconds
from hickam.inference.coupled.distant import distant
from hickam.inference.coupled.mixed import drawn, mixed
from hickam.inference.coupled.mixture import price
from hickam.inference.coupled.thinned import thinned
from hickam.inference.engines import check_possible, on_problem
from hickam.inference.problem import Problem, Solution
from hickam.inference.sampling.sampled import sampled
from hickam.issues import LostPrecision
from hickam.model.adapted import adapted

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from truth_reference import Impossible, TooWide, Truth, truth
from truth_structures import CELLS, DEFAULT_CELLS, available, instances

# Other ways to ask: an engine with its options.
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "tight": ("auto", {"memory": 300_000, "deadline": 0.02}),
    "rough": ("auto", {"tolerance": 0.05}),
    "strict": ("auto", {"tolerance": 1e-7}),
    "brief": ("sampling", {"deadline": 0.03}),
}
THIN = 10.0 / 3.0  # the worth of a mixture, in settled networks: two of them for the frontier
COARSE = 20.0  # the worth of an expansion, in settled networks
CUT = 1e-4  # of the usual operations of `thinned`
SHORT = 3000  # steps of each chain
DEAR = 0.05  # predicted seconds of message passing that are too many here


def messages(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """Message passing, where it is not too dear."""
    if message_seconds(problem) > DEAR:
        raise LostPrecision("too many findings")
    return by_messages(problem, limits, deadline)


def thin(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """A mixture that keeps few couplings, and few draws, where any would be taken."""
    if distant(problem):
        raise LostPrecision("draws may not meet all that matters")
    return _some(drawn(problem, limits, deadline, THIN * price(problem, 1.0)))


def coarse(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """Expansions that carry little, and draws that confirm or correct them."""
    return _some(mixed(problem, limits, deadline, COARSE * price(problem, 1.0)))


def cut(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """Links to findings cut until very little is left, and few draws."""
    return _some(thinned(problem, limits, deadline, CUT))


def _some(solution: Solution | None) -> Solution:
    if solution is None:
        raise LostPrecision("too little effort")
    return solution


def short(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """Sampled, with few steps."""
    tables, accuracy = sampled(problem, limits, SHORT)
    return Solution(tables, "sampling", accuracy)


FORCED = {
    name: on_problem(name, solver)
    for name, solver in (
        ("bethe", messages),
        ("thin", thin),
        ("coarse", coarse),
        ("cut", cut),
        ("short", short),
    )
}
ENOUGH = 0.995  # share of stated errors that hold
FARTHEST = 10.0  # true over stated
PESSIMISM = 30.0  # stated over true, in the median
ROUNDING = 1e-8  # a stated error that is one of rounding, not of approximation
FEWEST = 20  # approximate answers whose median says something
FLOOR = 1e-3  # scores below are compared absolutely
SLACK = 1e-12  # by which measures may break a law through rounding
JUDGE = "frontier"  # what is held to the reference where it takes its place
DRAWS = 20  # for each approximate answer asked for


@dataclass(frozen=True)
class Answer:
    """One answer held to the truth."""

    structure: str
    way: str
    number: int  # of the instance
    engine: str = ""
    exact: bool = False
    stated: float = 0.0
    true: float = 0.0
    log_evidence: float = 0.0  # its absolute error
    unexplained: float = 0.0  # the largest absolute error
    beside: float = 0.0  # true over stated error of these two, the larger
    seconds: float = 0.0
    fault: str = ""

    @property
    def ratio(self) -> float:
        """True over stated error; at most 1 if the statement holds."""
        return self.true / self.stated if self.stated else (0.0 if not self.true else np.inf)


def infer(network: hickam.Network, case: hickam.Case, way: str) -> hickam.Beliefs:
    """What an engine, or one of the other ways to ask, answers."""
    if way in FORCED:
        evidence = locate(case, network)
        network = adapted(network, evidence.circumstances)
        check_possible(network, evidence)
        return FORCED[way](network, evidence, Limits())
    engine, options = WAYS.get(way, (way, {}))
    return hickam.infer(network, case, engine, **options)


def scores(answer: Truth | hickam.Beliefs) -> Any:
    """[disease, 3] the three measures of every disease."""
    parts = (answer.posterior, answer.disabled.sum(axis=1), answer.sustained.sum(axis=1))
    return np.stack([np.asarray(part) for part in parts], axis=1)


def gap(beliefs: hickam.Beliefs, right: Truth) -> float:
    """The error of an answer in the unit of `Accuracy.error`."""
    sound = scores(right)
    return float(np.max(np.abs(scores(beliefs) - sound) / np.maximum(np.abs(sound), FLOOR)))


def beside(beliefs: hickam.Beliefs, right: Truth) -> tuple[float, float, float]:
    """The errors of log evidence and unexplained shares, and the worst of true over stated errors.

    That is of these two and of each score, where an error of each score is stated.
    """
    accuracy = beliefs.accuracy
    log = abs(beliefs.log_evidence - right.log_evidence)
    left = float(np.max(np.abs(beliefs.unexplained - right.unexplained), initial=0.0))
    rounding = right.doubt + 1e-12 * abs(right.log_evidence)
    ratios = [
        max(0.0, true - rounding) / max(accuracy.error if stated is None else stated, 1e-13)
        for true, stated in ((log, accuracy.log_evidence), (left, accuracy.unexplained))
    ]
    if accuracy.stated_errors is not None:
        off = np.abs(scores(beliefs) - scores(right)) - right.doubt
        ratios.append(float(np.max(off / np.maximum(accuracy.stated_errors, 1e-13), initial=0.0)))
    return log, left, max(ratios)


def by_frontier(network: hickam.Network, case: hickam.Case) -> Truth:
    """The exact frontier's answer in the form of the reference."""
    found = hickam.infer(network, case, "frontier")
    tables = (found.posterior, found.disabled, found.sustained, found.unexplained)
    return Truth(*tables, found.log_evidence, 0, found.accuracy.error)


def broken_law(beliefs: hickam.Beliefs) -> str:
    """What is impossible about an answer, or nothing."""
    tables = (beliefs.posterior, beliefs.disabled, beliefs.sustained, beliefs.unexplained)
    if not all(np.isfinite(table).all() for table in (*tables, beliefs.log_evidence)):
        return "not a number"
    if not beliefs.accuracy.error >= 0.0:
        return f"states an error of {beliefs.accuracy.error}"
    posterior, disabled, sustained, _ = tables
    if min(t.min(initial=0.0) for t in tables) < 0.0 or posterior.max(initial=0.0) > 1.0 + SLACK:
        return "a probability outside [0, 1]"
    if (disabled > sustained + SLACK).any() or (sustained > posterior[:, None] + SLACK).any():
        return "not disabled <= sustained <= posterior"
    return ""


def ask(
    structure: str, way: str, number: int, network: hickam.Network, case: hickam.Case, right: Truth
) -> Answer | None:
    """An engine's answer held to the truth; None if it declines the question."""
    began = time.perf_counter()
    try:
        beliefs = infer(network, case, way)
    except hickam.TooHard:
        return None
    except Exception as problem:
        return Answer(structure, way, number, fault=f"{type(problem).__name__}: {problem}")
    seconds = time.perf_counter() - began
    stated, true = beliefs.accuracy.error, gap(beliefs, right)
    if stated < true <= stated + right.doubt:
        extended = truth(network, case, cells=np.inf, dtype=np.longdouble)
        true = max(0.0, gap(beliefs, extended) - extended.doubt)
    return Answer(
        structure,
        way,
        number,
        beliefs.engine,
        beliefs.accuracy.exact,
        stated,
        true,
        *beside(beliefs, right),
        seconds,
        broken_law(beliefs),
    )


def impossible(
    structure: str, way: str, number: int, network: hickam.Network, case: hickam.Case
) -> Answer | None:
    """The fault of an engine that answers about impossible evidence; None if it refuses."""
    try:
        infer(network, case, way)
    except (hickam.ImpossibleEvidence, hickam.TooHard):
        return None
    except Exception as problem:
        return Answer(structure, way, number, fault=f"{type(problem).__name__}: {problem}")
    return Answer(structure, way, number, fault="answers about impossible evidence")


def examine(
    structure: str,
    ways: list[str],
    seed: int,
    answers: int,
    approximate: bool,
    independent: int,
    share: tuple[int, int],
) -> tuple[list[Answer], Counter[str]]:
    """A worker's share of the answers about a structure, and how often an engine declined."""
    found: list[Answer] = []
    declined: Counter[str] = Counter()
    counts = dict.fromkeys(ways, 0)
    judges = FORCED.keys() >= set(ways)  # whether the frontier may stand in for the reference
    for draw, (number, (network, case)) in enumerate(instances(structure, seed, *share)):
        asked = [way for way in ways if counts[way] < answers]
        if not asked or draw >= DRAWS * answers:
            break
        try:
            if judges and draw % independent:
                right = by_frontier(network, case)
            else:
                right = truth(network, case, cells=CELLS.get(structure, DEFAULT_CELLS))
        except (TooWide, hickam.TooHard):
            continue
        except (Impossible, hickam.ImpossibleEvidence):
            found += [
                a for way in asked if (a := impossible(structure, way, number, network, case))
            ]
            continue
        if judges and not draw % independent:
            asked = [*asked, JUDGE]
        for way in asked:
            answer = ask(structure, way, number, network, case, right)
            if answer is None:
                declined[way] += 1
                continue
            found.append(answer)
            if way in counts:
                counts[way] += not (approximate and answer.exact)
    return found, declined


def judge(answers: list[Answer]) -> list[str]:
    """What is wrong with answers about one structure."""
    wrong = []
    sound = [a for a in answers if not a.fault]
    for name, some in (("all", sound), ("approximate", [a for a in sound if not a.exact])):
        if some and np.mean([a.ratio <= 1.0 for a in some]) < ENOUGH:
            wrong.append(f"stated errors that hold ({name})")
        if some and np.mean([a.beside <= 1.0 for a in some]) < ENOUGH:
            wrong.append(f"stated errors of log evidence and unexplained ({name})")
    if any(max(a.ratio, a.beside) > FARTHEST for a in sound):
        wrong.append("worst ratio")
    if sum(not a.exact for a in sound) >= FEWEST and pessimism(sound) > PESSIMISM:
        wrong.append("pessimism")
    return wrong + [f"{a.number}: {a.fault}" for a in answers if a.fault][:5]


def pessimism(answers: list[Answer]) -> float:
    """The median of stated over true error among the approximate answers.

    Those whose statement is one of rounding are left out: to every reader they are exact.
    """
    told = [a for a in answers if not a.exact and a.stated > ROUNDING]
    ratios = [a.stated / max(a.true, 1e-13) for a in told]
    return float(np.median(ratios)) if ratios else 0.0


def share(ratios: list[float]) -> str:
    """How many of the statements hold, of a hundred."""
    return f"{100 * np.mean(np.array(ratios) <= 1.0):.2f}" if ratios else "-"


def report(structure: str, way: str, answers: list[Answer], declined: int) -> list[str]:
    """Print a line about one engine and structure; what is wrong comes back."""
    sound = [a for a in answers if not a.fault]
    rough = [a for a in sound if not a.exact]
    if not answers:
        print(f"{structure:16}{way:9}{0:7}{'':60}  declined {declined}", flush=True)
        return []
    worst = max(sound, key=lambda a: a.ratio, default=answers[0])
    used = Counter(a.engine for a in sound).most_common(4)
    wrong = judge(answers)
    print(
        f"{structure:16}{way:9}{len(answers):7}{len(rough):8}"
        f"{share([a.ratio for a in sound]):>8}{share([a.ratio for a in rough]):>8}"
        f"{share([a.beside for a in sound]):>8}{max((a.beside for a in sound), default=0.0):9.2g}"
        f"{worst.ratio:9.2g}{worst.number:8}{pessimism(sound):10.2g}"
        f"{max((a.true for a in sound), default=0.0):10.1g}"
        f"{max((a.unexplained for a in sound), default=0.0):10.1g}"
        f"{max((a.log_evidence for a in sound), default=0.0):10.1g}"
        f"{1e3 * np.mean([a.seconds for a in answers]):8.1f}  "
        + ", ".join(f"{name} {count}" for name, count in used)
        + (f", declined {declined}" if declined else "")
        + ("  FAILS: " + "; ".join(wrong) if wrong else ""),
        flush=True,
    )
    return wrong


def summary(structure: str, answers: list[Answer]) -> list[str]:
    """Print a line about all approximate answers on a structure; what is wrong comes back."""
    rough = [a for a in answers if not a.exact and not a.fault]
    ratios, others = [a.ratio for a in rough], [a.beside for a in rough]
    wrong = judge(answers)
    print(
        f"{structure:16}{len(rough):8}{share(ratios):>8}{max(ratios, default=0.0):8.2g}"
        f"{pessimism(rough):10.2g}{share(others):>10}{max(others, default=0.0):8.2g}"
        + ("  FAILS: " + "; ".join(wrong) if wrong else "")
    )
    return wrong


def again(structure: str, ways: list[str], seed: int, number: int) -> None:
    """Print one instance: the case, the truth and what each engine says."""
    _, (network, case) = next(instances(structure, seed, number))
    print(network, case, sep="\n")
    right = truth(network, case)
    size = len(network.diseases)
    print(f"log evidence {right.log_evidence:.9g}, reference width {right.width}")
    for way in ways:
        beliefs = infer(network, case, way)
        true, accuracy = gap(beliefs, right), beliefs.accuracy
        print(f"{way} ({beliefs.engine}): {accuracy}\n  {accuracy.notes}")
        print(f"  stated {accuracy.error:.3g}, true {true:.3g}")
        print(f"  log evidence {beliefs.log_evidence:.9g}, condition {accuracy.condition}")
        off = np.abs(scores(beliefs) - scores(right)) / np.maximum(scores(right), FLOOR)
        for i in np.argsort(off)[: -1 - min(5, size) : -1]:
            measure = ("posterior", "disablement", "sufficiency")[i // size]
            said, sound = scores(beliefs)[i], float(scores(right)[i])
            print(f"  {network.diseases[i % size]:20} {measure:12} {said:.9g}, truth {sound:.9g}")


def batches(total: int, workers: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """(answers, (first instance, step)) of each worker."""
    for worker in range(workers):
        yield total // workers + (worker < total % workers), (worker, workers)


def main() -> int:
    """Run what the command line asks for; 1 if anything fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--answers", type=int, default=210)
    parser.add_argument("--structure", nargs="+", choices=available(), default=available())
    parser.add_argument("--engine", nargs="+", default=list(FORCED))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--approximate", action="store_true")
    parser.add_argument("--independent", type=int, default=10)
    parser.add_argument("--number", type=int)
    told = parser.parse_args()
    for way in told.engine:
        try:
            infer(hickam.load("smoker"), hickam.Case(["chest pain"]), way)
        except hickam.TooHard:
            continue
        except hickam.InvalidInput as problem:
            parser.error(str(problem))
    if told.number is not None:
        again(told.structure[0], told.engine, told.seed, told.number)
        return 0
    print(
        f"{'structure':16}{'engine':9}{'answers':>7}{'approx.':>8}{'hold %':>8}{'approx.':>8}"
        f"{'others':>8}{'worst':>9}{'true/st.':>9}{'number':>8}{'st./true':>10}{'worst':>10}"
        f"{'unexpl.':>10}{'log P':>10}"
        f"{'ms':>8}  engines"
    )
    failures = 0
    every: list[Answer] = []
    with ProcessPoolExecutor(told.workers) as pool:
        for structure in told.structure:
            jobs = [
                pool.submit(
                    examine,
                    structure,
                    told.engine,
                    told.seed,
                    count,
                    told.approximate,
                    told.independent,
                    part,
                )
                for count, part in batches(told.answers, told.workers)
            ]
            parts = [job.result() for job in jobs]
            found = [answer for answers, _ in parts for answer in answers]
            for way in dict.fromkeys([*told.engine, *(a.way for a in found)]):
                declined = sum(counter[way] for _, counter in parts)
                report(structure, way, [a for a in found if a.way == way], declined)
            every += found
    print(
        f"\n{'structure':16}{'approx.':>8}{'hold %':>8}{'worst':>8}{'st./true':>10}"
        f"{'others %':>10}{'worst':>8}"
    )
    for structure in told.structure:
        failures += bool(summary(structure, [a for a in every if a.structure == structure]))
    rough = sum(not a.exact and not a.fault for a in every)
    print(f"{len(every)} answers, {rough} of them approximate; {failures} structures fail")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
