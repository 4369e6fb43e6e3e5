"""Records of patients by index: what is known of each, alike ones counted together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from hickam.model.is_a import kinds_of
from hickam.model.network import Floats, Ints, Network

States = npt.NDArray[np.int8]  # 1: present, 0: absent, UNKNOWN
UNKNOWN = -1
DIGITS = 32  # of a digest that are kept


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What is known of each patient of one network; missing is `UNKNOWN`."""

    risks: States  # [record, risk factor]
    diseases: States  # [record, disease]
    findings: States  # [record, finding]
    person: Ints  # [record]  position in `people`
    people: tuple[tuple[str | None, float | None], ...]  # (sex, age)
    counts: Floats  # [record]  patients who are alike
    lines: Ints  # [record]  where the first of them stands in the file

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def patients(self) -> int:
        """How many patients there are."""
        return int(self.counts.sum())

    def take(self, chosen: npt.NDArray[np.int64] | npt.NDArray[np.bool_] | slice) -> Records:
        """Some of the records."""
        return replace(
            self,
            risks=self.risks[chosen],
            diseases=self.diseases[chosen],
            findings=self.findings[chosen],
            person=self.person[chosen],
            counts=self.counts[chosen],
            lines=self.lines[chosen],
        )


def together(records: Records) -> Records:
    """The records with those that say the same counted together, in the order of the first."""
    if not len(records):
        return records
    person = np.ascontiguousarray(records.person, dtype=np.int64).view(np.int8)
    table = np.hstack(
        [records.risks, records.diseases, records.findings, person.reshape(len(records), -1)]
    )
    rows = np.ascontiguousarray(table).view(np.dtype((np.void, table.shape[1]))).ravel()
    _, first, where = np.unique(rows, return_index=True, return_inverse=True)
    counts: Floats = np.bincount(where.ravel(), records.counts, len(first)).astype(np.float64)
    order = np.argsort(first, kind="stable")
    kept = records.take(first[order])
    return replace(kept, counts=counts[order])


def digest_of(records: Records) -> str:
    """A digest of what the records say, whatever their order."""
    found = together(records)
    people = [repr(found.people[person]).encode() for person in found.person.tolist()]
    table = np.hstack([found.risks, found.diseases, found.findings])
    counts = found.counts.astype(np.int64).tolist()
    rows = zip(people, map(bytes, table), counts, strict=True)
    return sha256(repr(sorted(rows)).encode()).hexdigest()[:DIGITS]


def split(records: Records, share: float, rng: np.random.Generator) -> tuple[Records, Records]:
    """(records to learn from, records held out): that share of the patients, drawn by chance."""
    counts = records.counts.astype(np.int64)
    wanted = round(share * records.patients)
    held = rng.multivariate_hypergeometric(counts, wanted, method="marginals").astype(np.float64)
    kept = records.counts - held
    learnt, out = replace(records, counts=kept), replace(records, counts=held)
    return learnt.take(kept > 0.0), out.take(held > 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The findings of records as what is absent and groups of which at least one is present.

    An atom is a finding without its kinds. A finding that is absent has all its kinds absent. One
    that is present although no kind of it is known to be: itself or one of the kinds that may be.
    """

    absent_start: Ints  # [record + 1]
    absent: Ints  # atoms
    group_start: Ints  # [record + 1]
    atom_start: Ints  # [group + 1]
    atoms: Ints


def atoms_of(network: Network, findings: States) -> Atoms:
    """The findings of records by atom; `contradictions` have been refused before."""
    kinds = kinds_of(network)
    known = findings.copy()
    for finding, below in kinds.below.items():  # nothing of what is absent is present
        gone = findings[:, finding] == 0
        for kind in below:
            known[gone, kind] = 0
    size = len(findings)
    absent = known == 0
    groups = known == 1
    for finding, below in kinds.below.items():  # a kind that is present says all
        groups[:, finding] &= ~(known[:, list(below)] == 1).any(axis=1)
    record, atom = np.nonzero(absent)
    absent_start = np.searchsorted(record, np.arange(size + 1))
    owner, head = np.nonzero(groups)
    group_start = np.searchsorted(owner, np.arange(size + 1))
    members = [np.arange(len(owner))], [head]
    for finding, below in kinds.below.items():
        of_group = np.flatnonzero(head == finding)
        for kind in below:
            open_ones = of_group[known[owner[of_group], kind] == UNKNOWN]
            members[0].append(open_ones)
            members[1].append(np.full(len(open_ones), kind))
    group, atoms = (np.concatenate(part) for part in members)
    order = np.argsort(group, kind="stable")
    atom_start = np.searchsorted(group[order], np.arange(len(owner) + 1))
    return Atoms(*(_ints(x) for x in (absent_start, atom, group_start, atom_start, atoms[order])))


def contradictions(network: Network, findings: States) -> list[tuple[int, int, int]]:
    """(record, kind, finding) where a kind is present and what it is a kind of absent."""
    found = []
    for kind, above in kinds_of(network).above.items():
        for finding in above:
            wrong = np.flatnonzero((findings[:, kind] == 1) & (findings[:, finding] == 0))
            found += [(int(record), kind, finding) for record in wrong]
    return sorted(found)


def _ints(array: npt.NDArray[np.int64]) -> Ints:
    return np.ascontiguousarray(array, dtype=np.int64)
