"""Two diseases at once, for the terminal."""

from __future__ import annotations

from hickam.advise.pairs import Pairs
from hickam.words import counted, number, percent

NAME = 32  # characters of a finding's name


def pairs_in_words(pairs: Pairs) -> list[str]:
    """The pairs, what goes with each of the two, and what is left over without it."""
    if not len(pairs):
        return ["No two diseases explain the findings together."]
    lines = [
        f"Two diseases at once, of the {len(pairs.considered)} that explain most "
        "(shares are given that both are there):"
    ]
    for place, pair in enumerate(pairs, 1):
        one, other = pair.names
        lines.append("")
        lines.append(f"{place}. {one} + {other}: both {percent(pair.chance)}")
        lines.append(
            f"   {'finding':{NAME}}  {'first':>8} {'second':>8} {'both':>8} {'neither':>8}"
        )
        for finding in pair.together:
            shares = " ".join(f"{percent(share):>8}" for share in pair.share(finding))
            lines.append(f"   {pairs.labels[finding][:NAME]:{NAME}}  {shares}")
        total = counted(len(pair.together), "finding")
        for which, name in enumerate(pair.names):
            left = number(sum(pair.left(which).values()))
            lines.append(f"   with {name} cured, {left} of {total} are left over")
    return [*lines, "", f"pairs: {pairs.accuracy}"]
