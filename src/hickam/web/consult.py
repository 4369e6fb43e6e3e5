"""Questions about a case, asked of the library under the service's limits."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hickam.advise.answers import odd
from hickam.advise.by_inference import LONGLIST
from hickam.advise.next_question import Advice, next_question
from hickam.advise.smallest_cure import Cure
from hickam.advise.what_if import cure, smallest_cure
from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Options
from hickam.diagnose import differential
from hickam.evidence.case import Case, Evidence
from hickam.evidence.hierarchy import above
from hickam.infer import infer_located
from hickam.issues import InvalidInput, Issue, TooHard, error, invalid
from hickam.language.vocabulary import find_all, find_each, vocabularies
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.report.pictures import MOST, Picture, draw
from hickam.report.pictures_svg import to_svg
from hickam.web.metrics import observe_inference
from hickam.web.settings import Settings

SETS_TRIED = 300  # of one, two and three of the twelve likeliest causes


ABSENT_PER_PRESENT = 5
LIKELY = 0.5  # a finding that a disease causes more often than not


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that a disease often causes and nobody has asked about."""

    finding: str
    name: str
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class Consultation:
    """One case on one network, inferred once and read in several ways."""

    network: Model
    case: Case
    options: Options
    evidence: Evidence
    beliefs: Beliefs
    seconds: float

    def differential(
        self, measure: str, top: int | None, *, cruelty: bool = False, treatment: bool = False
    ) -> Differential:
        """The differential by one measure."""
        return differential(
            self.network,
            self.evidence,
            self.beliefs,
            measure,
            top=top,
            cruelty=cruelty,
            treatment=treatment,
        )

    def look_for(self, disease: str, limit: int = 5) -> list[Expected]:
        """The unasked findings that a disease causes most often, the most specific ones.

        What is above a finding that was entered, or above another that is likely, says nothing new,
        and what would be odd at this age or sex is not looked for.
        """
        network = self.network
        links = network.effects
        row = links.of_cause(network.index[disease])
        asked = {*self.evidence.present.tolist(), *self.evidence.absent.tolist()}
        passed_over = asked | odd(self.evidence.circumstances.leaks)
        pairs = [
            (float(acts), finding)
            for finding, acts in zip(links.effect[row].tolist(), links.acts[row], strict=True)
            if finding not in passed_over and acts > 0.0
        ]
        specific = [*asked, *(finding for acts, finding in pairs if acts >= LIKELY)]
        implied = {term for f in specific for term in above(network, network.findings[f])}
        told = ((network.findings[f], acts) for acts, f in sorted(pairs, key=lambda p: -p[0]))
        kept = ((node, acts) for node, acts in told if node not in implied)
        return [Expected(node, network.label(node), acts) for node, acts in islice(kept, limit)]


def check_size(case: Case, findings: int) -> None:
    """Refuse a case with more findings than the service takes; absent ones cost little."""
    most = ABSENT_PER_PRESENT * findings
    if len(case.present) > findings or len(case.absent) > most:
        what = f"names {len(case.present)} present and {len(case.absent)} absent findings"
        raise invalid("the case", what, f"this service takes at most {findings} and {most}")


def consult(
    network: Model, case: Case, options: Options, findings: int, engine: str = "auto"
) -> Consultation:
    """The case inferred, within the limits."""
    check_size(case, findings)
    begun = time.perf_counter()
    evidence, beliefs = infer_located(network, case, engine, options)
    if not np.isfinite(beliefs.log_evidence):
        what = "lost its digits on this case"
        raise TooHard([error(f"engine '{beliefs.engine}'", what, "settle some risk factors")])
    seconds = time.perf_counter() - begun
    observe_inference(beliefs.engine, seconds)
    return Consultation(network, case, options, evidence, beliefs, seconds)


