"""Unobserved risk factors: time, memory and true error of the engines that handle them.

    python benchmarks/coupled.py [paper] [trust] [strong] [scaling] [clinic] [findings] [crowded]

Without arguments all of them. `paper` needs the environment variable HICKAM_AUTHORS to name the
folder with the authors' released network and vignettes and the reference answers; if
HICKAM_AUTHORS_CODE names a checkout of their code, that is timed in the same run (a minute).
Times are the best of several runs; "cpu" is processor time, which a busy machine disturbs less
than the clock.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from instances import complaints

import hickam
from hickam.beliefs.beliefs import LEADING
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.checked import by_messages
from hickam.inference.coupled.choice import coupled
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.difference import apart
from hickam.inference.coupled.thinned import thinned
from hickam.inference.frontier.visit import exactly
from hickam.inference.problem import Problem
from hickam.inference.reduce import reduce
from hickam.inference.sampling.sampled import by_sampling
from hickam.inference.solve import solve
from hickam.io.authors import NetworkPolicy, read_authors_network
from hickam.io.cards import CardPolicy, read_authors_cards
from hickam.kernels import describe
from hickam.model.random import Recipe, random_network

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from coupled_instances import random_problems, true_error

AUTHORS_SECONDS = 50.0  # of the authors' code, on the machine of the figures in README.md
# Times the authors' code on its own vignettes of network A, without a function of SciPy that it
# imports for its statistics and that newer versions do not have.
AUTHORS_RUN = """
import json, sys, time, types
from pathlib import Path
import scipy.stats
scipy.stats.binom_test = None
sys.modules["tqdm"] = types.SimpleNamespace(tqdm=None)
sys.path.insert(0, sys.argv[1])
import experiments, inference
inference.create_marginals_files(args=types.SimpleNamespace(datapath=Path("data")))
networks = json.loads(Path("data/example_networks.json").read_text())
cards = json.loads(Path("data/vignettes.json").read_text()).values()
cards = [card for card in cards if card["card"]["network_name"] == "A"]
began = time.process_time()
for card in cards:
    experiments.run_single_vignette(card=card, networks=networks, datapath=Path("data"))
print("seconds", time.process_time() - began)
"""


def best(run: Callable[[], object], times: int = 3) -> tuple[float, float]:
    """The shortest (clock, processor) seconds of several runs."""
    clock, cpu = [], []
    for _ in range(times):
        began, spent = time.perf_counter(), time.process_time()
        run()
        clock.append(time.perf_counter() - began)
        cpu.append(time.process_time() - spent)
    return min(clock), min(cpu)


def peak_megabytes() -> float:
    """The most memory this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def authors_seconds() -> tuple[float, str]:
    """The processor seconds of the authors' code for the vignettes of network A, and since when."""
    code = os.environ.get("HICKAM_AUTHORS_CODE")
    if not code:
        return AUTHORS_SECONDS, "as measured before, see README.md"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(Path(code) / "data", Path(folder) / "data")
        command = [sys.executable, "-c", AUTHORS_RUN, str(Path(code).resolve())]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return float(run.stdout.rpartition("seconds ")[2]), "in this run"


def paper() -> None:
    """The authors' network A: 199 vignettes, all measures of all 362 diseases."""
    folder = os.environ.get("HICKAM_AUTHORS")
    if not folder:
        print("paper: skipped, HICKAM_AUTHORS names no folder")
        return
    policy = NetworkPolicy(impossible="clip", duplicates="first")
    network, _ = read_authors_network(Path(folder) / "example_networks.json", "A", policy)
    assert network is not None
    cards, _ = read_authors_cards(
        Path(folder) / "vignettes.json", "A", CardPolicy(unsure_risks="absent")
    )
    cases = [
        Case(present=card.case.present, absent=card.case.absent, risks=card.case.risks)
        for card in cards
    ]
    answers = list(hickam.infer_many(network, cases))
    clock, cpu = best(lambda: [hickam.infer(network, case) for case in cases])
    many, many_cpu = best(lambda: list(hickam.infer_many(network, cases)))
    print(f"paper: {len(cases)} vignettes of {network}")
    print(f"  infer       {clock:.2f} s, cpu {cpu:.2f} s: {1e3 * cpu / len(cases):.1f} ms each")
    print(f"  infer_many  {many:.2f} s, cpu {many_cpu:.2f} s on {os.cpu_count()} cores")
    theirs, when = authors_seconds()
    print(
        f"  the authors' code: {theirs:.0f} s ({when}), {theirs / many:.0f} times "
        f"as long by the clock, {theirs / cpu:.0f} times by one processor"
    )
    print(f"  stated error: median {np.median([a.accuracy.error for a in answers]):.1e}, ", end="")
    print(f"most {max(a.accuracy.error for a in answers):.1e}; peak {peak_megabytes():.0f} MB")
    with np.load(Path(folder) / "reference_A_sample.npz") as reference:
        order = [network.index[disease] for disease in reference["disease_ids"]]
        reached, others = [], []
        for number, answer in enumerate(answers[::3]):
            problem = reduce(network, locate(cases[3 * number], network))
            near = np.zeros(len(order), dtype=bool)
            near[problem.rows[problem.reached]] = True
            gaps = np.zeros(len(order))
            for name, score in (
                ("post", answer.posterior),
                ("suff", answer.sustained.sum(axis=1)),
                ("dis", answer.disabled.sum(axis=1)),
            ):
                right = reference[name][number]
                gap = np.abs(score[order] - right) / np.maximum(np.abs(right), 1e-3)
                gaps = np.maximum(gaps, gap)
            reached.append(gaps[near[order]].max(initial=0.0))
            others.append(gaps[~near[order]].max(initial=0.0))
    print("  difference from the reference, per vignette: median, 90 %, most")
    print(
        "    diseases with a finding  ",
        *(f"{x:.0e}" for x in np.percentile(reached, [50, 90, 100])),
    )
    print(
        "    other diseases           ", *(f"{x:.0e}" for x in np.percentile(others, [50, 90, 100]))
    )


