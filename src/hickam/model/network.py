"""The three-layer noisy-OR network: risk factors → diseases → findings. [CD noisy-or]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hickam.issues import printable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SEXES = ("female", "male")
URGENCY_CLASSES = ("emergency", "urgent", "routine", "self-care")
URGENT = URGENCY_CLASSES[:2]  # of these a disease must not be missed


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Sparse causal links between two layers, sorted by cause and then by effect.

    P(the effect's mechanism for this cause fires | cause on) = acts = 1 - λ, and fails = λ; both
    are stored because a small one must not be formed by subtracting a rounded large one.
    """

    cause: Ints  # [link]
    effect: Ints  # [link]
    acts: Floats  # [link]
    fails: Floats  # [link]
    start: Ints  # [cause + 1]  links of cause k are start[k]:start[k+1]
    by_effect: Ints  # [link]  the links, sorted by effect
    effect_start: (
        Ints  # [effect + 1]  links into effect s are by_effect[effect_start[s]:effect_start[s+1]]
    )

    def __len__(self) -> int:
        return len(self.cause)

    def of_cause(self, index: int) -> slice:
        """The links that leave one cause."""
        return slice(int(self.start[index]), int(self.start[index + 1]))

    def of_effect(self, index: int) -> Ints:
        """The links that enter one effect."""
        return self.by_effect[self.effect_start[index] : self.effect_start[index + 1]]


@dataclass(frozen=True, slots=True)
class Prevalence:
    """A factor on the prior odds of a disease or risk factor, or on the odds of a finding's leak.

    It holds for patients of one sex and age range [from, to).
    """

    factor: float
    sex: str | None = None
    age: tuple[float, float] | None = None

    def matches(self, sex: str | None, age: float | None) -> bool:
        """Whether a patient is known to belong here; an unknown sex or age matches nothing."""
        if self.sex is not None and sex != self.sex:
            return False
        return self.age is None or (age is not None and self.age[0] <= age < self.age[1])


@dataclass(frozen=True, slots=True)
class Alarm:
    """How urgently a patient with a finding is seen at the least, whatever causes it.

    It holds within an age range [from, to), and beside any one of `beside`, if these are given.
    """

    urgency: str  # one of URGENCY_CLASSES
    age: tuple[float, float] | None = None
    beside: tuple[str, ...] = ()  # ids of findings or risk factors

    def holds(self, age: float | None) -> bool:
        """Whether a patient is known to be of its age."""
        return self.age is None or (age is not None and self.age[0] <= age < self.age[1])


@dataclass(frozen=True, slots=True)
class Entry:
    """What a network says about one risk factor, disease or finding besides its links."""

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    group: str = ""
    kind: str = ""
    source: str = ""
    rareness: str = ""  # diseases
    urgency: str = ""  # diseases
    prevalence: tuple[Prevalence, ...] = ()
    treatment_cost: float = 1.0  # diseases
    treatment_success: float = 1.0  # diseases
    per_finding: float = 1.0  # diseases: factor on the odds for every present finding
    genes: tuple[str, ...] = ()  # diseases: symbols, to show
    broader: tuple[str, ...] = ()  # findings: the ids right above in an ontology, to show
    cruelty: float = 1.0  # findings: how much it matters to be rid of it
    cost: float = 1.0  # findings: what it costs to ask or observe
    is_a: str = ""  # findings: the finding that this is a kind of
    absence: float = 1.0  # findings: weight of its absence; 0 if being absent says nothing
    alarms: tuple[Alarm, ...] = ()  # findings: the least urgency while it is present
    asked_after: tuple[str, ...] = ()  # findings: nobody asks before one of these is there

    @property
    def urgent(self) -> bool:
        """Whether this is a disease that must not be missed."""
        return self.urgency in URGENT


def _told(entry: Entry) -> list[tuple[str, object]]:
    """What is said of an entry: its fields but those at their default."""
    return [(name, value) for name, usual in USUAL if (value := getattr(entry, name)) != usual]


USUAL = tuple((part.name, part.default) for part in fields(Entry))