class Memory:
    """The last few consultations, so that a click need not repeat the work of the one before it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[tuple[str, ...], Consultation] = OrderedDict()
        self._lock = threading.Lock()

    def consult(
        self,
        network: Model,
        case: Case,
        options: Options,
        findings: int,
        engine: str = "auto",
    ) -> Consultation:
        """The case inferred, or remembered from a moment ago."""
        key = (network.hash, repr(case), repr(sorted(options.items())), engine)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = consult(network, case, options, findings, engine)
        with self._lock:
            self._held[key] = made
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return made


def find_disease(network: Model, name: str) -> str:
    """The id of a disease by any of its names."""
    return find_diseases(network, [name])[0]


def find_diseases(network: Model, names: list[str]) -> tuple[str, ...]:
    """The ids of diseases by any of their names, each once; all unknown names at once."""
    found = find_all(vocabularies(network)["disease"], names)
    return tuple(network.diseases[at] for at in found)


def ask_next(
    network: Model,
    case: Case,
    options: Options,
    *,
    alpha: float,
    costs: dict[str, float],
    top: int,
    seconds: float,
) -> Advice:
    """What to ask next; costs may be given by any name of a finding.

    `seconds` is what one inference took: the slower, the fewer questions are weighed up, so that
    the answer stays within the deadline.
    """
    issues: list[Issue] = []
    found = find_each(vocabularies(network), "finding", costs, issues)
    if issues:
        raise InvalidInput(issues)
    by_id = {
        network.findings[at]: cost
        for at, cost in zip(found, costs.values(), strict=True)
        if at is not None
    }
    patience = options.get("deadline") or 2.0
    # One more present finding doubles the subsets that an engine goes through.
    consider = max(2, min(LONGLIST, int(patience / max(3.0 * seconds, 1e-6))))
    return next_question(
        network, case, alpha=alpha, costs=by_id, top=top, consider=consider, **options
    )


def search_seconds(consultation: Consultation) -> float:
    """About how long the search for a smallest cure takes: every small set, every finding."""
    return SETS_TRIED * len(consultation.beliefs.present) * consultation.seconds


def outcome(
    consultation: Consultation,
    cured: list[str] | None,
    only: str | None,
    remove: float | None,
) -> tuple[str, Cure | None]:
    """The counterfactual that exactly one of the three describes, in words and as a cure.

    With `only`, a finding is gone unless the disease alone would keep it: 1 − sustained.
    """
    network, case, options = consultation.network, consultation.case, consultation.options
    if sum(given is not None for given in (cured, only, remove)) != 1:
        fix = "give the diseases to cure, the only cause to keep, or the number to remove"
        raise InvalidInput([error("the question", "needs exactly one of cure, only, remove", fix)])
    if cured is not None:
        what = cure(network, case, cured, **options)
        return "cured: " + ", ".join(network.label(d) for d in what.diseases), what
    if remove is not None:
        if search_seconds(consultation) > 3.0 * (options.get("deadline") or 2.0):
            long = "would take longer than the deadline allows with this many findings"
            fix = "ask about fewer findings, or name the diseases to cure"
            raise TooHard([error("the search for a smallest cure", long, fix)])
        return f"the smallest cure that removes {remove:g} findings", smallest_cure(
            network, case, remove, **options
        )
    assert only is not None
    disease = find_disease(network, only)
    beliefs = consultation.beliefs
    kept = beliefs.sustained[network.index[disease]]
    gone = dict(zip(beliefs.present, np.clip(1.0 - kept, 0.0, 1.0).tolist(), strict=True))
    label = network.label(disease)
    return f"every cause but {label} switched off", Cure((disease,), gone, beliefs.accuracy)


def draw_twin(
    network: Model,
    case: Case,
    disease: str,
    measure: str,
    stage: str,
    settings: Settings,
    most: int = MOST,
) -> tuple[Picture, str]:
    """The twin network of a case, and its drawing as SVG."""
    check_size(case, settings.findings)
    # the rest of the deadline is for drawing
    seconds = settings.deadline / 2.0
    picture = draw(
        network, case, disease, stage=stage, measure=measure, most=most, deadline=seconds
    )
    return picture, to_svg(picture)
