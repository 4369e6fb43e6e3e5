"""A study of published patients from plan to results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hickam.hpo.build import assemble, read_source
from hickam.hpo.likelihood import Likelihood
from hickam.hpo.recipe import Recipe
from hickam.hpo.source import find_source
from hickam.issues import Issue, errors, invalid
from hickam.model.network import Floats
from hickam.study.published.blend import Blend, blend
from hickam.study.published.calibration import temper
from hickam.study.published.left_out import Unread
from hickam.study.published.patients import Patient, admit, read_patients
from hickam.study.published.plan import Plan
from hickam.study.published.positions import all_scores, by_measures, by_rankers, position
from hickam.study.published.rankers import PLAIN, SINGLE, rankers

Progress = Callable[[str, int, int], None]  # (what, done, of)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """All positions of a study; the tables are made of them."""

    plan: Plan
    version: str
    notice: str
    recipe: Recipe
    diseases: tuple[str, ...]
    patients: list[Patient]
    counts: Mapping[str, int]
    issues: list[Issue]
    known: Mapping[str, Floats]  # ranker → [patient]
    left: Mapping[str, Floats]  # ranker → [patient], NaN where there is nothing to leave out
    measures: Mapping[str, Floats]  # measure → [patient of an uncited paper]
    blends: list[Blend]
    blended: Mapping[str, Floats]  # ranker or measure → [blend, 2]
    answered: Mapping[str, int]  # kind of answer → how many
    power: float  # of the likelihood ratio, for a calibrated posterior
    fits: Mapping[float, float]  # power → mean log posterior of the truth


def run_published(plan: Plan, progress: Progress) -> Results:
    """The results of a study of published patients."""
    ontology, annotations, genes = read_source(find_source(plan.hpo or None))
    hpo = assemble(ontology, annotations, genes, Recipe())
    vignettes, issues = read_patients(plan.patients)
    patients, counts = admit(vignettes, hpo)
    if unread := len(errors(issues)):
        counts["that cannot be read"] = unread
    held = [patient for patient in patients if patient.held_out]
    if not held:
        what = f"has no patient to judge by: {counts or 'no phenopackets'}"
        raise invalid(f"study '{plan.name}'", what, "give a folder of phenopackets with diagnoses")
    merged = assemble(ontology, annotations, genes, Recipe(kin=0.0)).table
    ranked, fused = rankers(hpo, merged, annotations)
    known, left = by_rankers(
        patients,
        ranked,
        fused,
        Unread(annotations, hpo, PLAIN),
        lambda done, of: progress("patients", done, of),
    )
    measures, answered = by_measures(
        [p.terms for p in held],
        [(p.disease,) for p in held],
        hpo,
        plan.deadline,
        lambda done, of: progress("inference", done, of),
    )
    blends = blend(held, plan.blends, plan.seed)
    blended: dict[str, Floats] = {}
    if blends:
        blended, more = by_measures(
            [b.terms for b in blends],
            [b.diseases for b in blends],
            hpo,
            plan.deadline,
            lambda done, of: progress("blends", done, of),
        )
        answered = {k: answered.get(k, 0) + more.get(k, 0) for k in {**answered, **more}}
        scored = [all_scores(ranked, fused, b.terms) for b in blends]
        for name in scored[0]:
            blended[name] = np.array(
                [
                    [position(scores[name], disease) for disease in b.diseases]
                    for scores, b in zip(scored, blends, strict=True)
                ]
            )
    power, fits = temper(held, Likelihood(SINGLE, hpo))
    return Results(
        plan=plan,
        version=hpo.version,
        notice=hpo.notice,
        recipe=hpo.recipe,
        diseases=hpo.table.diseases,
        patients=patients,
        counts=counts,
        issues=issues,
        known=known,
        left=left,
        measures={name: table[:, 0] for name, table in measures.items()},
        blends=blends,
        blended=blended,
        answered=answered,
        power=power,
        fits=fits,
    )
