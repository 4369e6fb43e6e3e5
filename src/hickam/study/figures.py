"""The figures of a study, drawn with matplotlib as SVG and PDF."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hickam.study.accuracy import error_reduction, top_k
from hickam.study.doctors import DOCTOR, Trial
from hickam.study.results import TUNED, Algorithm, Results, Rows
from hickam.work.parts import write_whole

COLOURS = {
    "posterior": "#3b6ea5",
    "disablement": "#c77d28",
    "sufficiency": "#2f8f5b",
    "single_fault": "#7a7a7a",
}
NAMES = {
    "posterior": "posterior",
    "disablement": "expected disablement",
    "sufficiency": "expected sufficiency",
    "single_fault": "single-fault posterior",
}
ACROSS = 2  # panels side by side
WIDTH = 4.8  # inches: so narrow that the words can still be read on a phone
STYLE: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "hickam",
    "pdf.fonttype": 42,
}


def save(
    draw: Callable[[Any], None], folder: Path, name: str, height: float, width: float = WIDTH
) -> str:
    """The SVG text of a figure, sizes in inches, also written to the folder as SVG and PDF."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    style: Any = dict(STYLE)
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        text, pages = io.StringIO(), io.BytesIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        figure.savefig(pages, format="pdf", metadata={"CreationDate": None})
    svg = text.getvalue()
    write_whole(folder / f"{name}.svg", svg.encode())
    write_whole(folder / f"{name}.pdf", pages.getvalue())
    return svg[svg.index("<svg") :]


def draw_top_k(results: Results, setting: str) -> Callable[[Any], None]:
    """Top-k error with 95 % bands and the relative error reduction, as the paper's first figure."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        largest = results.study.top
        ks = np.arange(1, largest + 1)
        curves = {}
        for measure in results.study.all_measures:
            found = curves[measure] = top_k(results.splits(Algorithm(setting, measure)), largest)
            style = "--" if measure == "single_fault" else "-"
            axes.plot(
                ks, 1 - found.accuracy, style, color=COLOURS[measure], label=NAMES[measure], lw=1.6
            )
            if measure in ("posterior", "sufficiency"):
                axes.fill_between(
                    ks, 1 - found.high, 1 - found.low, color=COLOURS[measure], alpha=0.13, lw=0
                )
        if {"posterior", "sufficiency"} <= curves.keys():
            saved = error_reduction(curves["posterior"], curves["sufficiency"])
            wrong = curves["posterior"].accuracy < 1.0  # without errors there is nothing to reduce
            axes.plot(
                np.asarray(ks)[wrong],
                saved[wrong],
                ":",
                color="black",
                lw=1.2,
                label="error reduction, sufficiency",
            )
        axes.set(xlabel="k", ylabel="top-k error", xlim=(1, largest))
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.set_xticks([1, *range(5, largest + 1, 5)])
        figure.legend(fontsize=8, loc="outside lower center", ncols=2)

    return draw


def scatter_rows(agents: Sequence[str]) -> int:
    """How many rows of panels the algorithms take."""
    return -(-len(agents) // ACROSS)


def draw_scatter(trials: Sequence[Trial], agents: Sequence[str]) -> Callable[[Any], None]:
    """Each doctor's accuracy against the algorithm shadowing it, with y = x."""

    def draw(figure: Any) -> None:
        across = min(ACROSS, len(agents))
        grid = figure.subplots(
            scatter_rows(agents), across, sharey=True, sharex=True, squeeze=False
        )
        panels = grid.ravel()
        for unused in panels[len(agents) :]:
            unused.set_axis_off()
        low = min(t.accuracy(a) for t in trials for a in (DOCTOR, *agents)) - 0.04
        for axes, agent in zip(panels, agents, strict=False):
            own = np.array([t.accuracy(DOCTOR) for t in trials])
            theirs = np.array([t.accuracy(agent) for t in trials])
            colour = np.where(theirs > own, "#3b6ea5", np.where(theirs < own, "#2f8f5b", "#b3261e"))
            axes.plot([low, 1.0], [low, 1.0], color="#555555", lw=0.9)
            axes.scatter(own, theirs, c=colour, s=20, lw=0)
            axes.set(xlim=(low, 1.01), ylim=(low, 1.01))
            axes.set_title(label(agent), fontsize=9)
            axes.set_aspect("equal")
        figure.supxlabel("doctor's accuracy", fontsize=9)
        figure.supylabel("algorithm's accuracy", fontsize=9)

    return draw


