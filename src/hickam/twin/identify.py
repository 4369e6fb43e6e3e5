"""Which measures the model settles, and how far the others may move over all couplings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.model.kinds import Model, as_scm
from hickam.model.mechanism import Table
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.actions import cure, only
from hickam.twin.bounds import bound
from hickam.twin.exact import Setting, log_chance
from hickam.twin.extremes import MOST_CORNERS
from hickam.twin.observe import observe
from hickam.twin.worlds import ancestry

# What `infer` adds by itself; `identify` goes on where this stops.
MOST_NOTED = 24
CORNERS_NOTED = 16
RESPONSES_NOTED = 10  # log2 of the number of response functions of a table


@dataclass(frozen=True, slots=True)
class Identification:
    """One expected measure of one disease: its value and what every coupling would allow.

    "identified": the mechanisms settle it. "monotone": settled if the changed cause never acts both
    ways, which the table allows. "bounded": the value holds under the named coupling only, the
    bounds over all of them. "open": the bounds could not be computed.
    """

    disease: str
    measure: str  # "disablement" | "sufficiency"
    value: float
    lower: float | None
    upper: float | None
    status: str
    tables: tuple[str, ...]

    def __str__(self) -> str:
        """A sentence for a person."""
        text = f"{self.measure} of '{self.disease}' is {self.value:.3g}"
        if self.status == "identified":
            return f"{text}: identified"
        names = ", ".join(f"'{name}'" for name in self.tables)
        many = "the tables of" if len(self.tables) > 1 else "the table of"
        if self.lower is None or self.upper is None:
            return f"{text} under the named coupling of {many} {names}; no bounds computed"
        range_ = f"{self.lower:.3g} to {self.upper:.3g} over all couplings"
        if self.status == "monotone":
            return f"{text} if no cause acts both ways on {names}; {range_}"
        return f"{text} under the named coupling of {many} {names}; {range_}"


def identify(model: Model, case: Case, memory: int = Limits().memory) -> list[Identification]:
    """Both measures of every disease that can affect a present finding, with their bounds."""
    scm = as_scm(model)
    evidence = locate(case, scm)
    scm = adapted_scm(scm, evidence.circumstances)
    seen = observe(scm, evidence)
    setting = Setting(scm, seen.states, seen.weights, memory)
    return identify_measures(setting, seen.present)


def identify_measures(
    setting: Setting, present: Sequence[str], most_corners: int = MOST_CORNERS
) -> list[Identification]:
    """The identification of each measure; see `identify`."""
    model = setting.model
    log_evidence = log_chance(setting)
    found = []
    for disease in model.diseases:
        reached = [s for s in present if s in model.descendants(disease)]
        if not reached or log_evidence == -math.inf:
            continue
        nodes = [model.nodes[s] for s in reached]
        for measure, actions, wanted in (
            ("disablement", [cure(model, disease)], [[(1, s.id, s.off)] for s in nodes]),
            (
                "sufficiency",
                [only(model, disease), only(model, disease, on=False)],
                [[(1, s.id, state), (2, s.id, s.off)] for s in nodes for state in s.abnormal],
            ),
        ):
            logs = [log_chance(setting, actions, demands) for demands in wanted]
            value = sum(math.exp(log - log_evidence) for log in logs if log > -math.inf)
            limits = bound(setting, actions, wanted, value, most_corners)
            lower, upper = (limits.lower, limits.upper) if limits.computed else (None, None)
            tables = tuple(dict.fromkeys(setting.model.shown(name) for name in limits.tables))
            found.append(
                Identification(disease, measure, value, lower, upper, limits.status, tables)
            )
    return found


def coupling_notes(setting: Setting, present: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each measure that a bare table leaves open; none if there is no such table."""
    bare = bare_tables(setting.model, present)
    if not bare:
        return ()
    if not quick_to_bound(setting.model, present):
        count = f"{len(bare)} bare tables" if len(bare) > 1 else "a bare table"
        return (f"{count} may leave measures open; `hickam.identify` gives the bounds",)
    found = identify_measures(setting, present, CORNERS_NOTED)
    return tuple(str(one) for one in found if one.status != "identified")


def bare_tables(model: SCM, present: Sequence[str]) -> set[str]:
    """The nodes whose tables leave open what happens to the present findings."""
    if not any(model.descendants(disease) & set(present) for disease in model.diseases):
        return set()
    bare = {n.id for n in model if isinstance(n.mechanism, Table) and n.mechanism.bare}
    return bare & ancestry(model, present)


def quick_to_bound(model: SCM, present: Sequence[str]) -> bool:
    """Whether the bounds of all measures take little time: few of them, over small tables."""
    pairs = sum(len(model.descendants(disease) & set(present)) for disease in model.diseases)
    large = any(_responses(model, node) > RESPONSES_NOTED for node in bare_tables(model, present))
    return pairs <= MOST_NOTED and not large


def _responses(model: SCM, node: str) -> float:
    """log2 of how many functions of its parents a node with a table could be."""
    rows = math.prod(len(model.nodes[parent].states) for parent in model.nodes[node].parents)
    return rows * math.log2(len(model.nodes[node].states))


def recognition_notes(model: SCM) -> tuple[str, ...]:
    """One sentence for each table that was recognised as a gate."""
    return model.notes
