"""The vignettes on which two measures disagree most, in words."""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.vignette import Vignette
from hickam.study.calibration import disagreements
from hickam.study.design import Setting
from hickam.study.pieces import ask
from hickam.study.results import Algorithm, Results, Rows


def explained_disagreements(results: Results, setting: Setting, most: int = 6) -> Rows:
    """Vignettes whose truth posterior and expected sufficiency place furthest apart, and why."""
    measures = ("posterior", "sufficiency")
    pair = [results.positions.get(Algorithm(setting.name, measure)) for measure in measures]
    if pair[0] is None or pair[1] is None:
        return []
    rows = []
    problems = results.went(setting.name).problems
    for row in disagreements(pair[0], pair[1], most):
        vignette = results.vignettes[row]
        if vignette.id in problems:
            continue
        beliefs, factor = ask(
            results.network,
            vignette.case,
            setting,
            results.study.engine,
            results.study.tolerance,
        )
        rows.append(
            {
                "vignette": vignette.id,
                "truth": " and ".join(results.network.label(d) for d in vignette.diseases),
                "posterior": int(pair[0][row]),
                "sufficiency": int(pair[1][row]),
                "why": _why(results, vignette, beliefs, beliefs.posterior * factor),
            }
        )
    return rows


def _why(results: Results, vignette: Vignette, beliefs: Beliefs, chance: np.ndarray) -> str:
    """What the truth explains, and which likelier diseases explain next to nothing."""
    network = results.network
    truth = network.index[vignette.diseases[0]]
    sufficiency = beliefs.sustained.sum(axis=1)
    ahead = [k for k in np.argsort(-chance, kind="stable") if chance[k] > chance[truth]]
    idle = [k for k in ahead if sufficiency[k] < sufficiency[truth]]
    said = f"The truth has posterior {chance[truth]:.2g} and would by itself keep "
    said += f"{sufficiency[truth]:.2g} of {len(beliefs.present)} findings"
    if beliefs.present:
        best = int(beliefs.sustained[truth].argmax())
        said += f", most of all '{network.label(beliefs.present[best])}'"
    if idle:
        named = ", ".join(
            f"{network.label(network.diseases[k])} ({chance[k]:.2g}, {sufficiency[k]:.2g})"
            for k in idle[:3]
        )
        said += f". {len(idle)} likelier diseases explain less (posterior, sufficiency): {named}"
    behind = [
        k
        for k in np.argsort(-sufficiency, kind="stable")[:10]
        if sufficiency[k] > sufficiency[truth] and chance[k] < chance[truth]
    ]
    if behind:
        named = ", ".join(network.label(network.diseases[k]) for k in behind[:3])
        said += f". Less likely but explaining more: {named}"
    return said + "."
