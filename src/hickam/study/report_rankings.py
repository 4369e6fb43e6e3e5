"""The report on rankings: accuracies, positions, paired tests, tuning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hickam.report.page import figure, folded, heading, p_value, percent, section, table, text
from hickam.study.figures import NAMES, draw_forest, draw_top_k, pair_name, save
from hickam.study.provenance import inference_notes
from hickam.study.report_doctors import one_split
from hickam.study.results import GRID, TUNED, Results, Rows
from hickam.study.tables import classes


def first_experiment(results: Results, tables: dict[str, Rows], pictures: Path) -> str:
    """Top-k accuracies, positions, wins and losses, paired tests."""
    parts = [
        text(
            "Each vignette is ranked by each measure; the top-k accuracy is the share of vignettes "
            "with the true disease among the first k. The single-fault posterior assumes exactly "
            "one disease and is always shown: vignettes usually hold one disease, so it is a "
            "strong baseline."
        )
    ]
    for number, setting in enumerate(results.settings):
        svg = save(draw_top_k(results, setting), pictures, f"top_k_{number + 1}", 3.9)
        parts += [heading(f"Setting: {setting}"), _in_words(results, setting)]
        parts.append(
            figure(svg, f"Top-k error, {setting}: lower is better; bands are 95 % intervals.")
        )
        parts.append(_top_table(results, tables, setting))
        parts.append(_class_table(results, tables, setting))
    parts += _paired(results, tables, pictures)
    return section("first", "Experiment 1: where the truth is ranked", *parts)


def _in_words(results: Results, setting: str) -> str:
    """A setting in a sentence."""
    if setting == TUNED:
        plan = results.study.tune
        turns = plan.repeats if plan is not None else 1
        said = f"β and γ chosen per fold by nested cross-validation, mean of {turns} splits."
        return text(said, "soft")
    found = next(s for s in results.study.settings if s.name == setting)
    return text(f"Assumptions: {found.in_words()}.", "soft")


def _top_table(results: Results, tables: dict[str, Rows], setting: str) -> str:
    """The paper's table of accuracies by k."""
    cells = {
        (row["measure"], row["k"]): f"{row['accuracy']:.3f} ± {row['error']:.3f}"
        for row in tables["accuracy"]
        if row["setting"] == setting and row["class"] == "all"
    }
    measures = results.study.all_measures
    ks = range(1, results.study.top + 1)
    shown = [k for k in ks if k in (1, 2, 3, 4, 5, 10, 15, 20)]
    head = ["k", *(NAMES[m] for m in measures)]
    brief = table(
        head,
        ([k, *(cells[m, k] for m in measures)] for k in shown),
        "Top-k accuracy ± standard error",
    )
    full = table(head, ([k, *(cells[m, k] for m in measures)] for k in ks))
    return brief + (folded("Every k", full) if len(shown) < len(ks) else "")


def _class_table(results: Results, tables: dict[str, Rows], setting: str) -> str:
    """Mean position by rareness, and wins, losses and draws against the posterior."""
    groups = list(classes(results))
    measures = results.study.all_measures
    means = {
        (row["measure"], row["class"]): f"{row['mean']:.2f} ± {row['sd']:.2f}"
        for row in tables["mean_position"]
        if row["setting"] == setting
    }
    rows: list[list[object]] = [["vignettes", *(len(m) for m in classes(results).values())]]
    rows += [[f"mean position, {NAMES[m]}", *(means[m, g] for g in groups)] for m in measures]
    for measure in ("sufficiency", "disablement"):
        pair = {
            row["class"]: f"{row['wins']} / {row['losses']} / {row['draws']}"
            for row in tables.get("comparisons", [])
            if (row["first"], row["second"]) == (f"{measure}, {setting}", f"posterior, {setting}")
        }
        if pair:
            rows.append([f"{NAMES[measure]}: wins / losses / draws", *(pair[g] for g in groups)])
    last = results.study.top
    note = f"Position of the truth by rareness; beyond the {last}th place it counts as {last + 1}. "
    return table(["", *groups], rows, note + "Wins are against the posterior.")