def trust(count: int = 3000) -> None:
    """How often the true error is within the stated one, and how far below."""
    pairs: list[tuple[float, float]] = []
    for problem in random_problems(seed=11):
        truth = exactly(problem, 0.05, Limits(), NEVER)
        if truth is None:
            continue
        answer = by_messages(problem, Limits(), NEVER)
        if not answer.accuracy.exact:
            pairs.append((true_error(answer.tables, truth.tables), answer.accuracy.error))
        if len(pairs) >= count:
            break
    true, stated = np.array(pairs).T
    print(f"trust: bethe on {len(pairs)} random instances that the frontier solves exactly")
    print(f"  true error within the stated one: {100 * np.mean(true <= stated):.2f} %, ", end="")
    print(f"at most {np.max(true / stated):.1f} times as large")
    for what, values in (("stated", stated), ("true", true)):
        shown = " ".join(f"{x:.0e}" for x in np.percentile(values, [50, 90, 99]))
        print(f"  {what + ':':8s} 50, 90, 99 %  {shown}")


def wide(risks: int, coupling: tuple[float, float], present: int = 4, seed: int = 0) -> Problem:
    """A problem with so many risk factors over three times as many diseases."""
    recipe = Recipe(
        risk_factors=risks,
        diseases=3 * risks,
        findings=max(20, 2 * risks),
        causes=(1, 4),
        effects=(2, 5),
        coupling=coupling,
    )
    network = random_network(np.random.default_rng(seed), recipe)
    case = Case(network.findings[:present], network.findings[present : present + 2])
    return reduce(network, locate(case, network))


def strong() -> None:
    """Strong, wide coupling: what answers, how accurate it says to be, and is."""
    print("strong: activations 0.3-0.95, tolerance 1e-3")
    print("  risks  engine        stated   true     time")
    for risks in (10, 20, 30, 40, 60):
        for seed in range(2):
            problem = wide(risks, (0.3, 0.95), seed=seed)
            clock, _ = best(lambda p=problem: coupled(p, Limits()), 1)  # type: ignore[misc]
            tables, engine, accuracy = coupled(problem, Limits())
            truth = exactly(problem, 10.0, Limits(), NEVER)
            error = "-" if truth is None else f"{true_error(tables, truth.tables):.0e}"
            print(
                f"  {len(problem.risks):5d}  {engine:12s}  {accuracy.error:.0e}   {error:7s}  "
                f"{1e3 * clock:.1f} ms  {'; '.join(accuracy.notes)}"
            )


def scaling() -> None:
    """Milliseconds of processor time against risk factors and present findings."""
    print("scaling: 4 present findings, activations 0.01-0.3, cpu ms (- : over 10 s)")
    print("  risks  rows  bethe   frontier")
    for risks in (5, 10, 15, 20, 30, 40, 80, 160):
        problem = wide(risks, (0.01, 0.3))
        _, messages = best(lambda p=problem: bethe(p))  # type: ignore[misc]
        times = [f"{1e3 * messages:6.2f}"]
        _, exact = best(lambda p=problem: exactly(p, 10.0, Limits(), NEVER), 1)  # type: ignore[misc]
        solved = exactly(problem, 10.0, Limits(), NEVER) is not None
        times.append(f"{1e3 * exact:9.2f}" if solved else f"{'-':>9s}")
        print(f"  {len(problem.risks):5d}  {len(problem.rows):4d}  {'  '.join(times)}")
    print("scaling: 40 risk factors, cpu ms of bethe in float64 and double-double")
    for present in (1, 2, 4, 6, 8, 10, 12):
        problem = wide(40, (0.01, 0.3), present)
        _, quick = best(lambda p=problem: bethe(p, 1e300), 1)  # type: ignore[misc]
        _, fine = best(lambda p=problem: bethe(p, 1e-20), 1)  # type: ignore[misc]
        print(f"  {present:2d} findings  {1e3 * quick:8.2f}  {1e3 * fine:8.2f}")
    print(f"  peak {peak_megabytes():.0f} MB")


