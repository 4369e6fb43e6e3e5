"""The report on doctors: their shadows, and second opinions."""

from __future__ import annotations

from pathlib import Path

from hickam.report.page import figure, folded, percent, section, table, text
from hickam.study.design import BASELINE
from hickam.study.doctors import DOCTOR, Trial
from hickam.study.figures import draw_fusion, draw_scatter, label, save, scatter_rows, shown_setting
from hickam.study.opinions import in_words
from hickam.study.provenance import inference_notes
from hickam.study.results import FUSION, Results, Rows


def second_experiment(
    results: Results, trials: list[Trial], tables: dict[str, Rows], pictures: Path
) -> str:
    """Doctors and the algorithms shadowing them."""
    title = "Experiment 2: doctors and their shadows"
    least = results.study.minimum_vignettes
    if not trials:
        said = f"No doctor judged at least {least} of these vignettes. "
        said += in_words(results.settled, results.study.outside)
        return section("doctors", title, text(said))
    setting = shown_setting(results)
    measures = [
        m for m in ("posterior", "sufficiency", BASELINE) if m in results.study.all_measures
    ]
    svg = save(
        draw_scatter(trials, [f"{m}, {setting}" for m in measures]),
        pictures,
        "doctors",
        2.5 * scatter_rows(measures) + 0.3,
    )
    agents = [DOCTOR, *(f"{m}, {setting}" for m in results.study.all_measures)]
    found = {(row["agent"], row["other"]): row for row in tables["standings"]}
    lines = []
    for agent in agents:
        first = found[agent, agents[1] if agent == DOCTOR else DOCTOR]
        cells = [
            "–"
            if agent == other
            else f"{found[agent, other]['at_least']} ({found[agent, other]['surely']})"
            for other in agents
        ]
        accuracy = f"{100 * first['accuracy']:.2f} ± {100 * first['error']:.2f}"
        lines.append([label(agent), accuracy, *cells])
    every = [
        [number, trial.vignettes, f"{trial.size:.2f}"]
        + [f"{trial.accuracy(a):.3f} ± {trial.error(a):.3f}" for a in agents]
        for number, trial in enumerate(trials)
    ]
    return section(
        "doctors",
        title,
        text(
            f"{len(trials)} doctors with at least {least} vignettes each. For every vignette an "
            f"algorithm gives a list of the doctor's own size.{one_split(results)}"
        ),
        text(in_words(results.settled, results.study.outside)) if results.settled else "",
        figure(svg, "Each point is a doctor; above the line the algorithm is ahead."),
        table(
            ["", "accuracy %", *(f"N ≥ {label(a)}" for a in agents)],
            lines,
            "Trials with the same or higher accuracy; in brackets, to 95 % confidence by a "
            "one-sided binomial test",
        ),
        _difficulty(tables, agents),
        folded(
            "Every doctor", table(["doctor", "vignettes", "list size", *map(label, agents)], every)
        ),
    )


def _difficulty(tables: dict[str, Rows], agents: list[str]) -> str:
    """Doctors and algorithms by how hard other doctors find the vignette."""
    rows = tables.get("difficulty", [])
    if not rows:
        return ""
    names = list(dict.fromkeys(row["difficulty"] for row in rows))
    found = {(row["difficulty"], row["agent"]): row for row in rows}
    lines = [
        [name, found[name, DOCTOR]["opinions"]]
        + [percent(found[name, agent]["accuracy"]) for agent in agents]
        for name in names
    ]
    note = "Accuracy by how many of the other doctors miss the truth of the same vignette"
    moves = [
        f"{label(a)} {found[names[0], a]['correlation_with_doctors']:+.2f} and "
        f"{found[names[0], a]['correlation_of_lead']:+.2f}"
        for a in agents
        if found[names[0], a]["correlation_with_doctors"] is not None
    ]
    said = (
        "Over doctors, the correlation of an algorithm's accuracy with the doctor's, and of its "
        f"lead with the mean of both (below zero: ahead on hard sets): {'; '.join(moves)}."
    )
    head = ["", "opinions", *map(label, agents)]
    return table(head, lines, note) + (text(said) if moves else "")


def _left_out(results: Results) -> str:
    """How many opinions could not be judged, if any."""
    count = results.fusion.left_out if results.fusion is not None else 0
    if not count:
        return ""
    why = "no other doctor judged another vignette"
    return f" Opinions left out for all alike because {why}: {count}."


def one_split(results: Results) -> str:
    """A sentence on which of the random splits stands behind single rankings, if there are any."""
    if not results.tuned:
        return ""
    return " Tuned rankings are those of the first random split."


def second_opinion_section(results: Results, tables: dict[str, Rows], pictures: Path) -> str:
    """Doctor, algorithm and both."""
    fusion = results.study.second_opinion
    if "second_opinion" not in tables or fusion is None:
        return ""
    rows = tables["second_opinion"]
    svg = save(draw_fusion(rows, fusion.measure), pictures, "second_opinion", 1.9)
    lines = [
        [
            label(row["agent"]),
            percent(row["accuracy"]),
            *(
                f"{100 * row[f'minus_{o}']:+.1f} "
                f"[{100 * row[f'{o}_low']:+.1f}, {100 * row[f'{o}_high']:+.1f}]"
                for o in ("doctor", "fused")
            ),
        ]
        for row in rows
    ]
    pooled = tables["position_weights"][-1]
    ratios = ", ".join(f"{value / pooled['unlisted']:.3g}" for value in pooled["listed"])
    return section(
        "fusion",
        "Second opinion: the doctor's list as evidence",
        text(
            f"A doctor's list becomes a likelihood ratio per position. The ratios used on an "
            f"opinion come only from other doctors and other vignettes ({fusion.folds} × "
            f"{fusion.folds} folds). Every list has the doctor's own size. Intervals resample "
            f"doctors and vignettes.{_left_out(results)}{one_split(results)}"
        ),
        *inference_notes(results, FUSION),
        figure(svg, f"{rows[0]['opinions']} held-out opinions."),
        table(["", "accuracy", "minus doctor, points", "minus fused, points"], lines),
        text(
            f"Ratios fitted to all opinions, for positions 1, 2, … relative to an unlisted "
            f"disease: {ratios} ({pooled['fit']}). A sharpness below 1 says that the network is "
            "surer of itself than it should be; the ratios make up for that, so they belong to "
            "this network.",
            "small soft",
        ),
    )
