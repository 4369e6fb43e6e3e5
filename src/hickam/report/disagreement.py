"""Which numbers experts should talk about first, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hickam.report.terminal import Cell, Terminal
from hickam.trust.disagreement import Disagreement, Dispute
from hickam.trust.pool import METHODS
from hickam.words import chance, counted, percent, two_digits


def disagreement_text(found: Disagreement, top: int, terminal: Terminal) -> str:
    """The numbers by what their dispute does, and what each expert's network would say."""
    pool = found.pool
    title = f"{pool.network.name}: {counted(len(pool.opinions), 'number')} pooled"
    lines = terminal.paragraph(f"{title}, {METHODS[pool.method]}", "bold")
    rows: list[list[Cell]] = []
    for place, dispute in enumerate(found.disputes[:top], 1):
        said = ", ".join(f"{n} {chance(c.acts)}" for n, c in dispute.opinions.chances.items())
        before = dispute.opinions.present
        rows.append(
            [
                [(str(place), "")],
                [(f"{dispute.opinions.in_words(pool.network)}: {said}", "")],
                [("new" if before is None else chance(before.acts), "")],
                [(chance(dispute.pooled.acts), "")],
                [(percent(dispute.moved), "")],
                [(f"{dispute.turned} of {found.cases}", "")],
                [(_spread(dispute), "")],
            ]
        )
    heads = ("#", "number, and who says what", "was", "pooled", "moves", "first changes", "spread")
    lines += ["", "Worth discussing first:", *terminal.table(heads, rows, right=0, fold=1), ""]
    for sentence in sentences(found):
        lines += terminal.paragraph(sentence)
    return "\n".join(lines)


def sentences(found: Disagreement) -> Iterator[str]:
    """What the columns mean, an example, each expert, and what was not pooled."""
    pool, network = found.pool, found.pool.network
    yield (
        f"moves: the share of the {found.measure} of all diseases that changes hands when one "
        f"expert's number takes the place of the pooled one, on average over "
        f"{counted(found.cases, 'case')} and the experts. first changes: cases in which somebody's "
        "number puts another disease first. spread: largest odds over the smallest."
    )
    if found.refused:
        yield f"{counted(found.refused, 'case')} could not be answered and do not count."
    worst = found.disputes[0] if found.disputes else None
    if worst is not None and worst.example is not None:
        example = worst.example
        present = ", ".join(network.label(f).lower() for f in example.present)
        label = worst.opinions.in_words(network)
        if example.before != example.after:
            after, before = (network.label(d) for d in (example.after, example.before))
            yield (
                f"For example {label}: with {present}, the number of {example.expert} "
                f"puts {after} first instead of {before}."
            )
    for expert, share in found.agree.items():
        spoken = sum(expert in one.chances for one in pool.opinions)
        yield (
            f"{expert} ({counted(spoken, 'number')}): all their numbers together give "
            f"the same first disease as the pool in {percent(share)} of the cases."
        )
    for one in pool.opinions:
        if one.key in pool.raised:
            yield (
                f"{one.in_words(network)}: {chance(pool.raised[one.key].acts)} in the "
                f"network and not the pooled {chance(pool.pooled[one.key].acts)}, because the "
                "kinds of the finding come to that; ask for their numbers too."
            )
    for one in pool.proposals:
        said = ", ".join(f"{n} {chance(c.acts)}" for n, c in one.chances.items())
        yield (
            f"proposed, not added: {one.in_words(network)} ({said}) is no "
            "link of the network; --add adds it."
        )


def _spread(dispute: Dispute) -> str:
    spread = dispute.opinions.spread
    return "certain – not" if spread == float("inf") else f"× {two_digits(spread)}"
