"""One self-contained HTML report of a study, with its tables and figures."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from hickam.report.page import facts, figure, folded, page, percent, section, table, text
from hickam.study.design import BASELINE
from hickam.study.doctors import DOCTOR
from hickam.study.explain import explained_disagreements
from hickam.study.figures import NAMES, draw_reliability, label, save, shown_setting
from hickam.study.provenance import Provenance, method_section, problems_section, provenance_section
from hickam.study.report_doctors import second_experiment, second_opinion_section
from hickam.study.report_rankings import first_experiment, tuning_section
from hickam.study.results import Results, Rows
from hickam.study.tables import all_tables, write_tables
from hickam.study.tables_doctors import doctor_trials
from hickam.work.parts import write_whole


def write_report(results: Results, folder: Path, provenance: Provenance) -> Path:
    """Write results/*.parquet, figures/*.svg and *.pdf and report.html; the path of the last."""
    tables = all_tables(results)
    write_tables(tables, folder / "results")
    trials = doctor_trials(results)
    pictures = folder / "figures"
    for stale in (*pictures.glob("*.svg"), *pictures.glob("*.pdf")):
        stale.unlink()
    body = [
        _head(results, tables),
        first_experiment(results, tables, pictures),
        tuning_section(results, tables),
        second_experiment(results, trials, tables, pictures),
        second_opinion_section(results, tables, pictures),
        _calibration(results, tables, pictures),
        _safety(results, tables),
        _disagreements(results),
        method_section(results),
        problems_section(results),
        provenance_section(results, provenance),
    ]
    path = folder / "report.html"
    write_whole(path, page(results.study.name, body).encode())
    summary = {
        "study": results.study.name,
        "vignettes": len(results.vignettes),
        "excluded": len(results.excluded),
        "unreadable": results.unreadable,
    }
    said = json.dumps({**summary, **provenance.as_dict()}, indent=1)
    write_whole(folder / "summary.json", said.encode())
    return path


def _accuracy(tables: dict[str, Rows], setting: str, measure: str, k: int) -> float:
    """One top-k accuracy over all vignettes."""
    return next(
        row["accuracy"]
        for row in tables["accuracy"]
        if (row["setting"], row["measure"], row["class"], row["k"]) == (setting, measure, "all", k)
    )


def _head(results: Results, tables: dict[str, Rows]) -> str:
    """Title, the figures that matter most, and the way around."""
    study = results.study
    setting = shown_setting(results)
    left_out = f", {len(results.excluded)} excluded" if results.excluded else ""
    items = [(f"{len(results.vignettes)}", f"vignettes judged{left_out}")]
    over = sum(went.over for went in results.answered)
    if over:
        worst = max(went.largest_error for went in results.answered)
        said = f"answers less exact than asked for (stated errors up to {worst:.2g}); see Method"
        items.append((f"{over}", said))
    if results.settled["unknown"]:
        said = "diseases on doctors' lists that the network does not know; see Doctors"
        items.append((f"{results.settled['unknown']}", said))
    splits = f", mean of {study.tune.repeats} splits" if results.tuned and study.tune else ""
    for measure in (*study.measures, BASELINE):
        if measure in ("posterior", "sufficiency", BASELINE):
            shares = " / ".join(
                f"{100 * _accuracy(tables, setting, measure, k):.1f}"
                for k in (1, 5, 10)
                if k <= study.top
            )
            items.append((shares, f"top 1 / 5 / 10 %, {NAMES[measure]} ({setting}{splits})"))
    if "second_opinion" in tables:
        rows = {row["agent"]: row["accuracy"] for row in tables["second_opinion"]}
        fused = rows[f"fused, {study.second_opinion.measure}"] if study.second_opinion else 0.0
        count = tables["second_opinion"][0]["opinions"]
        said = f"doctors alone → with a second opinion, {count} held-out opinions"
        items.append((f"{percent(rows[DOCTOR])} → {percent(fused)}", said))
    links = [
        *(("first", "Rankings"), ("doctors", "Doctors"), ("fusion", "Second opinion")),
        *(("calibration", "Calibration"), ("safety", "Safety"), ("method", "Method")),
        ("reproduce", "Reproduce"),
    ]
    ways = "".join(f'<a href="#{name}">{title}</a>' for name, title in links)
    return (
        f"<header><h1>{escape(study.name)}</h1>"
        f"{text(study.description, 'soft') if study.description else ''}"
        f"<nav>{ways}</nav></header>{facts(items)}"
    )


def _calibration(results: Results, tables: dict[str, Rows], pictures: Path) -> str:
    """Reliability and Brier scores."""
    rows = tables["calibration"]
    parts = []
    scores = {(r["setting"], r["measure"]): (r["brier"], r["log_loss"]) for r in rows}
    setting = results.study.settings[0].name
    svg = save(draw_reliability(rows, setting), pictures, "calibration", 3.7, 3.9)
    parts.append(figure(svg, f"Reliability over all vignettes and diseases, setting {setting}."))
    lines = [[s, NAMES[m], f"{b:.3f}", f"{loss:.3f}"] for (s, m), (b, loss) in scores.items()]
    parts.append(table(["setting", "probability", "Brier score", "log loss"], lines, words=(0, 1)))
    return section("calibration", "Calibration", *parts)


def _safety(results: Results, tables: dict[str, Rows]) -> str:
    """Urgent truths that were missed, and where errors gather."""
    parts = []
    if "urgent" in tables:
        lines = [
            [label(f"{r['measure']}, {r['setting']}"), r["urgent"]]
            + [
                f"{r[f'missed_top{k}']} ({percent(r[f'missed_top{k}'] / r['urgent'])})"
                for k in (1, 3, 5, 10)
            ]
            for r in tables["urgent"]
        ]
        parts.append(
            table(
                ["", "urgent truths", *(f"missed in top {k}" for k in (1, 3, 5, 10))],
                lines,
                "Vignettes whose truth the network calls urgent or an emergency",
            )
        )
    else:
        parts.append(
            text("The network states no urgency, so urgent misses cannot be counted.", "soft")
        )
    setting = shown_setting(results)
    for what in ("disease", "finding"):
        worst = [
            r
            for r in tables["errors"]
            if (r["setting"], r["measure"], r["what"]) == (setting, "sufficiency", what)
            and r["missed"]
        ][:10]
        if worst:
            lines = [[r["name"], r["vignettes"], r["missed"]] for r in worst]
            parts.append(
                folded(
                    f"Errors by {what}",
                    table(
                        [what, "vignettes", "missed in top 5"],
                        lines,
                        f"Expected sufficiency, {setting}",
                    ),
                )
            )
    return section("safety", "Safety and errors", *parts)


def _disagreements(results: Results) -> str:
    """The vignettes on which the measures differ most."""
    setting = results.study.settings[0]
    rows = explained_disagreements(results, setting)
    if not rows:
        return ""
    lines = [[r["vignette"], r["truth"], r["posterior"], r["sufficiency"], r["why"]] for r in rows]
    return section(
        "disagreements",
        "Where the measures disagree most",
        table(
            ["vignette", "truth", "position, posterior", "position, sufficiency", "why"],
            lines,
            f"Setting {setting.name}",
            words=(0, 1, 4),
        ),
    )
