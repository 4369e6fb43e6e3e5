"""What an empty cell of the records means: which values get written down, column by column.

A column that never says no is not missing by chance: learnt as if it were, everything it speaks of
becomes common. Nothing in the records says what its empty cells mean, so the user must. By a model,
a state is written down with one probability where it is present, with another where it is absent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hickam.issues import Issue, error, raise_errors, warning
from hickam.learn.numbers import Numbers
from hickam.learn.records import UNKNOWN, Records, States
from hickam.learn.unmentioned import HOW, Choice, choices_of
from hickam.model.is_a import kinds_of
from hickam.model.network import Floats

Flags = npt.NDArray[np.bool_]
SELDOM = 0.05  # of the noes that the network expects: a column with no more hardly ever says no
BY_CHANCE = 0.5  # chance of all the yeses, by the network, from which on they are no surprise
LISTED = 20  # columns that are named one by one
COMPLETE = 0.5  # share of the findings' columns that a record to judge by must speak of
SURE = 4.0  # standard errors


@dataclass(frozen=True, slots=True)
class Column:
    """How likely a node's state is written down where it is present and where it is absent."""

    node: int  # over risk factors, diseases and findings in turn
    rates: tuple[float | None, float | None]  # of yes and of no; None: learnt


@dataclass(frozen=True, eq=False)
class Recording:
    """What the empty cells of some records mean."""

    numbers: Numbers
    one_way: Flags  # [node] never, or hardly ever, recorded absent
    spoken: Flags  # [node] whether any record says anything of it
    absent: Flags  # [node] empty cells say that it is absent
    left_out: Flags  # [node] one-way, and its empty cells are said to be unknown
    columns: tuple[Column, ...]  # recorded by a model

    @property
    def size(self) -> int:
        """How many numbers are learnt: those of the network and two for each modelled column."""
        return self.numbers.size + 2 * len(self.columns)

    @property
    def warnings(self) -> list[Issue]:
        """One for each column that is left out."""
        what = "never says no and is said to be unknown where it is empty"
        nodes = np.flatnonzero(self.left_out).tolist()
        ids = self.numbers.ids
        return [warning(f"column '{ids[n]}'", what, "it is left out") for n in nodes]

    def filled(self, records: Records) -> Records:
        """The records with what their empty cells say, and without columns that teach nothing."""
        table = states_of(records)
        table[(table == UNKNOWN) & self.absent] = 0
        table[:, self.left_out] = UNKNOWN
        found = _with_states(records, table)
        for kind, above in kinds_of(self.numbers.network).above.items():
            for wider in above:  # what was filled in is there where a kind of it is
                found.findings[found.findings[:, kind] == 1, wider] = 1
        return found

    def judged(self, records: Records) -> Records:
        """The records that speak of enough findings, without columns that say one state only."""
        table = states_of(records)
        table[:, self.one_way] = UNKNOWN
        table[:, [column.node for column in self.columns]] = UNKNOWN
        found = _with_states(records, table)
        findings = self.spoken[-found.findings.shape[1] :]
        known = (found.findings != UNKNOWN).sum(axis=1)
        return found.take(known >= COMPLETE * findings.sum())


def recording_of(numbers: Numbers, records: Records, said: str | Sequence[str] = ()) -> Recording:
    """What empty cells mean, as the user says; columns that never say no must be spoken of.

    `said` holds choices such as 'absent', 'absent:0.8', 'unknown', 'model' or 'model:0.8,0.1' for
    all findings and all columns that never say no, or NAME=choice for one column or layer.
    """
    usual, choices = choices_of(numbers, (said,) if isinstance(said, str) else said)
    table = states_of(records)
    yes, no, empty = (records.counts @ (table == state) for state in (1, 0, UNKNOWN))
    spoken = yes + no > 0
    one_way = _one_way(numbers, yes, no, empty)
    findings = np.arange(len(spoken)) >= len(spoken) - records.findings.shape[1]
    if usual is not None:
        for node in np.flatnonzero((one_way | findings) & spoken).tolist():
            choices.setdefault(node, usual)
    silent = [node for node in np.flatnonzero(one_way).tolist() if node not in choices]
    if silent:
        raise_errors(_silent(numbers, silent, yes, no, empty))
    absent, left_out = np.zeros((2, len(spoken)), dtype=bool)
    columns, issues = [], []
    for node, choice in sorted(choices.items()):
        if choice.meaning == "absent" and choice.present in (None, 1.0):
            absent[node] = True
        elif choice.meaning == "unknown":
            left_out[node] = one_way[node]
        elif empty[node] and spoken[node]:
            column = _column(node, choice, float(no[node]))
            columns.append(column)
            issues += _problems(numbers, column, (yes[node], no[node]), empty[node])
    raise_errors(issues[:LISTED])
    return Recording(numbers, one_way, spoken, absent, left_out, tuple(columns))


