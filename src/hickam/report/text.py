"""A differential for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.report.sentences import in_force, nothing_known, speaks_against, was_raised
from hickam.words import percent

if TYPE_CHECKING:
    from rich.console import Console

EXPLAINED = 3
BAR = 12


def console() -> Console:
    """A console as wide as the terminal, never narrower than the table needs."""
    from rich.console import Console

    class Quiet(Console):
        """A console that leaves a closed pipe to whoever started the program."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    made = Quiet(highlight=False)
    return made if made.is_terminal else Quiet(highlight=False, width=100)


def print_differential(
    out: Console, differential: Differential, network: Model, *, explain: bool
) -> None:
    """Print the ranking, what it rests on, and on request why."""
    from rich.markup import escape
    from rich.table import Table

    measure = MEASURES[differential.measure]
    other = MEASURES["posterior" if measure.name != "posterior" else "disablement"]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("disease", overflow="fold")
    table.add_column(measure.title, no_wrap=True)
    table.add_column(f"{other.title} (rank)", no_wrap=True)
    table.add_column("urgency", no_wrap=True)
    top = max((c.score for c in differential), default=0.0)
    for c in differential:
        bar = "█" * round(BAR * c.score / top) if top > 0.0 else ""
        table.add_row(
            f"{c.rank}{'=' if c.tied else ''}",
            c.name,
            f"{_score(c.score)} [cyan]{bar}[/cyan]",
            f"{_score(c.scores[other.name])} "
            f"({c.ranks[other.name]}{_movement(c, measure.name, other.name)})",
            f"[red]{c.urgency}[/red]" if c.urgent else c.urgency,
        )
    out.print(f"[bold]{network.name}[/bold]: ranked by {measure.title}, the {measure.meaning}")
    for line in nothing_known(differential):
        out.print(line)
    for doubt in differential.doubts:
        out.print(f"[yellow]question:[/yellow] {escape(doubt)}")
    out.print()
    out.print(table)
    out.print()
    if explain:
        for c in differential[:EXPLAINED]:
            _print_candidate(out, c, differential)
    if differential.bystanders:
        listed = ", ".join(
            f"{differential.names[d]} {percent(p)}" for d, p in differential.bystanders.items()
        )
        out.print(f"Likely, but explaining none of the findings: {listed}")
    left = {f: p for f, p in differential.unexplained.items() if p >= 0.01}
    if left:
        listed = ", ".join(
            f"{differential.names[f]} {percent(p)}"
            for f, p in sorted(left.items(), key=lambda i: -i[1])
        )
        out.print(f"Not caused by any disease of the network: {listed}")
    out.print(f"[dim]engine {differential.engine}, {differential.accuracy}[/dim]")
    if differential.in_force:
        out.print(f"[dim]{in_force(differential.in_force)}[/dim]")
    for note in differential.accuracy.notes:
        out.print(f"[dim]  {note}[/dim]")
    if network.about.notice:
        out.print(f"[dim]{network.about.notice}[/dim]")
    if network.about.disclaimer:
        out.print(f"[dim]{network.about.disclaimer}[/dim]")


def _score(value: float) -> str:
    """Three decimals, or two digits of a small number that would look like zero."""
    return f"{value:5.3f}" if value == 0.0 or value >= 0.001 else f"{value:5.0e}"


def _movement(candidate: Candidate, measure: str, other: str) -> str:
    """How far the measure moves a candidate against the other ranking."""
    moved = candidate.ranks[other] - candidate.ranks[measure]
    if moved == 0 or (moved > 0 and candidate.score == 0.0):
        return ""
    return f" [green]▲{moved}[/green]" if moved > 0 else f" [yellow]▼{-moved}[/yellow]"


def _print_candidate(out: Console, candidate: Candidate, differential: Differential) -> None:
    """Why a candidate stands where it stands."""
    names = differential.names
    out.print(f"[bold]{candidate.rank}. {candidate.name}[/bold]")
    accounts = dict.fromkeys((*candidate.sustained, *candidate.disabled))
    if accounts:
        out.print("   accounts for            goes away if cured   stays if it is the only cause")
    for finding in accounts:
        kept = candidate.sustained.get(finding, 0.0)
        gone = candidate.disabled.get(finding, 0.0)
        bar = "█" * round(BAR * gone)
        out.print(f"   {names[finding][:22]:22}  {gone:6.1%} {bar:{BAR}}  {kept:6.1%}")
    missed = [names[f] for f in differential.present if f not in accounts]
    if missed:
        out.print(f"   cannot account for: {', '.join(missed)}")
    for line in (*speaks_against(candidate, names), *was_raised(candidate, names)):
        out.print(f"   {line}")
    out.print()
