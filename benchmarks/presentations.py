"""How well the clinic network ranks the disease of each committed presentation.

Run `python benchmarks/presentations.py` from the repository. It prints, per set of stories and per
measure, how often the right disease is first, among the first two and among the first five: with
the whole story, without age, sex, risk factors and duration, and without the one present finding
whose loss hurts that measure most.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import yaml

import hickam

STORIES = Path(__file__).parents[1] / "tests" / "golden" / "clinic_presentations.yaml"
MEASURES = ("posterior", "disablement", "sufficiency")


def case_of(story: dict) -> hickam.Case:
    return hickam.Case(
        present=story["present"],
        absent=story["absent"],
        risks=dict.fromkeys(story["risks"], True),
        categories={"duration": story["duration"]},
        sex=story["sex"],
        age=story["age"],
    )


def findings_only(case: hickam.Case) -> hickam.Case:
    return hickam.Case(present=case.present, absent=case.absent)


def without_one_finding(case: hickam.Case) -> Iterator[hickam.Case]:
    for finding in case.present:
        yield replace(case, present=[other for other in case.present if other != finding])


def worst_ranks(network: hickam.Network, cases: list[hickam.Case], disease: str) -> dict[str, int]:
    """Measure → the disease's worst rank over the cases."""
    found = [
        candidate.ranks
        for case in cases
        for candidate in hickam.diagnose(network, case)
        if candidate.disease == disease
    ]
    return {measure: max(ranks[measure] for ranks in found) for measure in MEASURES}


def main() -> None:
    network = hickam.load("clinic")
    stories = yaml.safe_load(STORIES.read_text("utf-8"))
    views = {
        "whole story": lambda case: [case],
        "findings only": lambda case: [findings_only(case)],
        "one finding lost": lambda case: list(without_one_finding(case)),
    }
    print(f"{'stories':<10} {'n':>4} {'view':<17} {'measure':<12} first  first two  first five")
    for held_out in (False, True):
        chosen = [story for story in stories if bool(story.get("held_out")) == held_out]
        for view, variants in views.items():
            tally: Counter[tuple[str, int]] = Counter()
            for story in chosen:
                ranks = worst_ranks(network, variants(case_of(story)), story["disease"])
                tally.update((m, k) for m in MEASURES for k in (1, 2, 5) if ranks[m] <= k)
            name = "held out" if held_out else "classic"
            for measure in MEASURES:
                first, two, five = (tally[measure, k] for k in (1, 2, 5))
                row = f"{name:<10} {len(chosen):>4} {view:<17} {measure:<12}"
                print(f"{row} {first:>5}  {two:>9}  {five:>10}")


if __name__ == "__main__":
    main()
