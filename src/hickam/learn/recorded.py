"""The E step where a model says what is written down: every state of what a record leaves open.

Given all risk factors and diseases, findings are independent. A finding that is present with
probability p and is not written down has the factor (1 - r) p + (1 - s) (1 - p), with r and s the
shares of yes and of no that are written down. A mechanism of strength a, if it could act, acted
with probability a / p where the finding is present, and a (1 - r) / factor where nothing is
written. r is how often a yes was written by how often there was one: again a division.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hickam.issues import invalid
from hickam.learn.batch import Batch
from hickam.learn.by_engine import Turned, turn
from hickam.learn.numbers import KINDS, Numbers
from hickam.learn.recording import Column, states_of
from hickam.learn.records import UNKNOWN, Records
from hickam.model.network import Floats, Ints, Links

MOST_OPEN = 12  # risk factors and diseases that a record may leave open
AT_ONCE = 4_000_000  # statistics of rows that are held at once
LEAST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What each record says."""

    acted: Floats  # [record, number]
    could: Floats  # [record, number]
    log_evidence: Floats  # [record]


def open_nodes(numbers: Numbers, records: Records, columns: Sequence[Column]) -> np.ndarray:
    """[record, node] risk factors and diseases that are open and bear on what is recorded."""
    own = numbers.network
    table = states_of(records)
    risks, first = len(own.risk_factors), numbers.first_finding
    bears = table != UNKNOWN
    bears[:, [column.node for column in columns]] = True
    links = np.zeros((len(own.findings), len(own.diseases)), dtype=np.float32)
    links[own.effects.effect, own.effects.cause] = 1.0
    bears[:, risks:first] |= bears[:, first:].astype(np.float32) @ links > 0.0
    links = np.zeros((len(own.diseases), risks), dtype=np.float32)
    links[own.causes.effect, own.causes.cause] = 1.0
    bears[:, :risks] |= bears[:, risks:first].astype(np.float32) @ links > 0.0
    found: np.ndarray = (bears & (table == UNKNOWN))[:, :first]
    return found


def check_open(numbers: Numbers, records: Records, columns: Sequence[Column]) -> None:
    """Refuse records that leave too much open for every state to be gone through."""
    if not columns:
        return
    count = open_nodes(numbers, records, columns).sum(axis=1)
    if len(count) and count.max() > MOST_OPEN:
        what = (
            f"leave up to {count.max()} risk factors and diseases open; by a model of what is "
            f"written down, at most {MOST_OPEN} may be"
        )
        fix = "say what their empty cells mean, as --unmentioned diseases=absent"
        raise invalid(f"{int((count > MOST_OPEN).sum()):,} records", what, fix)


def expect_recorded(numbers: Numbers, values: Floats, batch: Batch) -> Iterator[Statistics]:
    """The statistics of the records of a batch, some at a time, in order."""
    opened = open_nodes(numbers, batch.records, batch.columns)
    rows = 2 ** opened.sum(axis=1)
    ends = np.cumsum(rows * len(values))
    begin = 0
    while begin < len(rows):
        done = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, done + AT_ONCE, side="right")), begin + 1)
        yield _Rows(numbers, values, batch, slice(begin, end), opened[begin:end]).statistics()
        begin = end