def clinic() -> None:
    """The embedded clinic with every risk factor unobserved."""
    network = hickam.load("clinic")
    rng = np.random.default_rng(0)
    cases = []
    for _ in range(200):
        disease = int(rng.integers(len(network.diseases)))
        findings = network.effects.effect[network.effects.of_cause(disease)]
        if len(findings) >= 4:
            chosen = rng.choice(findings, 4, replace=False)
            cases.append(Case(present=[network.findings[i] for i in chosen]))
    problems = [reduce(network, locate(case, network)) for case in cases]
    _, cpu = best(lambda: [coupled(problem, Limits()) for problem in problems])
    _, whole = best(lambda: [hickam.infer(network, case) for case in cases])
    stated = [coupled(problem, Limits())[2].error for problem in problems]
    print(f"clinic: {len(cases)} patients, 4 present findings, all risk factors unobserved")
    print(f"  engine {1e3 * cpu / len(cases):.2f} ms, infer {1e3 * whole / len(cases):.2f} ms cpu")
    print(f"  stated error: median {np.median(stated):.0e}, most {max(stated):.0e}")


def findings(cases: int = 11) -> None:
    """The embedded clinic with more and more present findings, risk factors unobserved or known."""
    network = hickam.load("clinic")
    rng = np.random.default_rng(0)
    known = dict.fromkeys(network.risk_factors, False)
    print(
        "findings: clinic, processor seconds (median, most), stated error of the leading diseases"
    )
    print("(median, most) and of all (most), engines")
    for count in (4, 8, 12, 14, 16, 18, 20, 24, 30, 40):
        drawn = [complaints(network, rng, count) for _ in range(cases)]
        for what, risks in (("unobserved", {}), ("known", known)):
            spent, engines, errors, leading = [], set(), [], []
            for present in drawn:
                problem = reduce(network, locate(Case(present, risks=risks), network))
                began = time.process_time()
                solution = solve(problem, Limits())
                spent.append(time.process_time() - began)
                engines.add(f"{solution.engine} ({solution.accuracy.kind})")
                tables, _, accuracy = solution
                told = accuracy.of_leading(tables.posterior, tables.disabled, tables.sustained)
                errors.append(accuracy.error)
                leading.append(accuracy.error if told.leading is None else told.leading)
            print(
                f"  {count:2d} {what:10s} {np.median(spent):8.4f} {max(spent):8.4f}  "
                f"{np.median(leading):.0e} {max(leading):.0e}  {max(errors):.0e}  "
                f"{', '.join(sorted(engines))}"
            )


def crowded(cases: int = 5) -> None:
    """Clinic with forty and sixty findings, risk factors known: links cut against slot Gibbs."""
    network = hickam.load("clinic")
    rng = np.random.default_rng(0)
    known = dict.fromkeys(network.risk_factors, False)
    print(
        "crowded: clinic, risk factors known, medians; the leading scores, true and stated errors"
    )
    print("  present  engine    seconds  true     stated   most     held to")
    for count in (40, 60):
        drawn = [complaints(network, rng, count) for _ in range(cases)]
        problems = [reduce(network, locate(Case(one, risks=known), network)) for one in drawn]
        truths = [exactly(problem, 5.0, Limits(), NEVER) for problem in problems]
        exact = sum(truth is not None for truth in truths)
        for index, truth in enumerate(truths):
            if truth is None:
                truths[index] = thinned(problems[index], Limits(seed=1), NEVER, 8.0)
        for engine, solver in (("thinned", thinned), ("sampling", by_sampling)):
            spent, true, stated = [], [], []
            for problem, truth in zip(problems, truths, strict=True):
                assert truth is not None
                began = time.process_time()
                solution = solver(problem, Limits(), NEVER)
                assert solution is not None
                spent.append(time.process_time() - began)
                order = np.argsort(-truth.tables.disabled.sum(axis=1))[:LEADING]
                true.append(apart(solution.tables, truth.tables)[order].max())
                stated.append(leading_error(solution))
            print(
                f"  {count:7d}  {engine:8s}  {np.median(spent):7.2f}  {np.median(true):.1e}  "
                f"{np.median(stated):.1e}  {max(stated):.1e}  the frontier {exact}, "
                f"eight times the draws {cases - exact}"
            )


if __name__ == "__main__":
    parts = {f.__name__: f for f in (paper, trust, strong, scaling, clinic, findings, crowded)}
    print(f"kernels: {describe()}; {os.cpu_count()} cores")
    next(islice(random_problems(0), 1))
    for name in sys.argv[1:] or parts:
        parts[name]()