def draw_reliability(rows: Rows, setting: str) -> Callable[[Any], None]:
    """Stated probability against the share that was true, with 95 % intervals."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#555555", lw=0.9)
        for measure, marker in (("posterior", "o"), ("single_fault", "s")):
            own = [r for r in rows if r["setting"] == setting and r["measure"] == measure]
            share = np.array([r["share"] for r in own])
            reach = np.array(
                [[r["share"] - r["share_low"], r["share_high"] - r["share"]] for r in own]
            )
            axes.errorbar(
                [r["mean"] for r in own],
                share,
                yerr=np.clip(reach, 0, None).T,
                fmt=marker + "-",
                color=COLOURS[measure],
                ms=4,
                lw=1,
                capsize=2,
                label=NAMES[measure],
            )
        axes.set(
            xlabel="stated probability", ylabel="share that was true", xlim=(0, 1), ylim=(0, 1)
        )
        axes.set_aspect("equal")
        axes.legend(fontsize=8)

    return draw


def draw_forest(rows: Rows) -> Callable[[Any], None]:
    """Differences in top-k accuracy with their 95 % intervals, one line per comparison."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        lines = [(row, k) for row in rows for k in (1, 5, 10)]
        for place, (row, k) in enumerate(reversed(lines)):
            mean, low, high = (
                100 * row[f"top{k}_{what}"] for what in ("difference", "low", "high")
            )
            colour = colour_of(low, high)
            axes.plot([low, high], [place, place], color=colour, lw=1.5)
            axes.plot([mean], [place], "o", color=colour, ms=4)
        axes.axvline(0.0, color="#555555", lw=0.9)
        axes.set_ylim(-0.7, len(lines) - 0.3)
        names = [f"{pair_name(r['first'], r['second'])}, top {k}" for r, k in reversed(lines)]
        axes.set_yticks(range(len(names)), names, fontsize=7.5)
        axes.set_xlabel("difference in accuracy, percentage points")

    return draw


def colour_of(low: float, high: float) -> str:
    """Green for an interval above no difference, red for one below, grey for one that holds it."""
    return "#2f8f5b" if low > 0.0 else "#b3261e" if high < 0.0 else "#7a7a7a"


def draw_fusion(rows: Rows, measure: str) -> Callable[[Any], None]:
    """Accuracy of doctor, algorithm and fused lists of equal size."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        kept = [r for r in rows if r["agent"] == DOCTOR or measure in r["agent"]]
        for place, row in enumerate(kept):
            agent = row["agent"]
            colour = "#2f8f5b" if agent.startswith("fused") else "#3b6ea5"
            colour = "#7a7a7a" if agent == DOCTOR else colour
            axes.barh(place, 100 * row["accuracy"], color=colour, height=0.62)
            axes.text(
                100 * row["accuracy"] + 0.8, place, f"{100 * row['accuracy']:.1f} %", va="center"
            )
        axes.set_yticks(range(len(kept)), [label(r["agent"]) for r in kept])
        axes.set(xlabel="truth in a list of the doctor's size, %", xlim=(0, 105))
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")

    return draw


def label(agent: str) -> str:
    """An agent's name as a reader would say it.

    >>> label("single_fault, tuned")
    'single-fault posterior (tuned)'
    """
    if agent == DOCTOR:
        return "doctor"
    first, _, rest = agent.partition(", ")
    if first == "fused":
        return f"fused, by {NAMES.get(rest, rest)}"
    return f"{NAMES.get(first, first)} ({rest})" if rest else NAMES.get(first, first)


def pair_name(first: str, second: str) -> str:
    """A comparison in few words: what the two share is said once.

    >>> pair_name("sufficiency, plain", "posterior, plain")
    'plain: sufficiency − posterior'
    >>> pair_name("sufficiency, tuned", "sufficiency, plain")
    'sufficiency: tuned − plain'
    """
    one, _, here = first.partition(", ")
    two, _, there = second.partition(", ")
    one, two = (
        one.replace("single_fault", "single fault"),
        two.replace("single_fault", "single fault"),
    )
    return f"{here}: {one} − {two}" if here == there else f"{one}: {here} − {there}"


def shown_setting(results: Results) -> str:
    """The setting whose figures stand first: the tuned one if there is one."""
    return TUNED if results.tuned else results.study.settings[0].name
