"""What was learnt, as lines of text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from hickam.learn.em import log_odds
from hickam.learn.held_out import HeldOut
from hickam.learn.run import Learning
from hickam.words import counted, percent

SHOWN = 15
WIDE = 0.5  # width of the interval of a share from which on it is as good as unknown


def learning_lines(found: Learning, most: int = SHOWN) -> Iterator[str]:
    """The report as lines for a terminal."""
    numbers, whole = found.numbers, found.whole
    free, told = int(whole.free.sum()), int(whole.told.sum())
    yield f"{numbers.network.name}: learnt from {found.patients:,} records of {found.source}"
    yield ""
    yield (
        f"{told:,} of {numbers.size:,} numbers learnt; {free - told:,} of which no record speaks "
        f"and {numbers.size - free:,} that are certain stay as they were."
    )
    how = "until a step gained nothing more" if found.state.done else "and stopped at the limit"
    yield (
        f"{counted(found.state.looks, 'step')} {how}: log posterior {found.state.history[-1]:,.1f}."
    )
    if found.drawn:
        yield (
            f"{found.drawn:,} records leave so many risk factors open that settings of them were "
            "sampled: their likelihood is an average over that sample."
        )
    if not found.certainty.together:
        yield (
            "Intervals hold the leak and links of one node together, not all numbers: "
            "they are somewhat too narrow where diseases are seldom known."
        )
    yield from _recording_lines(found)
    if found.judged is not None:
        yield from _judged_lines(found.judged)
    elif found.unjudged:
        yield ""
        yield (
            "Not judged: no patient held out says of half of the findings whether they are there. "
            "Give others of whom that is known (--hold-out FILE)."
        )
    yield ""
    yield f"{'number':58s}{'before':>9s}{'learnt':>9s}   {'95 % interval':16s}{'n':>9s}"
    for number in moved(found)[:most]:
        low, high = whole.certainty.low[number], whole.certainty.high[number]
        yield (
            f"{name_of(found, number)[:57]:58s}{_chance(whole.before[number]):>9s}"
            f"{_chance(whole.learnt[number]):>9s}   {f'{_chance(low)} – {_chance(high)}':16s}"
            f"{whole.seen[number]:>9,.0f}"
        )
    if told > most:
        yield f"… {told - most:,} more, those that moved most standard errors first (--all)"


def _recording_lines(found: Learning) -> Iterator[str]:
    """What is written down of the columns by a model."""
    for one in found.rates:
        how = "given" if one.given else f"{percent(one.low)} – {percent(one.high)}"
        if not one.given or one.share > 0.0:
            name = found.numbers.ids[one.node]
            yield f"{name}: {percent(one.share)} of {one.word} is written down ({how})."
        if one.high - one.low > WIDE:
            yield "  The records hardly tell how much: give it, as absent:0.8."


def moved(found: Learning) -> list[int]:
    """The learnt numbers, those first that moved most standard errors."""
    whole = found.whole
    told = np.flatnonzero(whole.told)
    before, after = whole.before[told], whole.learnt[told]
    errors = np.maximum(whole.certainty.errors[told], 1e-9)
    off = np.abs(log_odds(after) - log_odds(before)) / errors
    return told[np.argsort(-off, kind="stable")].tolist()


def name_of(found: Learning, number: int) -> str:
    """A number in words."""
    cause, effect = found.numbers.names[number]
    label = found.numbers.network.label
    if cause != effect:
        return f"{label(cause)} → {label(effect)}"
    own = "prior" if number < len(found.numbers.network.risk_factors) else "leak"
    return f"{label(effect)} ({own})"


def learning_document(found: Learning) -> dict[str, Any]:
    """The report as plain values."""
    numbers, whole = found.numbers, found.whole
    return {
        "network": numbers.network.name,
        "records": found.source,
        "patients": found.patients,
        "different_records": found.alike,
        "sampled_records": found.drawn,
        "steps": found.state.looks,
        "converged": found.state.done,
        "log_posterior": list(found.state.history),
        "written_down": [{"column": numbers.ids[one.node], **asdict(one)} for one in found.rates],
        "warnings": [str(issue) for issue in found.recording.warnings],
        "held_out": None if found.judged is None else asdict(found.judged),
        "numbers": [
            {
                "cause": numbers.names[number][0],
                "effect": numbers.names[number][1],
                "before": whole.before[number],
                "source": numbers.sources[number],
                "weight": found.belief.weight[number],
                "learnt": whole.learnt[number],
                "low": whole.certainty.low[number],
                "high": whole.certainty.high[number],
                "seen": whole.seen[number],
                "besides_kinds": number in numbers.together,  # acted and could then are
                "acted": found.totals.acted[number],
                "could": found.totals.could[number],
            }
            for number in moved(found)
        ],
    }


def _judged_lines(judged: HeldOut) -> Iterator[str]:
    """The fit to patients held out."""
    yield ""
    yield (
        f"Held out, {judged.patients:,} patients: log likelihood per patient "
        f"{judged.before.log_likelihood:.3f} before, {judged.after.log_likelihood:.3f} after "
        f"({judged.gain:+.3f} ± {1.96 * judged.error:.3f})."
    )
    before, after = judged.before, judged.after
    if before.off is None or after.off is None:
        yield "Calibration: they name no disease, and no finding that can be hidden and predicted."
        return
    what = (
        "all diseases hidden and predicted"
        if judged.predicted == "diseases"
        else "one finding of each hidden and predicted"
    )
    yield (
        f"Calibration, {what}: off by {_chance(before.off)} before, "
        f"{_chance(after.off)} after; Brier score {before.brier:.5f}, {after.brier:.5f}."
    )
    yield "  stated after      true     predictions"
    for one in after.bins:
        yield f"  {percent(one.mean):>10s} {percent(one.share):>12s} {one.count:>14,d}"


def _chance(value: float) -> str:
    """A probability with three digits."""
    return f"{value:.3g}" if value >= 1e-3 or value == 0.0 else f"{value:.2g}"
