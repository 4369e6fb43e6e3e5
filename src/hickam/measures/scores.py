"""Diagnostic measures: each turns beliefs into one score per disease.

A measure is one record. The command line, the service, the page, batches, reports and the tables of
the documentation read it from `MEASURES`; nothing else has to know its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hickam.beliefs.beliefs import Beliefs
from hickam.issues import did_you_mean, invalid
from hickam.model.network import Floats
from hickam.words import number, percent

TABLES = ("disabled", "sustained")


@dataclass(frozen=True, slots=True)
class Measure:
    """One way to score the diseases of a case."""

    name: str  # an identifier: of the command line, the API and the columns of a batch
    title: str  # for a heading
    meaning: str  # completes "the …": what a score is
    score: Callable[[Beliefs, Floats], Floats]  # (beliefs, weight of each present finding)
    table: str = "sustained"  # the table of `Beliefs` that explains it
    # Whether a score is an expected number of findings, which weights of findings and success and
    # cost of treatment apply to, or else a probability.
    counts_findings: bool = False
    plain: str = ""  # what a doctor would call it; the title if there is nothing better

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name.startswith("_"):
            raise invalid(f"measure {self.name!r}", "is not a plain name", "use letters and _")
        if self.table not in TABLES:
            fix = did_you_mean(self.table, TABLES)
            raise invalid(f"measure '{self.name}'", f"has the table {self.table!r}", fix)

    def __call__(self, beliefs: Beliefs, weights: Floats) -> Floats:
        """[disease] the scores."""
        return self.score(beliefs, weights)

    @property
    def heading(self) -> str:
        """The measure as a heading for people.

        >>> MEASURES["disablement"].heading
        'Would go away if cured'
        """
        name = self.plain or self.title
        return name[:1].upper() + name[1:]

    def in_words(self, score: float) -> str:
        """A score for a person.

        >>> MEASURES["posterior"].in_words(0.123), MEASURES["disablement"].in_words(0.123)
        ('12 %', '0.12')
        """
        return number(score) if self.counts_findings else percent(score)


def posterior(beliefs: Beliefs, _weights: Floats) -> Floats:
    """Probability that the patient has each disease. [CD posterior]"""
    return beliefs.posterior


def expected_disablement(beliefs: Beliefs, weights: Floats) -> Floats:
    """Expected (weighted) number of present findings that curing each disease would remove.

    [CD expected-disablement]; the weights are the paper's "cruelty" of findings, by default 1.
    """
    return beliefs.disabled @ weights


def expected_sufficiency(beliefs: Beliefs, weights: Floats) -> Floats:
    """Expected (weighted) number of present findings that stay with every other cause off.

    [CD expected-sufficiency]
    """
    return beliefs.sustained @ weights


def single_fault(beliefs: Beliefs, _weights: Floats) -> Floats:
    """Probability of each disease if there is exactly one: the baseline for vignettes."""
    return beliefs.single_fault


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("posterior", "posterior", "probability of having the disease", posterior),
        Measure(
            "disablement",
            "disablement",
            "expected number of present findings that curing it would remove",
            expected_disablement,
            table="disabled",
            counts_findings=True,
            plain="would go away if cured",
        ),
        Measure(
            "sufficiency",
            "sufficiency",
            "expected number of present findings it would keep up on its own",
            expected_sufficiency,
            counts_findings=True,
            plain="enough to explain",
        ),
        Measure(
            "single_fault",
            "single fault",
            "probability if there is exactly one disease",
            single_fault,
            plain="if only one disease",
        ),
    )
}


def find_measure(name: str) -> Measure:
    """The measure of this name, or the error that names the nearest one."""
    if not isinstance(name, str) or name not in MEASURES:
        raise invalid(f"measure {name!r}", "is not known", did_you_mean(str(name), MEASURES))
    return MEASURES[name]
