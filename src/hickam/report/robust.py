"""The robustness statement: how a differential fares when its estimates are drawn anew."""

from __future__ import annotations

from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.report.terminal import Cell, Terminal
from hickam.trust.robust import PLACES, Robustness
from hickam.words import counted, two_digits


def statement(found: Robustness, network: Model) -> list[str]:
    """The statement in sentences."""
    by, total = two_digits(found.factor), found.draws
    others = [
        f"{network.label(disease)} {count}"
        for disease, count in found.firsts.items()
        if disease != found.leader.disease
    ]
    first = (
        f"With every estimate off by up to a factor {by} on the odds, "
        f"{found.leader.name} stays first in {found.first_stays} of "
        f"{counted(total, 'draw')}"
    )
    lines = [
        first + (f" (otherwise {', '.join(others)})." if others else "."),
        f"The same {counted(found.leading, 'disease')} lead in {found.five_stay}, in any order.",
        f"{found.drawn:,} estimates are drawn independently (seed {found.seed}); "
        f"{found.held:,} numbers that are cited, or certain, stay.",
    ]
    if found.sampled:
        rough = counted(found.sampled, "draw")
        lines.append(f"{rough} could only be sampled: part of the movement is noise.")
    if total < found.asked:
        lines.append(f"The time given ended after {total} of {found.asked} draws.")
    return lines


STANDING_HEADS = ("disease", "score", "5 % – median – 95 %", "rank", "first", f"in {PLACES}")


def standings(found: Robustness) -> list[tuple[str, ...]]:
    """Where each candidate stands, a row each, under `STANDING_HEADS`."""
    measure = MEASURES[found.measure]
    rows: list[tuple[str, ...]] = []
    for one in found.standings:
        low, middle, high = map(measure.in_words, one.scores)
        first, last = one.ranks
        rows.append(
            (
                one.name,
                measure.in_words(one.score),
                f"{low} – {middle} – {high}",
                str(first) if first == last else f"{first} – {last}",
                str(one.first),
                str(one.among),
            )
        )
    return rows


def robust_text(found: Robustness, network: Model, terminal: Terminal) -> str:
    """The statement and where each candidate stands."""
    rows: list[list[Cell]] = [
        [[(str(one.rank), "")], *([(cell, "")] for cell in cells)]
        for one, cells in zip(found.standings, standings(found), strict=True)
    ]
    lines = [terminal.paint("Robustness", "bold"), ""]
    lines += terminal.table(("#", *STANDING_HEADS), rows, right=0, fold=1)
    lines.append("")
    for sentence in statement(found, network):
        lines += terminal.paragraph(sentence)
    return "\n".join(lines)