def states_of(records: Records) -> States:
    """[record, node] the states of all layers, to change."""
    return np.hstack([records.risks, records.diseases, records.findings])


def _with_states(records: Records, table: States) -> Records:
    ends = np.cumsum([records.risks.shape[1], records.diseases.shape[1]])
    risks, diseases, findings = np.split(table, ends, axis=1)
    return replace(records, risks=risks, diseases=diseases, findings=findings)


def _one_way(numbers: Numbers, yes: Floats, no: Floats, empty: Floats) -> Flags:
    """[node] whether it is said to be absent far less often than the network expects."""
    own = numbers.network
    fired = np.minimum(own.prior[own.effects.cause] * own.effects.acts, 1.0 - 1e-12)
    log_off = np.bincount(own.effects.effect, np.log1p(-fired), len(own.findings))
    finding = 1.0 - own.finding_leak_fails * np.exp(log_off)
    chance = np.concatenate([own.risk_prior, own.prior, finding])
    few = no <= SELDOM * (yes + no) * (1.0 - chance)
    return few & (yes > 0) & (empty > 0) & (chance**yes < BY_CHANCE)


def _silent(
    numbers: Numbers, nodes: Sequence[int], yes: Floats, no: Floats, empty: Floats
) -> list[Issue]:
    """Columns that never say no while nobody says what their empty cells mean."""
    issues = []
    for node in nodes[:LISTED]:
        never = f"no in {no[node]:,.0f}" if no[node] else "never no"
        what = f"says yes in {yes[node]:,.0f} records, {never}, and is empty in {empty[node]:,.0f}"
        issues.append(error(f"column '{numbers.ids[node]}'", what))
    what = "never say no, or hardly ever: what do their empty cells mean?"
    return [*issues, error(f"{len(nodes):,} of the columns", what, HOW)]


def _column(node: int, choice: Choice, no: float) -> Column:
    """A column by a model; where it never says no, its noes are not written down."""
    silent = choice.meaning == "absent" and no == 0.0
    return Column(node, (choice.present, 0.0 if silent else choice.absent))


def _problems(
    numbers: Numbers, column: Column, told: tuple[float, float], empty: float
) -> list[Issue]:
    """Why a model of what is written down has no answer for a column, or contradicts it."""
    kinds, position = kinds_of(numbers.network), column.node - numbers.first_finding
    where = f"column '{numbers.ids[column.node]}'"
    if position in kinds.above or position in kinds.below:
        what = "has kinds, or is one: no model says what of it is written down"
        return [error(where, what, "say absent or unknown, as kinds=absent")]
    yes, no = told
    if column.rates[0] is None and not (yes and no):
        what = f"never says {'no' if yes else 'yes'}: what is written down cannot be learnt from it"
        return [error(where, what, "give the share that is, as absent:0.8")]
    if column.rates[0] is None and not numbers.linked(column.node):
        what = "has no link: what is written down cannot be told from how common it is"
        return [error(where, what, "give both shares, as model:0.8,0.1, or say unknown")]
    issues = []
    total = yes + no + empty
    for word, rate, count in zip(("yes", "no"), column.rates, told, strict=True):
        if rate is None:
            continue
        what = f"says {word} in {count:,.0f} of {total:,.0f} records"
        off = SURE * math.sqrt(rate * (1.0 - rate) * total)
        if count > rate * total + off:
            fix = f"give a larger share of {word} than {rate:g}"
            issues.append(error(where, f"{what}, more than are written down", fix))
        elif word == "no" and rate > 0.0 and not count:
            issues.append(error(where, what, "give 0 as the share of no that is written down"))
    if column.rates == (1.0, 1.0):
        issues.append(error(where, "is empty although all is written down", "give less than 1"))
    return issues