@dataclass(frozen=True, eq=False)
class _Rows:
    """Every state of what some records leave open; a row is a record in one of them."""

    numbers: Numbers
    values: Floats
    batch: Batch
    chosen: slice
    opened: np.ndarray  # [record, node]

    @cached_property
    def start(self) -> Ints:
        """[record + 1] its rows."""
        return np.concatenate([[0], np.cumsum(2 ** self.opened.sum(axis=1))]).astype(np.int64)

    @cached_property
    def owner(self) -> Ints:
        """[row] its record."""
        return np.repeat(np.arange(len(self.opened)), np.diff(self.start))

    @cached_property
    def table(self) -> np.ndarray:
        """[record, node] what the records say."""
        return states_of(self.batch.records.take(self.chosen))

    @cached_property
    def states(self) -> np.ndarray:
        """[row, node] risk factors and diseases; UNKNOWN where one bears on nothing."""
        found = self.table[self.owner, : self.numbers.first_finding]
        rank = np.cumsum(self.opened, axis=1) - 1
        place = np.arange(len(self.owner)) - self.start[self.owner]
        bits = (place[:, None] >> np.maximum(rank, 0)[self.owner]) & 1
        return np.where(self.opened[self.owner], bits, found)

    @cached_property
    def person(self) -> Ints:
        """[row] the position of its sex and age."""
        person: Ints = self.batch.records.person[self.chosen][self.owner]
        return person

    def _part(self, kind: str) -> Floats:
        """The numbers of one kind."""
        return self.values[: self.numbers.size][self.numbers.of_kind(kind)]

    def statistics(self) -> Statistics:
        """What each record says, its rows weighed by how likely they are."""
        log_row, acted, could = self._rows()
        start = self.start[:-1]
        peak = np.maximum.reduceat(log_row, start)
        share = np.exp(log_row - peak[self.owner])
        total = np.add.reduceat(share, start)
        share /= total[self.owner]
        acted, could = (np.add.reduceat(part * share[:, None], start) for part in (acted, could))
        return Statistics(acted, could, peak + np.log(total))

    def _rows(self) -> tuple[Floats, Floats, Floats]:
        """([row] log chance, [row, number] acted, could)."""
        own = self.numbers.network
        count = len(own.risk_factors)
        risks, diseases = self.states[:, :count], self.states[:, count:]
        prior, leak, cause, finding_leak, effect = (self._part(kind) for kind in KINDS)
        acted, could = np.zeros((2, len(self.owner), len(self.values)))

        def put(kind: str, fired: Floats, tried: Floats, counted: np.ndarray) -> None:
            at = self.numbers.of_kind(kind)
            acted[:, at] = np.where(counted, fired, 0.0)
            could[:, at] = np.where(counted, tried, 0.0)

        turned = turn(prior, self.batch.risk_factor[self.person])
        log_row = _log_states(turned.chance, risks)
        put("prior", risks + turned.on, _draws(turned), risks >= 0)
        by_cause = np.maximum(-np.expm1(_log_off(leak, cause, own.causes, risks)), LEAST)
        turned = turn(by_cause, self.batch.disease_factor[self.person])
        log_row += _log_states(turned.chance, diseases)
        each = (diseases + turned.on) / by_cause
        put("disease leak", each * leak, _draws(turned), diseases >= 0)
        into = own.causes.effect
        used = (risks[:, own.causes.cause] == 1) & (diseases[:, into] >= 0)
        put("cause", each[:, into] * cause, _draws(turned)[:, into], used)
        turned = turn(finding_leak, self.batch.leak_factor[self.person])
        log_off = _log_off(turned.chance, effect, own.effects, diseases)
        fires, observed = np.zeros(log_off.shape), np.zeros(log_off.shape, dtype=bool)
        log_row += self._known(log_off, fires, observed)
        log_row += self._silent(log_off, fires, observed, acted, could)
        put("finding leak", fires * turned.chance + turned.on, _draws(turned), observed)
        into = own.effects.effect
        ill = (diseases[:, own.effects.cause] == 1) & observed[:, into]
        put("effect", fires[:, into] * effect, np.ones(ill.shape), ill)
        return log_row, acted, could

    def _known(self, log_off: Floats, fires: Floats, observed: np.ndarray) -> Floats:
        """[row] the log chance of the findings that are recorded; 1 / p of those present."""
        atoms, first, end = self.batch.atoms, self.chosen.start, self.chosen.stop
        shape = (len(self.opened), log_off.shape[1])
        absent, single = np.zeros((2, *shape), dtype=bool)
        found = atoms.absent_start[first : end + 1]
        rows = np.repeat(np.arange(shape[0]), np.diff(found))
        absent[rows, atoms.absent[found[0] : found[-1]]] = True
        found = atoms.group_start[first : end + 1]
        rows = np.repeat(np.arange(shape[0]), np.diff(found))
        groups = np.arange(found[0], found[-1])
        alone = np.diff(atoms.atom_start)[groups] == 1
        single[rows[alone], atoms.atoms[atoms.atom_start[groups[alone]]]] = True
        absent, single = absent[self.owner], single[self.owner]
        on = np.maximum(-np.expm1(log_off), LEAST)
        observed |= absent | single
        fires[single] = 1.0 / on[single]
        log_row: Floats = np.where(absent, log_off, np.where(single, np.log(on), 0.0)).sum(axis=1)
        for row, group in zip(rows[~alone].tolist(), groups[~alone].tolist(), strict=True):
            own = slice(self.start[row], self.start[row + 1])
            members = atoms.atoms[atoms.atom_start[group] : atoms.atom_start[group + 1]]
            chance = np.maximum(-np.expm1(log_off[own, members].sum(axis=1)), LEAST)
            log_row[own] += np.log(chance)
            fires[own, members] = 1.0 / chance[:, None]
            observed[own, members] = True
        return log_row

    def _silent(
        self,
        log_off: Floats,
        fires: Floats,
        observed: np.ndarray,
        acted: Floats,
        could: Floats,
    ) -> Floats:
        """[row] the log chance of what is written down, with the statistics of the shares."""
        log_row = np.zeros(len(self.owner))
        for at, column in enumerate(self.batch.columns):
            place = self.numbers.size + 2 * at
            share, of_no = self.values[place : place + 2].tolist()
            finding = column.node - self.numbers.first_finding
            on = self.states[:, column.node] == 1 if finding < 0 else -np.expm1(log_off[:, finding])
            said = self.table[self.owner, column.node]
            empty = said == UNKNOWN
            yes, no = (1.0 - share) * on, (1.0 - of_no) * (1.0 - on)
            total = np.maximum(yes + no, LEAST)
            written = np.where(said == 1, share, of_no)
            log_row += np.log(np.maximum(np.where(empty, total, written), LEAST))
            could[:, place] = np.where(empty, yes / total, said == 1)
            could[:, place + 1] = np.where(empty, no / total, said == 0)
            acted[:, place], acted[:, place + 1] = said == 1, said == 0
            if finding >= 0:
                fires[empty, finding] = (1.0 - share) / total[empty]
                observed[empty, finding] = True
        return log_row


def _draws(turned: Turned) -> Floats:
    """How many draws there were, with those that sex and age rejected."""
    return 1.0 + turned.on + turned.off


def _log_states(chance: Floats, states: np.ndarray) -> Floats:
    """[row] the log chance of states; UNKNOWN ones bear on nothing."""
    likely = np.where(states == 1, chance, np.where(states == 0, 1.0 - chance, 1.0))
    found: Floats = np.log(np.maximum(likely, LEAST)).sum(axis=1)
    return found


def _log_off(leak: Floats, acts: Floats, links: Links, states: np.ndarray) -> Floats:
    """[row, effect] the log chance that a leak and the causes that are there all fail."""
    fails = np.zeros((states.shape[1], leak.shape[-1]))
    fails[links.cause, links.effect] = np.log(np.maximum(1.0 - acts, LEAST))
    return np.log(np.maximum(1.0 - leak, LEAST)) + (states == 1).astype(np.float64) @ fails
