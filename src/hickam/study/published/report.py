"""The report of a study of published patients: a page, a table of positions, and plain text."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from html import escape
from pathlib import Path

from hickam.io.csv_sheet import csv_line
from hickam.issues import abridged
from hickam.report.page import code, facts, folded, page, section, table, text
from hickam.study.published.run import Results
from hickam.study.published.tables import (
    GAIN_HEAD,
    HEAD,
    Both,
    Scenario,
    both_found,
    gain_row,
    scenarios,
    share_row,
)
from hickam.work.parts import write_whole

METHOD = (
    "All rankers see the same patients, the same diseases and the same version of the data. "
    "Shares are in per cent of patients, with 95 % intervals from drawing papers anew, and of "
    "papers, each paper counting once. A tie counts its middle place. Excluded findings are not "
    "used by any ranker. LIRICAL's ratio and the similarities are our own implementations, on each "
    "disease's own annotations; 'similarity, merged rows' counts frequencies on annotations merged "
    "with Orphanet's; ours have what kin lend as well. Leaving a paper out drops every row that "
    "cites it."
)


def write_report(results: Results, folder: Path, command: str) -> tuple[Path, str]:
    """Write report.html, positions.csv and results.json; their place, and the figures as text."""
    folder.mkdir(parents=True, exist_ok=True)
    found, pairs = scenarios(results), both_found(results)
    body = [
        f"<header><h1>{escape(results.plan.name)}</h1>{text(results.plan.description)}"
        f"{text(results.notice, 'soft small')}</header>",
        facts((f"{count:,}", what) for what, count in results.counts.items()),
        text(METHOD),
        *(_section(scenario) for scenario in found),
        _pairs_section(results, pairs),
        _calibration(results),
        _provenance(results, command),
    ]
    path = folder / "report.html"
    write_whole(path, page(results.plan.name, body).encode())
    write_whole(folder / "positions.csv", _positions(results).encode())
    write_whole(folder / "results.json", json.dumps(_plain_results(found, pairs)).encode())
    return path, in_text(results, found, pairs)


def in_text(results: Results, found: list[Scenario], pairs: dict[str, Both]) -> str:
    """The figures as plain text."""
    lines = [f"{count:>7,}  {what}" for what, count in results.counts.items()]
    for scenario in found:
        lines += ["", f"{scenario.name}: {scenario.patients} patients, {scenario.papers} papers"]
        lines.append(_line(["top 1 / 3 / 10 of", "patients (95 %)", "", "", "papers", "", ""]))
        lines += [_line(share_row(name, shares)) for name, shares in scenario.shares.items()]
        lines += [
            _line(gain_row(names, gains), 22)
            for names, gains in scenario.gains.items()
            if names[0] == next(iter(scenario.shares))
        ]
    if pairs:
        lines += ["", f"two diseases: {len(results.blends)} patients made of two; in the first 10"]
        lines += [_line(_pair_row(name, both), 20) for name, both in pairs.items()]
    lines += ["", f"a calibrated posterior takes the likelihood ratio to the power {results.power}"]
    return "\n".join(lines)


def _line(cells: list[str], width: int = 14) -> str:
    return f"{cells[0]:44}" + "".join(f"{cell:>{width}}" for cell in cells[1:])


def _section(scenario: Scenario) -> str:
    """One group of patients."""
    title = scenario.name[0].upper() + scenario.name[1:]
    return section(
        scenario.name.replace(" ", "-").replace("'", ""),
        f"{title}: {scenario.patients} patients, {scenario.papers} papers",
        table(HEAD, [share_row(name, shares) for name, shares in scenario.shares.items()]),
        table(GAIN_HEAD, [gain_row(names, gains) for names, gains in scenario.gains.items()]),
    )


def _pair_row(name: str, both: Both) -> list[str]:
    """A ranker's line on patients with two diseases."""
    gain = both.gain
    return [
        name,
        f"{both.both.patients:.1f} ({both.both.low:.0f}–{both.both.high:.0f})",
        f"{both.either:.1f}",
        "" if gain is None else f"{gain.patients:+.1f} ({gain.low:+.1f} to {gain.high:+.1f})",
    ]


def _pairs_section(results: Results, pairs: dict[str, Both]) -> str:
    """Patients with two diseases."""
    if not pairs:
        return ""
    said = (
        f"{len(results.blends)} patients made of two, of different papers that the annotations do "
        "not cite, each with three to eight findings. Both diseases among the first ten, at least "
        "one of them, and the gain in the first on single fault."
    )
    head = ["ranked by", "both", "at least one", "gain of both"]
    rows = [_pair_row(name, both) for name, both in pairs.items()]
    return section("two-diseases", "Two diseases at once", text(said), table(head, rows))


def _calibration(results: Results) -> str:
    """What power of the likelihood ratio fits."""
    said = (
        "Findings come together more than a product of their ratios says. The single-fault "
        f"posterior fits best when the likelihood ratio counts to the power {results.power} (mean "
        "log posterior of the truth, each paper once). Ranking does not change with it."
    )
    rows = [(f"{power:g}", f"{fit:.3f}") for power, fit in results.fits.items()]
    return section("calibration", "Calibration", text(said), table(["power", "mean log"], rows))


def _provenance(results: Results, command: str) -> str:
    """What would make the numbers again."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in results.answered.items())
    plan = asdict(results.plan) | {"patients": Path(results.plan.patients).name}
    problems = [str(issue) for issue in abridged(results.issues)]
    return section(
        "provenance",
        "Provenance",
        code(command),
        text(f"Data: {results.version}. Recipe: {results.recipe.in_words()}."),
        text(f"Plan: {json.dumps(plan)}"),
        text(f"Answers of inference: {kinds}. Sampled ones depend on the time they are given."),
        folded(f"{len(problems)} problems in the input", code("\n".join(problems)))
        if problems
        else "",
    )


def _positions(results: Results) -> str:
    """One line per patient and ranker."""
    heads = ("patient", "paper", "disease", "findings", "cited", "ranker", "place", "without")
    lines = [csv_line(heads)]
    for number, patient in enumerate(results.patients):
        for ranker, places in results.known.items():
            left = results.left[ranker][number]
            cells = (
                patient.id,
                patient.paper,
                results.diseases[patient.disease],
                str(len(patient.terms)),
                "no" if patient.held_out else "yes",
                ranker,
                f"{places[number]:g}",
                f"{left:g}" if math.isfinite(left) else "",
            )
            lines.append(csv_line(cells))
    return "\n".join(lines) + "\n"


def _plain_results(found: list[Scenario], pairs: dict[str, Both]) -> dict[str, object]:
    """All tables as plain values."""
    return {
        "scenarios": [
            {
                "name": scenario.name,
                "patients": scenario.patients,
                "papers": scenario.papers,
                "shares": {k: [asdict(s) for s in v] for k, v in scenario.shares.items()},
                "gains": {
                    " over ".join(k): [asdict(s) for s in v] for k, v in scenario.gains.items()
                },
            }
            for scenario in found
        ],
        "two diseases": {name: asdict(both) for name, both in pairs.items()},
    }
