"""A differential for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hickam.issues import printable
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.report.sentences import in_force, nothing_known, speaks_against, was_raised
from hickam.report.terminal import Cell, Terminal
from hickam.words import percent

EXPLAINED = 3
BAR = 12
WORDS = 66  # columns that names and numbers need before there is room for bars


def differential_text(
    differential: Differential,
    network: Model,
    terminal: Terminal,
    *,
    explain: bool,
    remarks: Sequence[str] = (),
) -> str:
    """The ranking, remarks on it, what it rests on, and on request why."""
    measure = MEASURES[differential.measure]
    title = f"{network.name}: ranked by {measure.title}, the {measure.meaning}"
    lines = [*terminal.paragraph(title, "bold"), *nothing_known(differential)]
    for doubt in differential.doubts:
        lines += terminal.paragraph(f"question: {doubt}", "yellow")
    lines += ["", *_table(differential, terminal), ""]
    if explain:
        for candidate in differential[:EXPLAINED]:
            lines += _candidate(candidate, differential, terminal)
    for remark in remarks:
        lines += terminal.paragraph(remark) if remark else [""]
    if differential.bystanders:
        listed = _listed(differential, differential.bystanders)
        lines += terminal.paragraph(f"Likely, but explaining none of the findings: {listed}")
    left = {f: p for f, p in differential.unexplained.items() if p >= 0.01}
    if left:
        listed = _listed(differential, dict(sorted(left.items(), key=lambda item: -item[1])))
        lines += terminal.paragraph(f"Not caused by any disease of the network: {listed}")
    basis = [f"engine {differential.engine}, {differential.accuracy}"]
    if differential.in_force:
        basis.append(in_force(differential.in_force))
    basis += [f"  {note}" for note in differential.accuracy.notes]
    said = f"{network.about.notice}\n{network.about.disclaimer}".strip()
    for line in (*basis, *said.splitlines()):
        lines += terminal.paragraph(line, "dim")
    return "\n".join(lines)


def _table(differential: Differential, terminal: Terminal) -> list[str]:
    """The ranked diseases, a line each."""
    measure = MEASURES[differential.measure]
    other = MEASURES["posterior" if measure.name != "posterior" else "disablement"]
    top = max((c.score for c in differential), default=0.0)
    longest = min(BAR, max(0, terminal.width - WORDS))
    rows: list[list[Cell]] = []
    for c in differential:
        bar = "█" * round(longest * c.score / top) if top > 0.0 else ""
        rank, moved = f"{_score(c.scores[other.name])} ({c.ranks[other.name]}", c.ranks[other.name]
        rows.append(
            [
                [(f"{c.rank}{'=' if c.tied else ''}", "")],
                [(c.name, "")],
                [(f"{_score(c.score)} ", ""), (bar, "cyan")],
                [(rank, ""), _movement(c, moved - c.ranks[measure.name]), (")", "")],
                [(c.urgency, "red" if c.urgent else "")],
            ]
        )
    heads = ("#", "disease", measure.title, f"{other.title} (rank)", "urgency")
    return terminal.table(heads, rows, right=0, fold=1)


def _listed(differential: Differential, chances: Mapping[str, float]) -> str:
    """Names with their chances, in words."""
    return ", ".join(f"{differential.names[n]} {percent(p)}" for n, p in chances.items())


def _score(value: float) -> str:
    """Three decimals, or two digits of a small number that would look like zero."""
    return f"{value:5.3f}" if value == 0.0 or value >= 0.001 else f"{value:5.0e}"


def _movement(candidate: Candidate, moved: int) -> tuple[str, str]:
    """How far the measure moves a candidate against the other ranking, and its colour."""
    if moved == 0 or (moved > 0 and candidate.score == 0.0):
        return "", ""
    return (f" ▲{moved}", "green") if moved > 0 else (f" ▼{-moved}", "yellow")


def _candidate(candidate: Candidate, differential: Differential, terminal: Terminal) -> list[str]:
    """Why a candidate stands where it stands."""
    names = differential.names
    lines = [terminal.paint(f"{candidate.rank}. {candidate.name}", "bold")]
    accounts = dict.fromkeys((*candidate.sustained, *candidate.disabled))
    if accounts:
        lines.append(
            "   accounts for            goes away if cured   stays if it is the only cause"
        )
    for finding in accounts:
        kept = candidate.sustained.get(finding, 0.0)
        gone = candidate.disabled.get(finding, 0.0)
        bar = "█" * round(BAR * gone)
        name = printable(names[finding])[:22]
        lines.append(f"   {name:22}  {gone:6.1%} {bar:{BAR}}  {kept:6.1%}")
    missed = [names[f] for f in differential.present if f not in accounts]
    if missed:
        lines += terminal.paragraph(f"   cannot account for: {', '.join(missed)}")
    for line in (*speaks_against(candidate, names), *was_raised(candidate, names)):
        lines += terminal.paragraph(f"   {line}")
    return [*lines, ""]
