"""Questions about a case over HTTP."""

from __future__ import annotations

import time
from typing import Any, TypeVar

from fastapi import APIRouter, Response

from hickam.advise.pairs import pairs
from hickam.advise.second_opinion import second_opinion
from hickam.exports import FORMS, record_of
from hickam.issues import InvalidInput, invalid
from hickam.measures.differential import Differential
from hickam.report.sentences import explain as sentences
from hickam.web.answers import (
    BatchAnswer,
    CandidateBody,
    DifferentialBody,
    ExpectedBody,
    ExplanationBody,
    FindingOutcome,
    LeftOpenBody,
    NextAnswer,
    OpinionLine,
    PairsAnswer,
    Provenance,
    SecondOpinionAnswer,
    TwinAnswer,
    WhatIfAnswer,
    differential_answer,
)
from hickam.web.api.asking import Asked, answered
from hickam.web.bodies import (
    BatchBody,
    DiagnoseBody,
    ExplainBody,
    ExportBody,
    NextBody,
    PairsBody,
    Question,
    SecondOpinionBody,
    TwinBody,
    WhatIfBody,
)
from hickam.web.consult import Consultation, ask_next, draw_twin, find_disease, outcome
from hickam.web.problems import RESPONSES
from hickam.web.service import ServiceOf

D = TypeVar("D", bound=DiagnoseBody)
EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the document in the form asked for",
        "content": {
            kind: {"schema": {"type": "object" if kind.endswith("json") else "string"}}
            for kind in (form.media_type for form in FORMS.values())
        },
    }
}
router = APIRouter(prefix="/networks/{network_id}", tags=["cases"], responses=RESPONSES)


@router.post("/diagnose", response_model=DifferentialBody)
async def diagnose(network_id: str, body: DiagnoseBody, service: ServiceOf) -> Response:
    """The differential: which diseases explain the findings, ranked by a measure."""
    offer = await service.offer(network_id)

    def job() -> dict[str, Any]:
        asked = Asked(service, offer, body)
        dx = _differential(asked)[1]
        return differential_answer(offer, dx, asked.seconds, asked.left_out())

    return await service.answer(job)


@router.post("/pairs")
async def pairs_of(network_id: str, body: PairsBody, service: ServiceOf) -> PairsAnswer:
    """The best pairs of diseases, what each of the two explains and what is left without it."""

    def answer(asked: Asked[PairsBody]) -> PairsAnswer:
        held = asked.consult()
        found = pairs(asked.network, held.case, top=body.top, **held.options)
        return PairsAnswer.of(asked.provenance(held.beliefs, found.accuracy), found)

    return await answered(service, network_id, body, answer)


@router.post("/export", response_class=Response, responses=EXPORTED)
async def export(network_id: str, body: ExportBody, service: ServiceOf) -> Response:
    """The differential as a phenopacket with interpretations, a table, or a report in HTML."""
    form = FORMS[body.form]

    def answer(asked: Asked[ExportBody]) -> str:
        held, dx = _differential(asked)
        record = record_of(
            asked.network,
            held.case,
            dx,
            pairs=pairs(asked.network, held.case, **held.options) if body.pairs else None,
            warnings=asked.left_out(),
            document=body.case.phenopacket,
        )
        return form.write(record)

    text = await answered(service, network_id, body, answer)
    return Response(text, media_type=form.media_type)


@router.post("/explain")
async def explain(network_id: str, body: ExplainBody, service: ServiceOf) -> ExplanationBody:
    """Why one disease stands where it stands: for, against, and what to look for."""

    def answer(asked: Asked[ExplainBody]) -> ExplanationBody:
        disease = find_disease(asked.network, body.disease)
        held = asked.consult(body.engine)
        dx = held.differential(body.measure, None)
        candidate = dx.of(disease)
        return ExplanationBody(
            provenance=asked.provenance(dx),
            candidate=CandidateBody.of(candidate),
            look_for=[ExpectedBody.model_validate(e) for e in held.look_for(disease)],
            in_words=sentences(candidate, dx),
        )

    return await answered(service, network_id, body, answer)


