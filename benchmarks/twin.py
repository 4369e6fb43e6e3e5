"""Counterfactuals on general models: Hickam against naive twins and rejection, in one run.

python benchmarks/twin.py [--seconds 60]

The question is the same for all: the expected disablement of every disease. The peers, if they are
installed (`pip install '.[bench]'`), get the twin that their users would build by hand: two
copies of every node, one noise node per link, and full tables. Each runs in its own process with a
limit on time and memory, and the clock starts when all it needs is imported. Errors are the largest
over all diseases, against abduction where that is possible and against Hickam's exact twin where
not.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import itertools
import json
import multiprocessing
import resource
import time

import numpy as np

import hickam
from hickam.model.mechanism import Gate
from hickam.model.scm_build import build_scm
from hickam.twin.actions import cure
from hickam.twin.observe import observe
from hickam.twin.particles import Particles, evaluate
from hickam.twin.worlds import Action

MEMORY = 6_000_000_000
SIZES = (
    ("3 diseases, 4 findings", (1, 3, 4, 2, 0.5), 2, 1),
    ("10 diseases, 14 findings", (2, 10, 14, 3, 0.4), 4, 3),
    ("30 diseases, 40 findings", (5, 30, 40, 5, 0.3), 5, 5),
    ("60 diseases, 80 findings", (5, 60, 80, 5, 0.3), 8, 8),
)


def random_model(risks, diseases, findings, parents, deeper, seed=0):
    """A noisy-OR model with links between diseases, so that it is no three-layer network."""
    draw = np.random.default_rng(seed)
    nodes = [
        {"id": f"r{i}", "role": "risk factor", "prior": float(draw.uniform(0.05, 0.4))}
        for i in range(risks)
    ]
    for i in range(diseases):
        chosen = draw.choice(risks, min(2, risks), replace=False)
        causes = {f"r{j}": float(draw.uniform(0.02, 0.2)) for j in chosen}
        if i and draw.random() < deeper:
            causes[f"d{int(draw.integers(0, i))}"] = float(draw.uniform(0.1, 0.5))
        leak = float(10 ** draw.uniform(-3, -1))
        nodes.append({"id": f"d{i}", "role": "disease", "leak": leak, "causes": causes})
    for i in range(findings):
        count = min(int(draw.integers(2, 2 * parents)), diseases)
        chosen = draw.choice(diseases, count, replace=False)
        causes = {f"d{j}": float(draw.uniform(0.1, 0.9)) for j in chosen}
        leak = float(10 ** draw.uniform(-3, -1))
        nodes.append({"id": f"s{i}", "role": "finding", "leak": leak, "causes": causes})
    model, issues = build_scm({"hickam": 1, "name": "random", "nodes": nodes})
    assert model is not None, issues
    return model


def with_hickam(model, case, engine):
    beliefs = hickam.infer(model, case, engine=engine)
    return beliefs.disabled.sum(axis=1), "; ".join(beliefs.accuracy.notes)


def with_rejection(model, case, size=200_000):
    """Draw all noise, keep the settings that produce the evidence, imagine the cures."""
    draw = np.random.default_rng(0)
    seen = observe(model, hickam.evidence.locate.locate(case, model))
    noise = {
        node.id: [(draw.random(size) < own[1]).astype(np.int8) for own in node.mechanism.noises]
        for node in model
    }
    states = evaluate(model, noise, size, Action())
    kept = np.all([states[name] == state for name, state in seen.states.items()], axis=0)
    count = int(kept.sum())
    if count == 0:
        return None, f"0 of {size} samples accepted"
    particles = Particles(
        model,
        {name: [column[kept] for column in own] for name, own in noise.items()},
        {name: state[kept] for name, state in states.items()},
        np.full(count, 1.0 / count),
        0.0,
    )
    found = []
    for disease in model.diseases:
        world = particles.imagine(cure(model, disease))
        found.append(sum(particles.chance(world[s] == 0) for s in seen.present))
    return np.array(found), f"{count} of {size} samples accepted"


def naive_twin(model, cured):
    """(node, parents, table of P(node = 1)) of two whole worlds with one noise node per link."""
    rows = []
    for node in model:
        gate = node.mechanism
        assert isinstance(gate, Gate)
        own = [f"{node.id}|u{i}" for i in range(len(gate.links) + 1)]
        for name, chance in zip(own, (gate.own, *gate.links), strict=True):
            rows.append((name, [], np.array(chance.acts)))
        for star in ("", "*"):
            if star and node.id == cured:
                rows.append((f"{node.id}*", [], np.array(0.0)))
                continue
            parents = [f"{parent}{star}" for parent in gate.parents]
            table = np.zeros((2,) * (len(own) + len(parents)))
            for states in itertools.product((0, 1), repeat=table.ndim):
                fires, above = states[: len(own)], states[len(own) :]
                active = fires[0] or any(f and a for f, a in zip(fires[1:], above, strict=True))
                table[states] = float(active)
            rows.append((f"{node.id}{star}", [*own, *parents], table))
    return rows


def with_pyagrum(model, case):
    import pyagrum as gum

    found = []
    for cured in model.diseases:
        net = gum.BayesNet()
        for name, parents, table in naive_twin(model, cured):
            net.add(gum.LabelizedVariable(name, "", 2))
            for parent in parents:
                net.addArc(parent, name)
            cpt = net.cpt(name)
            both = np.stack([1.0 - table, table], axis=-1)
            axes = {axis: i for i, axis in enumerate([*parents, name])}
            order = [axes[str(axis)] for axis in cpt.names][::-1]
            cpt[:] = np.ascontiguousarray(both.transpose(order))
        engine = gum.LazyPropagation(net)
        engine.setEvidence({**dict.fromkeys(case.present, 1), **dict.fromkeys(case.absent, 0)})
        for finding in case.present:
            engine.addTarget(f"{finding}*")
        engine.makeInference()
        found.append(sum(float(engine.posterior(f"{s}*")[0]) for s in case.present))
    return np.array(found), "explicit twin, full tables"


def with_pgmpy(model, case):
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    found = []
    for cured in model.diseases:
        rows = naive_twin(model, cured)
        net = DiscreteBayesianNetwork([(p, name) for name, parents, _ in rows for p in parents])
        net.add_nodes_from([name for name, _, _ in rows])
        for name, parents, table in rows:
            on = table.reshape(1, -1)
            values = np.concatenate([1.0 - on, on])
            net.add_cpds(TabularCPD(name, 2, values, parents, [2] * len(parents)))
        engine = VariableElimination(net)
        evidence = {**dict.fromkeys(case.present, 1), **dict.fromkeys(case.absent, 0)}
        total = 0.0
        for finding in case.present:
            answer = engine.query([f"{finding}*"], evidence=evidence, show_progress=False)
            total += float(answer.values[0])
        found.append(total)
    return np.array(found), "explicit twin, full tables"


METHODS = {
    "Hickam, twin": lambda model, case: with_hickam(model, case, "twin"),
    "Hickam, junction tree": lambda model, case: with_hickam(model, case, "junction_tree"),
    "Hickam, sampling": lambda model, case: with_hickam(model, case, "sampling"),
    "Hickam, abduction": lambda model, case: with_hickam(model, case, "abduction"),
    "pyAgrum, naive twin": with_pyagrum,
    "pgmpy, naive twin": with_pgmpy,
    "rejection": with_rejection,
}
# What a method imports, where that is not the engines of general models.
NEEDED = {
    "Hickam, junction tree": ("hickam.twin.infer", "pyagrum"),
    "pyAgrum, naive twin": ("pyagrum",),
    "pgmpy, naive twin": ("pgmpy.models", "pgmpy.inference", "pgmpy.factors.discrete"),
}


def _work(method, size, present, absent, pipe):
    """Run one method here and send (processor seconds, answer, note) or what went wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    model = random_model(*size)
    case = hickam.Case(
        present=[f"s{i}" for i in range(present)],
        absent=[f"s{i}" for i in range(present, present + absent)],
    )
    for room in NEEDED.get(method, ("hickam.twin.infer",)):
        with contextlib.suppress(ImportError):
            importlib.import_module(room)
    start = time.process_time()
    try:
        answer, note = METHODS[method](model, case)
        pipe.send((time.process_time() - start, answer, note))
    except ImportError as missing:
        pipe.send((None, None, f"not installed ({missing.name})"))
    except MemoryError:
        pipe.send((None, None, "out of memory"))
    except hickam.TooHard as hard:
        pipe.send((None, None, str(hard).split(";")[0]))
    except Exception as bad:
        pipe.send((None, None, f"{type(bad).__name__}: {str(bad).splitlines()[0][:60]}"))


def measure(method, size, present, absent, seconds):
    """(seconds, answer, note) of one method, within the time limit."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_work, args=(method, size, present, absent, theirs))
    process.start()
    theirs.close()
    try:
        found = ours.recv() if ours.poll(seconds) else (None, None, f"over {seconds:g} s")
    except EOFError:
        found = (None, None, "out of memory")
    process.kill()
    process.join()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for title, size, present, absent in SIZES:
        found = {m: measure(m, size, present, absent, options.seconds) for m in METHODS}
        exact = found["Hickam, abduction"][1]
        reference = exact if exact is not None else found["Hickam, twin"][1]
        base = found["Hickam, twin"][0]
        if not options.json:
            print(f"\n{title}, {present} present and {absent} absent")
        for method, (seconds, answer, note) in found.items():
            error = None if answer is None else float(np.abs(answer - reference).max())
            rows.append([title, method, seconds, error, note])
            if not options.json:
                took = (
                    "      –       "
                    if seconds is None
                    else f"{seconds:7.2f} s {seconds / base:5.1f}×"
                )
                off = "        –" if error is None else f"{error:9.1e}"
                print(f"  {method:22} {took}  error {off}  {note[:70]}")
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