@dataclass(frozen=True, slots=True)
class Scale:
    """What makes an observation numeric: a temperature, a laboratory value.

    The value at position i of a category's values is that of numbers in [cuts[i - 1], cuts[i]).
    With `second_cuts` two numbers with a slash between them can be entered.
    `curves` gives likelihood ratios instead, or for other diseases: straight between the points on
    a logarithmic scale, level beyond them.
    """

    unit: str
    cuts: tuple[float, ...] = ()
    second_cuts: tuple[float, ...] = ()  # of the second of two numbers: 140/90
    units: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # unit → (times, plus)
    range: tuple[float, float] | None = None  # numbers outside are mistakes
    curves: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Category:
    """An observation that is not just present or absent, with P(value | disease).

    A duration, a severity, a test result, or with a scale a number.
    """

    id: str
    name: str
    values: tuple[str, ...]
    otherwise: tuple[float, ...]  # P(value | none of the listed diseases)
    given: Mapping[str, tuple[float, ...]]  # disease id → P(value | disease)
    synonyms: tuple[str, ...] = ()
    scale: Scale | None = None
    # value → the ids of findings that are then present, and of those that are absent
    means: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    of: str = ""  # the finding that it describes: present whatever the value
    cost: float = 1.0  # what it costs to ask or measure


@dataclass(frozen=True, slots=True)
class About:
    """Where a network comes from and what it may be used for."""

    name: str
    version: str = ""
    licence: str = ""
    description: str = ""
    disclaimer: str = ""
    source: str = ""
    notice: str = ""  # whose data these are and on what terms: shown with every answer
    learnt_from: str = field(default="", repr=False)  # which records, each with its digest


@dataclass(frozen=True, eq=False)
class Network:
    """Risk factors cause diseases, diseases cause findings, each through independent mechanisms.

    P(effect absent | causes) = leak_fails[effect] * prod over present causes of link.fails

    [CD noisy-or]. The tuples of ids are the axes of every array. Built and checked only by
    `hickam.model.build`; the arrays are read-only.
    """

    about: About
    risk_factors: tuple[str, ...]
    diseases: tuple[str, ...]
    findings: tuple[str, ...]
    risk_prior: Floats  # [risk factor]  P(R = 1)
    disease_leak: Floats  # [disease]  P(D = 1 | every listed cause absent)
    disease_leak_fails: Floats  # [disease]  its complement
    finding_leak: Floats  # [finding]
    finding_leak_fails: Floats  # [finding]
    causes: Links  # risk factor → disease
    effects: Links  # disease → finding
    entries: Mapping[str, Entry]  # id → what is said about it
    categories: tuple[Category, ...] = ()
    link_sources: Mapping[tuple[str, str], str] = field(default_factory=dict)  # (cause, effect)

    @property
    def name(self) -> str:
        """The network's display name."""
        return printable(self.about.name)

    def label(self, node: str) -> str:
        """The display name of a risk factor, disease or finding, on one line."""
        return printable(self.entries[node].name)

    @cached_property
    def prior(self) -> Floats:
        """P(D = 1) of each disease with every risk factor unobserved.

        P(D = 0) = leak_fails * prod_j (1 - p_j acts_j), because risk factors are independent.
        """
        fired = self.risk_prior[self.causes.cause] * self.causes.acts
        with np.errstate(divide="ignore"):
            log_off = np.log1p(-self.disease_leak)
            log_off += np.bincount(self.causes.effect, np.log1p(-fired), len(self.diseases))
        on: Floats = -np.expm1(log_off)
        on.setflags(write=False)
        return on

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Position of every id within its own layer."""
        return {
            node: position
            for layer in (self.risk_factors, self.diseases, self.findings)
            for position, node in enumerate(layer)
        }

    @cached_property
    def hash(self) -> str:
        """A digest of the whole content: equal hashes mean equal networks.

        What an entry leaves at its default does not count, so that the hash outlives new fields.
        """
        import hashlib

        digest = hashlib.sha256()
        digest.update((repr(self.about) + self.about.learnt_from).encode())
        for layer in (self.risk_factors, self.diseases, self.findings):
            told = (repr(_told(self.entries[node])) for node in layer)
            digest.update("\n".join(told).encode() + b"\n\n")
        for category in self.categories:
            digest.update(repr((category, sorted(category.given.items()))).encode())
        digest.update(repr(sorted(self.link_sources.items())).encode())
        for array in (
            self.risk_prior,
            self.disease_leak,
            self.disease_leak_fails,
            self.finding_leak,
            self.finding_leak_fails,
            *(
                part
                for links in (self.causes, self.effects)
                for part in (links.cause, links.effect, links.acts, links.fails)
            ),
        ):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return (
            f"<Network {self.name!r}: {len(self.risk_factors)} risk factors, "
            f"{len(self.diseases)} diseases, {len(self.findings)} findings, "
            f"{len(self.causes) + len(self.effects)} links>"
        )
