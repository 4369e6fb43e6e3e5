"""The same totals and marginals by pyAgrum's junction tree: a second, independent solver."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hickam.issues import TooHard, error
from hickam.model.network import Floats
from hickam.twin.factors import Calibrated, Factor, Variable, calibrate

LEAST = 1e-290  # chance from which float64 loses digits


def propagate(
    factors: Sequence[Factor], sizes: Mapping[Variable, int], wanted: Sequence[Variable]
) -> Calibrated:
    """What `factors.calibrate` returns, by lazy propagation; needs the extra `twin`.

    Each variable is a root with a uniform prior and each factor an observed two-state child whose
    chance of "on" is the factor over its peak, so that any product of factors is a network.
    """
    try:
        gum: Any = importlib.import_module("pyagrum")
    except ImportError:
        fix = "pip install '.[twin]' in its sources, or use engine 'twin'"
        raise TooHard([error("engine 'junction_tree'", "needs pyAgrum", fix)]) from None
    net = gum.BayesNet()
    name = {variable: f"v{number}" for number, variable in enumerate(sizes)}
    log_total = 0.0
    for variable, size in sizes.items():
        net.add(gum.LabelizedVariable(name[variable], "", size))
        net.cpt(name[variable]).fillWith(1.0 / size)
        log_total += math.log(size)
    evidence = {}
    for number, factor in enumerate(factors):
        peak = float(factor.table.max(initial=0.0))
        if peak <= 0.0:
            return Calibrated(-math.inf, {})
        log_total += math.log(peak)
        if not factor.scope:
            continue
        child = f"f{number}"
        net.add(gum.LabelizedVariable(child, "", 2))
        for variable in factor.scope:
            net.addArc(name[variable], child)
        on = factor.table / peak
        _fill(net.cpt(child), on, [name[variable] for variable in factor.scope], child)
        evidence[child] = 1
    if not evidence:
        return Calibrated(log_total, {v: np.full(sizes[v], 1.0 / sizes[v]) for v in wanted})
    engine = gum.LazyPropagation(net)
    engine.setEvidence(evidence)
    for variable in wanted:
        engine.addTarget(name[variable])
    try:
        engine.makeInference()
        chance = float(engine.evidenceProbability())
    except gum.IncompatibleEvidence:
        chance = 0.0
    if not chance > LEAST:
        total = calibrate(factors, sizes, ()).log_total
        if total > -math.inf:
            what = f"cannot work with evidence of probability e^{total:.0f}"
            raise TooHard([error("engine 'junction_tree'", what, "use engine 'twin'")])
        return Calibrated(total, {})
    beliefs = {v: np.array(engine.posterior(name[v]).toarray()) for v in wanted}
    return Calibrated(log_total + math.log(chance), beliefs)


def _fill(cpt: Any, on: Floats, parents: list[str], child: str) -> None:
    """Write P(child | parents) with the axes in pyAgrum's order, which reverses its names."""
    order = [str(name) for name in cpt.names][::-1]
    assert set(order) == {*parents, child}
    both = np.stack([1.0 - on, on], axis=-1)
    axis_of = {name: axis for axis, name in enumerate([*parents, child])}
    cpt[:] = np.ascontiguousarray(both.transpose([axis_of[name] for name in order]))