def _paired(results: Results, tables: dict[str, Rows], pictures: Path) -> list[str]:
    """Paired tests over all vignettes; those of expected sufficiency first, the rest folded."""
    rows = [row for row in tables.get("comparisons", []) if row["class"] == "all"]
    if not rows:
        return []
    main = [row for row in rows if row["first"].startswith("sufficiency")] or rows
    others = [row for row in rows if row not in main]
    svg = save(draw_forest(main), pictures, "differences", 0.9 + 0.15 * 3 * len(main))
    return [
        heading("Paired comparisons"),
        text(
            "On the same vignettes: exact sign test on positions; difference of top-k accuracies "
            "in percentage points with 95 % intervals, the wider of the bootstrap's and the exact "
            "one that McNemar's test gives; difference of capped mean positions with bootstrap "
            "intervals (below zero: the first ranks the truth higher). Nothing is corrected for "
            f"the number of comparisons.{one_split(results)}"
        ),
        _pair_table(main),
        folded("Exact McNemar p-values", _chance_table(rows)),
        figure(svg, "Differences in accuracy; green and red intervals exclude no difference."),
        folded("The other measures", _pair_table(others)) if others else "",
    ]


def _pair_table(rows: Rows) -> str:
    """One line per comparison."""
    lines = [
        [
            pair_name(row["first"], row["second"]),
            f"{row['wins']} / {row['losses']} / {row['draws']}",
            p_value(row["sign_p"]),
            *(_difference(row, k) for k in (1, 5, 10)),
            f"{row['position_difference']:+.2f} "
            f"[{row['position_low']:+.2f}, {row['position_high']:+.2f}]",
        ]
        for row in rows
    ]
    head = ["", "wins / losses / draws", "sign p", "top 1", "top 5", "top 10", "mean position"]
    return table(head, lines)


def _difference(row: dict[str, Any], k: int) -> str:
    """A difference in accuracy with its interval."""
    points = [100 * row[f"top{k}_{what}"] for what in ("difference", "low", "high")]
    return f"{points[0]:+.1f} [{points[1]:+.1f}, {points[2]:+.1f}]"


def _chance_table(rows: Rows) -> str:
    """Exact McNemar p-values, one line per comparison."""
    lines = [
        [pair_name(row["first"], row["second"])]
        + [p_value(row[f"top{k}_mcnemar_p"]) for k in (1, 3, 5, 10)]
        for row in rows
    ]
    return table(["", "top 1", "top 3", "top 5", "top 10"], lines)


def tuning_section(results: Results, tables: dict[str, Rows]) -> str:
    """What nested cross-validation chose."""
    plan = results.study.tune
    if "tuning" not in tables or plan is None:
        return ""
    rows = [
        [
            NAMES[row["measure"]],
            f"{row['case_mix']:g}",
            f"{row['dial']:g}",
            percent(row["chosen_share"], 0),
        ]
        for row in tables["tuning"]
        if row["rank"] <= 3 and row["chosen_share"] >= 0.01
    ]
    spread = [
        [NAMES[row["measure"]]]
        + [
            f"{100 * row[key]:.1f} ± {100 * row[f'{key}_sd']:.1f}"
            for key in ("top1", "top3", "top5", "top10")
        ]
        + [f"{row['position']:.2f} ± {row['position_sd']:.2f}"]
        for row in tables["tuning"]
        if row["rank"] == 1
    ]
    said = (
        f"{plan.folds}-fold, the setting with the least mean cost ({plan.criterion}) on the other "
        f"folds judges each fold; repeated over {plan.repeats} random splits. Vignettes that hold "
        "one disease each favour a small γ: it is a property of the test set, not a law."
    )
    return section(
        "tuning",
        "Tuning of case mix β and dial γ by nested cross-validation",
        text(said),
        *inference_notes(results, GRID),
        table(
            ["measure", "top 1", "top 3", "top 5", "top 10", "mean position"],
            spread,
            "Held-out accuracy in %, mean ± standard deviation over splits",
        ),
        table(["measure", "β", "γ", "share of folds"], rows, "Chosen most often"),
    )
