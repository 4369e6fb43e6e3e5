"""How often the clinic network finds the diseases of patients described in a doctor's own words.

Run `python benchmarks/vignettes.py [network] [vignettes]` from the repository. The vignettes were
written before their author had seen the network (`tests/golden/clinic_vignettes.yaml`), and so was
the second set, written after the first revision (`clinic_vignettes_held.yaml`); the author of the
third (`clinic_vignettes_third.yaml`) knew it. Each later file says what its author knew. "mapped"
takes the ids that a person chose for the words, "in words" the first offer of the search for each
word. A word without an id, or one that the network does not have, is left out and counted; a
disease that the network does not have counts as missed.

`--misses` also prints each patient whose diseases are not all where they should be.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

import hickam
from hickam.language.search import search

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
MEASURES = ("posterior", "disablement", "sufficiency")
FIRST = (1, 3, 5)


@dataclass
class Words:
    """Words of the vignettes, and how many of them became a node of the network."""

    said: int = 0
    found: int = 0


def mapped(network: hickam.Network, vignette: dict, words: Words) -> hickam.Case:
    """The patient in the ids that a person chose."""
    known = {*network.findings, *network.risk_factors}
    ids = {}
    for part in ("risks", "present", "absent"):
        chosen = vignette["mapped"][part]
        ids[part] = [node for node in chosen if node in known]
        words.said += len(chosen)
        words.found += len(ids[part])
    return case_of(vignette, **ids)


def in_words(network: hickam.Network, vignette: dict, words: Words) -> hickam.Case:
    """The patient in what the search offers first for each word."""
    ids = {}
    for part, kind in (("risks", "risk factor"), ("present", "finding"), ("absent", "finding")):
        offers = [search(network, word, (kind,), limit=1) for word in vignette[part]]
        ids[part] = [match.id for offer in offers for match in offer]
        words.said += len(offers)
        words.found += len(ids[part])
    return case_of(vignette, **without_contradictions(network, **ids))


def without_contradictions(network: hickam.Network, **ids: list) -> dict[str, list]:
    """The ids without an absent finding of which a present one is a kind: a word misunderstood."""
    wider = set()
    for finding in ids["present"]:
        while finding := network.entries[finding].is_a:
            wider.add(finding)
    return {**ids, "absent": [finding for finding in ids["absent"] if finding not in wider]}


def case_of(vignette: dict, *, risks: list, present: list, absent: list) -> hickam.Case:
    shown = set(present)
    return hickam.Case(
        present=list(dict.fromkeys(present)),
        absent=[node for node in dict.fromkeys(absent) if node not in shown],
        risks=dict.fromkeys(risks, True),
        sex=vignette["sex"],
        age=vignette["age"],
    )


def ranks_of(network: hickam.Network, case: hickam.Case, diseases: list[list[str]]) -> dict:
    """Measure → the rank of each disease, the best of those that would do; 999 if not there."""
    found = {c.disease: c.ranks for c in hickam.diagnose(network, case)}
    missed = dict.fromkeys(MEASURES, 999)
    return {
        measure: [min(found.get(d, missed)[measure] for d in choices) for choices in diseases]
        for measure in MEASURES
    }


def report(network: hickam.Network, vignettes: Sequence[dict], title: str, misses: bool) -> None:
    several = [v for v in vignettes if len(v["truth"]) > 1]
    one = [v for v in vignettes if len(v["truth"]) == 1]
    for view, reader in (("mapped", mapped), ("in words", in_words)):
        if view == "mapped" and "present" not in vignettes[0]["mapped"]:
            continue  # nobody chose ids for its words
        words = Words()
        for kind, chosen in (("one", one), ("several", several)):
            tally: Counter[tuple[str, int]] = Counter()
            for vignette in chosen:
                case = reader(network, vignette, words)
                ranks = ranks_of(network, case, vignette["mapped"]["diseases"])
                # Of several diseases all must be there, so as many more places are allowed.
                spare = len(vignette["truth"]) - 1
                tally.update((m, k) for m in MEASURES for k in FIRST if max(ranks[m]) <= k + spare)
                if misses and max(ranks["disablement"]) > 1 + spare:
                    print(f"    {view}: {vignette['id']} {ranks['disablement']}")
            for measure in MEASURES if chosen else ():
                shares = "".join(f"{100 * tally[measure, k] / len(chosen):>8.0f}" for k in FIRST)
                print(f"{title:<9} {view:<9} {kind:<8} {len(chosen):>4} {measure:<12}{shares}")
        print(f"{title:<9} {view:<9} words found: {words.found} of {words.said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", nargs="?", default="clinic")
    parser.add_argument("vignettes", nargs="*", type=Path)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    network = hickam.load(asked.network)
    sets = {path.stem: path for path in asked.vignettes} or {
        "first": GOLDEN / "clinic_vignettes.yaml",
        "held": GOLDEN / "clinic_vignettes_held.yaml",
        "third": GOLDEN / "clinic_vignettes_third.yaml",
        "fourth": GOLDEN / "clinic_vignettes_fourth.yaml",
        "fifth": GOLDEN / "clinic_vignettes_fifth.yaml",
        "sixth": GOLDEN / "clinic_vignettes_sixth.yaml",
        "seventh": GOLDEN / "clinic_vignettes_seventh.yaml",
        "eighth": GOLDEN / "clinic_vignettes_eighth.yaml",
    }
    print(f"{'set':<9} {'view':<9} {'diseases':<8} {'n':>4} {'measure':<12} % in first 1, 3, 5")
    for title, path in sets.items():
        if path.exists():
            report(network, yaml.safe_load(path.read_text("utf-8")), title, asked.misses)


if __name__ == "__main__":
    main()
