"""What an answer hangs on: a tornado of bars for the terminal, and the sentences below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hickam.measures.scores import MEASURES
from hickam.report.terminal import Cell, Terminal
from hickam.trust.sensitivity import Effect, Sensitivity, Turn
from hickam.words import chance, counted, factor, two_digits

HALF = 12  # columns of a bar on one side, where there is room
LEAST = 4  # and where there is little
WORDS = 76  # columns that names and numbers need before there is room for bars
RANGES = 86  # columns from which on the range of a number is shown
NEAREST = 3  # turns that are told where none is within the factor


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a tornado; ends between -1 and 1, 0 is the score as it is."""

    label: str
    value: str  # the number as it stands, and its range
    divided: float
    multiplied: float
    scores: tuple[str, str]  # with the odds divided and multiplied
    ranks: tuple[int, int]
    estimate: bool

    @property
    def rank(self) -> str:
        """The ranks at both ends, or the one that stays."""
        first, second = self.ranks
        return str(first) if first == second else f"{first} – {second}"


def bars(found: Sensitivity, top: int) -> list[Bar]:
    """The strongest numbers as bars, the longest first."""
    shown = found.effects[:top]
    ends = [abs(end - found.score) for effect in shown for end in (effect.low, effect.high)]
    widest = max(ends, default=0.0) or 1.0
    measure = MEASURES[found.measure]
    return [
        Bar(
            effect.number.in_words(found.network),
            f"{chance(effect.number.value)} ({' – '.join(map(chance, effect.range))})",
            (effect.low - found.score) / widest,
            (effect.high - found.score) / widest,
            (measure.in_words(effect.low), measure.in_words(effect.high)),
            effect.ranks,
            effect.number.estimate,
        )
        for effect in shown
    ]


def title(found: Sensitivity) -> str:
    """What the picture shows."""
    measure, name = MEASURES[found.measure], found.network.label(found.candidate)
    score = measure.in_words(found.score)
    return f"What the {measure.title} of {name} ({score}, rank {found.rank}) hangs on"


def sensitivity_text(found: Sensitivity, top: int, terminal: Terminal) -> str:
    """The tornado and what it says."""
    rows: list[list[Cell]] = []
    half = max(LEAST, min(HALF, (terminal.width - WORDS) // 2))
    ranges = terminal.width >= RANGES
    for bar in bars(found, top):
        left, right = _halves(bar, half)
        rows.append(
            [
                [(bar.label, "")],
                [(bar.value if ranges else bar.value.split(" (")[0], "")],
                [*left, ("│", "dim"), *right],
                [(bar.scores[0], "")],
                [(bar.scores[1], "")],
                [(bar.rank, "")],
            ]
        )
    by = two_digits(found.factor)
    scale = f"{'less':<{half}}│{'more':>{half}}"
    value = f"value (odds ÷ {by} – × {by})" if ranges else "value"
    heads = ("number", value, scale, f"░ ÷ {by}", f"█ × {by}", "rank")
    lines = [*terminal.paragraph(title(found), "bold"), ""]
    lines += terminal.table(heads, rows, right=3, fold=0)
    lines.append("")
    for sentence in sentences(found):
        lines += terminal.paragraph(sentence)
    basis = f"engine {found.engine}, {found.accuracy}"
    return "\n".join([*lines, *terminal.paragraph(basis, "dim")])


def sentences(found: Sensitivity) -> Iterator[str]:
    """What follows from the picture, and how far it was looked."""
    leader, by = found.network.label(found.leader), two_digits(found.factor)
    decisive = found.decisive
    if decisive:
        yield (
            f"{counted(len(decisive), 'number')} within a factor {by} "
            f"{'takes' if len(decisive) == 1 else 'take'} the first place from {leader}: "
            + "; ".join(of_turn(found, effect, found.factor) for effect in decisive[:NEAREST])
            + (f"; and {len(decisive) - NEAREST} more." if len(decisive) > NEAREST else ".")
        )
    elif found.settled:
        yield f"No single number within a factor {by} takes the first place from {leader}."
    else:
        yield f"None of the numbers examined, within a factor {by}, puts another before {leader}."
    if not decisive:
        far = [(effect, turn) for effect in found.effects for turn in effect.turns]
        if far:
            nearest = min(far, key=lambda pair: abs(float(np.log(pair[1].odds))))
            yield f"The nearest that would: {_turn(found, *nearest)}."
    rest = found.numbers - len(found.effects)
    if rest and found.left > found.score:
        yield (
            f"{counted(found.numbers, 'number')} bear on this case; the time given was enough to "
            f"examine the {len(found.effects)} that promise most."
        )
    elif rest:
        bound = MEASURES[found.measure].in_words(found.left)
        yield (
            f"{counted(found.numbers, 'number')} bear on this case; {len(found.effects)} were "
            f"examined, and none of the other {rest} moves this score by more than {bound}."
        )
    else:
        yield f"All {counted(found.numbers, 'number')} that bear on this case were examined."
    yield "Numbers are those of the network for this patient; one moves at a time, the others stay."


def of_turn(found: Sensitivity, effect: Effect, within: float) -> str:
    """Where the first place changes hands by one number, the nearest value."""
    turn = min(effect.near(within), key=lambda turn: abs(float(np.log(turn.odds))))
    return _turn(found, effect, turn)


def _turn(found: Sensitivity, effect: Effect, turn: Turn) -> str:
    """One value of a number, and who is first from there on."""
    label = effect.number.in_words(found.network)
    way = "at" if turn.odds < 1.0 else "from"
    side = " or below" if turn.odds < 1.0 else " on"
    name = found.network.label(turn.disease)
    now = f"now {chance(effect.number.value)}, odds {factor(turn.odds)}"
    return f"{label} {way} {chance(turn.value)}{side} ({now}) puts {name} first"


def _halves(bar: Bar, half: int) -> tuple[Cell, Cell]:
    """The two halves of a bar: light where the odds are divided, dark where multiplied."""
    left: list[tuple[str, str]] = [(" " * half, "")]
    right: list[tuple[str, str]] = [(" " * half, "")]
    for end, mark, style in ((bar.divided, "░", ""), (bar.multiplied, "█", "cyan")):
        size = max(round(half * abs(end)), 1) if abs(end) > 1e-3 else 0
        if end < 0.0:
            left = [(" " * (half - size), ""), (mark * size, style)]
        elif end > 0.0:
            right = [(mark * size, style), (" " * (half - size), "")]
    return left, right
