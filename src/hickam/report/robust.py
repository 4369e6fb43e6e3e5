"""The robustness statement: how a differential fares when its estimates are drawn anew."""

from __future__ import annotations

from hickam.issues import printable
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.report.terminal import Cell, Terminal
from hickam.trust.robust import PLACES, Robustness
from hickam.words import counted, two_digits


def statement(found: Robustness, network: Model) -> list[str]:
    """The statement in sentences."""
    by, total = two_digits(found.factor), found.draws
    others = [
        f"{printable(network.label(disease))} {count}"
        for disease, count in found.firsts.items()
        if disease != found.leader.disease
    ]
    first = (
        f"With every estimate off by up to a factor {by} on the odds, "
        f"{printable(found.leader.name)} stays first in {found.first_stays} of "
        f"{counted(total, 'draw')}"
    )
    lines = [
        first + (f" (else {', '.join(others)})." if others else "."),
        f"The same five diseases are the first five in {found.five_stay}.",
        f"{found.drawn:,} estimates are drawn independently (seed {found.seed}); "
        f"{found.held:,} numbers with a source, or certain, stay.",
    ]
    if total < found.asked:
        lines.append(f"The time given ended after {total} of {found.asked} draws.")
    return lines


def robust_text(found: Robustness, network: Model, terminal: Terminal) -> str:
    """The statement and where each candidate stands."""
    measure = MEASURES[found.measure]
    rows: list[list[Cell]] = []
    for one in found.standings:
        low, middle, high = map(measure.in_words, one.scores)
        first, last = one.ranks
        rows.append(
            [
                [(str(one.rank), "")],
                [(printable(one.name), "")],
                [(measure.in_words(one.score), "")],
                [(f"{low} – {middle} – {high}", "")],
                [(str(first) if first == last else f"{first} – {last}", "")],
                [(str(one.first), "")],
                [(str(one.among), "")],
            ]
        )
    heads = ("#", "disease", measure.title, "5 % – median – 95 %", "rank", "first", f"in {PLACES}")
    lines = [terminal.paint("Robustness", "bold"), ""]
    lines += terminal.table(heads, rows, right=0, fold=1)
    lines.append("")
    for sentence in statement(found, network):
        lines += terminal.paragraph(sentence)
    return "\n".join(lines)