@router.post("/what-if")
async def what_if(network_id: str, body: WhatIfBody, service: ServiceOf) -> WhatIfAnswer:
    """The findings in the factual world and in one where diseases are cured or causes are off."""

    def answer(asked: Asked[WhatIfBody]) -> WhatIfAnswer:
        held = asked.consult()
        question, cure = outcome(held, body.cure, body.only, body.remove)
        beliefs, network = held.beliefs, asked.network
        removed = cure.removed if cure else {}
        return WhatIfAnswer(
            provenance=asked.provenance(beliefs, cure.accuracy if cure else None),
            question=question,
            diseases=list(cure.diseases) if cure else [],
            findings=[
                FindingOutcome(finding=f, name=network.label(f), gone=removed.get(f, 0.0))
                for f in beliefs.present
            ],
            expected_gone=cure.expected if cure else 0.0,
            smallest=cure.smallest if cure and body.remove is not None else None,
            reached=cure is not None,
        )

    return await answered(service, network_id, body, answer)


@router.post("/next")
async def next_finding(network_id: str, body: NextBody, service: ServiceOf) -> NextAnswer:
    """Which finding to ask about next: its value, the reason in words, and when to stop."""

    def answer(asked: Asked[NextBody]) -> NextAnswer:
        held = asked.consult()
        advice = ask_next(
            asked.network,
            held.case,
            held.options,
            alpha=body.alpha,
            costs=body.costs,
            top=body.top,
            seconds=held.seconds,
        )
        return NextAnswer.of(asked.provenance(held.beliefs), advice)

    return await answered(service, network_id, body, answer)


@router.post("/second-opinion")
async def second_opinion_on(
    network_id: str, body: SecondOpinionBody, service: ServiceOf
) -> SecondOpinionAnswer:
    """Your own differential beside the network's, and the two fused."""

    def answer(asked: Asked[SecondOpinionBody]) -> SecondOpinionAnswer:
        options = body.options.to_options(service.seconds)
        found = second_opinion(
            asked.network, asked.case(), body.differential, body.measure, **options
        )
        dx = found.differential
        return SecondOpinionAnswer(
            provenance=asked.provenance(dx),
            measure=body.measure,
            doctor=list(found.doctor),
            algorithm=list(found.algorithm),
            fused=list(found.fused),
            outside=list(found.outside),
            lines=[OpinionLine.model_validate(line) for line in found.lines],
            weights=found.weights.source,
            candidates=[CandidateBody.of(c) for c in dx[: body.top]],
            missing=[CandidateBody.of(dx.of(urgent.disease)) for urgent in found.overlooked],
            left_open=[LeftOpenBody.model_validate(item) for item in found.left_open],
            warnings=list(found.warnings),
        )

    return await answered(service, network_id, body, answer)


@router.post("/twin")
async def twin(network_id: str, body: TwinBody, service: ServiceOf) -> TwinAnswer:
    """The twin network of a case: the factual and the counterfactual world, drawn."""

    offer = await service.offer(network_id)

    def job() -> TwinAnswer:
        begun = time.perf_counter()
        case, _ = body.case.to_case(offer.network)
        picture, svg = draw_twin(
            offer.network, case, body.disease, body.measure, body.stage, service.settings
        )
        provenance = Provenance.of(offer, "", None, (), time.perf_counter() - begun)
        return TwinAnswer(provenance=provenance, title=picture.title, note=picture.note, svg=svg)

    return await service.run(job)


@router.post("/batch", response_model=BatchAnswer)
async def batch(network_id: str, body: BatchBody, service: ServiceOf) -> Response:
    """Many cases at once. A mistake in one case is reported with it and stops no other."""
    settings = service.settings
    if len(body.cases) > settings.batch:
        fix = f"send at most {settings.batch} at once"
        raise invalid("the batch", f"has {len(body.cases)} cases", fix)
    offer = await service.offer(network_id)

    def job() -> dict[str, Any]:
        begun = time.perf_counter()
        results: list[dict[str, Any]] = []
        for case in body.cases:
            left = settings.deadline - (time.perf_counter() - begun)
            asked = Asked(service, offer, Question(case=case, options=body.options))
            try:
                if left <= 0.0:
                    fix = "send fewer cases at once"
                    raise invalid("the batch", "ran out of time before this case", fix)
                dx = asked.consult().differential(body.measure, body.top)
                answer = differential_answer(offer, dx, asked.seconds, asked.left_out())
                results.append({"id": case.id, "differential": answer, "issues": []})
            except InvalidInput as bad:
                issues = [issue.as_dict() for issue in bad.issues]
                results.append({"id": case.id, "differential": None, "issues": issues})
        return {"results": results, "milliseconds": 1000 * (time.perf_counter() - begun)}

    return await service.answer(job)


def _differential(asked: Asked[D]) -> tuple[Consultation, Differential]:
    """The case inferred, and its differential as the body wants it."""
    body = asked.body
    held = asked.consult(body.engine)
    return held, held.differential(
        body.measure, body.top, cruelty=body.cruelty, treatment=body.treatment
    )
