"""Other libraries on three-layer networks, in one run: posteriors of all diseases.

pip install '.[bench]' && python benchmarks/peers.py [--seconds 60]

pyAgrum gets its own noisy-OR nodes and its best junction tree; it computes posteriors only, Hickam
all three measures. Each runs in its own process with limits on time and memory.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np

import hickam
from hickam.model.build import build_network

MEMORY = 6_000_000_000
SIZES = ((10, 12, 3), (30, 40, 5), (60, 80, 8), (150, 200, 10))


def random_network(diseases: int, findings: int, seed: int = 0) -> hickam.Network:
    """Diseases with independent priors; each finding has up to eight causes."""
    draw = np.random.default_rng(seed)
    network, _ = build_network(
        {
            "hickam": 1,
            "name": "random",
            "diseases": [
                {"id": f"d{k}", "leak": float(10 ** draw.uniform(-3, -1))} for k in range(diseases)
            ],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": float(10 ** draw.uniform(-3, -1)),
                    "causes": {
                        f"d{k}": float(draw.uniform(0.1, 0.9))
                        for k in draw.choice(diseases, int(draw.integers(2, 9)), replace=False)
                    },
                }
                for s in range(findings)
            ],
        }
    )
    assert network is not None
    return network


def with_pyagrum(network: hickam.Network, present: list[str], absent: list[str]) -> list[float]:
    """Posteriors by pyAgrum's lazy propagation."""
    import pyagrum as gum

    net = gum.BayesNet()
    for k, disease in enumerate(network.diseases):
        net.add(gum.LabelizedVariable(disease, disease, 2))
        net.cpt(disease).fillWith([1 - network.disease_leak[k], network.disease_leak[k]])
    for s in (*present, *absent):
        at = network.index[s]
        net.addNoisyORNet(gum.LabelizedVariable(s, s, 2), float(network.finding_leak[at]))
        for link in network.effects.of_effect(at):
            cause = network.diseases[network.effects.cause[link]]
            net.addWeightedArc(cause, s, float(network.effects.acts[link]))
    engine = gum.LazyPropagation(net)
    engine.setEvidence({**dict.fromkeys(present, 1), **dict.fromkeys(absent, 0)})
    engine.makeInference()
    return [float(engine.posterior(disease)[1]) for disease in network.diseases]


def with_pgmpy(network: hickam.Network, present: list[str], absent: list[str]) -> list[float]:
    """Posteriors by pgmpy's variable elimination on full tables."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    net = DiscreteBayesianNetwork()
    for k, disease in enumerate(network.diseases):
        net.add_node(disease)
        prior = float(network.disease_leak[k])
        net.add_cpds(TabularCPD(disease, 2, [[1 - prior], [prior]]))
    for s in (*present, *absent):
        at = network.index[s]
        into = network.effects.of_effect(at)
        causes = [network.diseases[network.effects.cause[link]] for link in into]
        off = np.array([1.0 - network.finding_leak[at]])
        for link in into:
            off = np.stack([off, off * network.effects.fails[link]], axis=-1).reshape(-1)
        net.add_edges_from((cause, s) for cause in causes)
        net.add_cpds(TabularCPD(s, 2, [off, 1 - off], causes, [2] * len(causes)))
    engine = VariableElimination(net)
    evidence = {**dict.fromkeys(present, 1), **dict.fromkeys(absent, 0)}
    found = []
    for disease in network.diseases:
        found.append(float(engine.query([disease], evidence, show_progress=False).values[1]))
    return found


def with_hickam(network: hickam.Network, present: list[str], absent: list[str]) -> list[float]:
    """Posteriors, with the other two measures computed as well."""
    beliefs = hickam.infer(network, hickam.Case(present=present, absent=absent))
    return beliefs.posterior.tolist()


def _run(work, arguments, pipe) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        began = time.perf_counter()
        answer = work(*arguments)
        pipe.send((time.perf_counter() - began, answer))
    except Exception as problem:  # a peer may fail in any way; that is a result too
        pipe.send((type(problem).__name__, None))


def limited(work, arguments, seconds: float):
    """Seconds and answer of a function in its own process, or what became of it."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_run, args=(work, arguments, theirs)
    )
    process.start()
    result = ours.recv() if ours.poll(seconds) else (f"more than {seconds:g} s", None)
    process.kill()
    process.join()
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    print("| diseases | present | library | seconds | against Hickam | largest difference |")
    print("|---|---|---|---|---|---|")
    for diseases, findings, count in SIZES:
        network = random_network(diseases, findings)
        present, absent = list(network.findings[:count]), list(network.findings[count : 2 * count])
        arguments = (network, present, absent)
        with_hickam(*arguments)
        ours, truth = limited(with_hickam, arguments, seconds)
        print(f"| {diseases} | {count} | Hickam, three measures | {ours:.2g} | 1 | |")
        for name, work in (("pyAgrum", with_pyagrum), ("pgmpy", with_pgmpy)):
            took, found = limited(work, arguments, seconds)
            if found is None:
                print(f"| {diseases} | {count} | {name} | {took} | | |")
                continue
            gap = float(np.abs(np.array(found) - truth).max())
            print(
                f"| {diseases} | {count} | {name}, posterior only | {took:.2g} | {took / ours:.0f} "
                f"| {gap:.0e} |"
            )


if __name__ == "__main__":
    main()
