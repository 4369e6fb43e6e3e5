"""What a case implies while questions are asked: by inference unless that keeps people waiting."""

from __future__ import annotations

from hickam.advise.answer_chances import Inferred
from hickam.advise.explanations import explain
from hickam.advise.provisional import provisional
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.evidence.stated import layered
from hickam.infer import infer_located, take
from hickam.inference.engines import check_possible
from hickam.model.adapted import adapted
from hickam.model.kinds import Model

AT_ONCE = 8  # present findings up to which inference keeps nobody waiting


def standing(model: Model, case: Case, options: Options) -> Inferred:
    """The evidence of a case and what it implies; of many findings by a short run of chains."""
    evidence, _ = take(model, case, options)
    network = layered(model, evidence)
    if network is None or len(evidence.present) <= AT_ONCE:
        return infer_located(model, case, "auto", options)
    network = adapted(network, evidence.circumstances)
    check_possible(network, evidence)
    return evidence, provisional(network, evidence, explain(network, evidence))
