"""How many of a doctor's own words the clinic network understands.

Run `python benchmarks/words.py` from the repository. For each half of `tests/golden/words.yaml` it
prints how many phrases are found (a meant entry is among the offers), how many of those have it as
the first offer, how many phrases that the network does not have are answered as if it did, and the
time per search. `--misses` lists the development phrases that went wrong.
"""

import sys
import time
from pathlib import Path

import yaml

import hickam
from hickam.evidence.search import search

WORDS = Path(__file__).parents[1] / "tests" / "golden" / "words.yaml"


def main() -> None:
    network = hickam.load("clinic")
    search(network, "fever")
    halves = yaml.safe_load(WORDS.read_text())
    for half, phrases in halves.items():
        known = {phrase: set(ids) for phrase, ids in phrases.items() if ids}
        begun = time.perf_counter()
        offers = {phrase: [m.id for m in search(network, phrase)] for phrase in phrases}
        each = (time.perf_counter() - begun) / len(phrases)
        found = [p for p, ids in known.items() if ids & set(offers[p])]
        first = [p for p in found if offers[p][0] in known[p]]
        print(
            f"{half:12} {len(known):4} phrases: found {len(found) / len(known):6.1%}, of which "
            f"first {len(first) / len(found):6.1%}; {each * 1e3:.2f} ms each"
        )
        if "--misses" in sys.argv and half == "development":
            for phrase, ids in known.items():
                if phrase not in first:
                    print(f"  {phrase!r}: {offers[phrase][:4]}, meant {sorted(ids)}")


if __name__ == "__main__":
    main()
