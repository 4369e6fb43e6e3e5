"""Questions about a case over HTTP."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Response

from hickam.advise.pairs import pairs
from hickam.advise.second_opinion import second_opinion
from hickam.issues import InvalidInput, Issue, invalid
from hickam.report.sentences import explain as sentences
from hickam.web.answers import (
    BatchAnswer,
    BatchItem,
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
)
from hickam.web.bodies import (
    FORMS,
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
from hickam.web.consult import (
    Consultation,
    ask_next,
    check_size,
    draw_twin,
    find_disease,
    outcome,
)
from hickam.web.documents import record_of, written
from hickam.web.problems import RESPONSES, IssueBody
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the document in the form asked for",
        "content": {
            kind: {"schema": {"type": "object" if kind.endswith("json") else "string"}}
            for kind in FORMS.values()
        },
    }
}
router = APIRouter(prefix="/networks/{network_id}", tags=["cases"], responses=RESPONSES)


def _consult(service: Service, offer: Offer, body: Question, engine: str = "auto") -> Consultation:
    return _read(service, offer, body, engine)[0]


def _read(
    service: Service, offer: Offer, body: Question, engine: str = "auto"
) -> tuple[Consultation, list[Issue]]:
    """The case inferred, and what of a phenopacket could not be used."""
    options = body.options.to_options(service.seconds)
    case, left_out = body.case.to_case(offer.network)
    findings = service.settings.findings
    return service.memory.consult(offer.network, case, options, findings, engine), left_out


@router.post("/diagnose", response_model=DifferentialBody)
async def diagnose(network_id: str, body: DiagnoseBody, service: ServiceOf) -> Response:
    """The differential: which diseases explain the findings, ranked by a measure."""
    offer = await service.offer(network_id)

    def job() -> DifferentialBody:
        begun = time.perf_counter()
        asked, left_out = _read(service, offer, body, body.engine)
        dx = asked.differential(
            body.measure, body.top, cruelty=body.cruelty, treatment=body.treatment
        )
        return DifferentialBody.of(offer, dx, time.perf_counter() - begun, left_out)

    return await service.answer(job)


@router.post("/pairs")
async def pairs_of(network_id: str, body: PairsBody, service: ServiceOf) -> PairsAnswer:
    """The best pairs of diseases, what each of the two explains and what is left without it."""
    offer = await service.offer(network_id)

    def job() -> PairsAnswer:
        begun = time.perf_counter()
        asked = _consult(service, offer, body)
        found = pairs(offer.network, asked.case, top=body.top, **asked.options)
        beliefs, seconds = asked.beliefs, time.perf_counter() - begun
        return PairsAnswer.of(
            Provenance.of(offer, beliefs.engine, found.accuracy, beliefs.in_force, seconds), found
        )

    return await service.run(job)


@router.post("/export", response_class=Response, responses=EXPORTED)
async def export(network_id: str, body: ExportBody, service: ServiceOf) -> Response:
    """The differential as a phenopacket with interpretations, a table, or a report in HTML."""
    offer = await service.offer(network_id)

    def job() -> str:
        asked, left_out = _read(service, offer, body, body.engine)
        dx = asked.differential(
            body.measure, body.top, cruelty=body.cruelty, treatment=body.treatment
        )
        both = pairs(offer.network, asked.case, **asked.options) if body.pairs else None
        record = record_of(offer, asked, dx, both, left_out, body.case.phenopacket)
        return written(record, body.form, body.case.phenopacket)

    return Response(await service.run(job), media_type=FORMS[body.form])


@router.post("/explain")
async def explain(network_id: str, body: ExplainBody, service: ServiceOf) -> ExplanationBody:
    """Why one disease stands where it stands: for, against, and what to look for."""
    offer = await service.offer(network_id)

    def job() -> ExplanationBody:
        begun = time.perf_counter()
        disease = find_disease(offer.network, body.disease)
        asked = _consult(service, offer, body, body.engine)
        dx = asked.differential(body.measure, None)
        candidate = dx.of(disease)
        seconds = time.perf_counter() - begun
        return ExplanationBody(
            provenance=Provenance.of(offer, dx.engine, dx.accuracy, dx.in_force, seconds),
            candidate=CandidateBody.of(candidate),
            look_for=[ExpectedBody.model_validate(e) for e in asked.look_for(disease)],
            in_words=sentences(candidate, dx),
        )

    return await service.run(job)


@router.post("/what-if")
async def what_if(network_id: str, body: WhatIfBody, service: ServiceOf) -> WhatIfAnswer:
    """The findings in the factual world and in one where diseases are cured or causes are off."""
    offer = await service.offer(network_id)

    def job() -> WhatIfAnswer:
        begun = time.perf_counter()
        asked = _consult(service, offer, body)
        question, cure = outcome(asked, body.cure, body.only, body.remove)
        beliefs, network = asked.beliefs, offer.network
        removed = cure.removed if cure else {}
        accuracy = cure.accuracy if cure else beliefs.accuracy
        seconds = time.perf_counter() - begun
        return WhatIfAnswer(
            provenance=Provenance.of(offer, beliefs.engine, accuracy, beliefs.in_force, seconds),
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

    return await service.run(job)


@router.post("/next")
async def next_finding(network_id: str, body: NextBody, service: ServiceOf) -> NextAnswer:
    """Which finding to ask about next: its value, the reason in words, and when to stop."""
    offer = await service.offer(network_id)

    def job() -> NextAnswer:
        begun = time.perf_counter()
        asked = _consult(service, offer, body)
        advice = ask_next(
            offer.network,
            asked.case,
            asked.options,
            alpha=body.alpha,
            costs=body.costs,
            top=body.top,
            seconds=asked.seconds,
        )
        beliefs = asked.beliefs
        seconds = time.perf_counter() - begun
        return NextAnswer.of(
            Provenance.of(offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, seconds),
            advice,
        )

    return await service.run(job)


@router.post("/second-opinion")
async def second_opinion_on(
    network_id: str, body: SecondOpinionBody, service: ServiceOf
) -> SecondOpinionAnswer:
    """Your own differential beside the network's, and the two fused."""
    offer = await service.offer(network_id)

    def job() -> SecondOpinionAnswer:
        begun = time.perf_counter()
        settings = service.settings
        case, _ = body.case.to_case(offer.network)
        check_size(case, settings.findings)
        options = body.options.to_options(service.seconds)
        found = second_opinion(offer.network, case, body.differential, body.measure, **options)
        dx = found.differential
        seconds = time.perf_counter() - begun
        return SecondOpinionAnswer(
            provenance=Provenance.of(offer, dx.engine, dx.accuracy, dx.in_force, seconds),
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

    return await service.run(job)


@router.post("/twin")
async def twin(network_id: str, body: TwinBody, service: ServiceOf) -> TwinAnswer:
    """The twin network of a case: the factual and the counterfactual world, drawn."""
    offer = await service.offer(network_id)

    def job() -> TwinAnswer:
        begun = time.perf_counter()
        picture, svg = draw_twin(
            offer.network,
            body.case.to_case(offer.network)[0],
            body.disease,
            body.measure,
            body.stage,
            service.settings,
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

    def job() -> BatchAnswer:
        begun = time.perf_counter()
        results = []
        for case in body.cases:
            left = settings.deadline - (time.perf_counter() - begun)
            question = Question(case=case, options=body.options)
            try:
                if left <= 0.0:
                    fix = "send fewer cases at once"
                    raise invalid("the batch", "ran out of time before this case", fix)
                asked_at = time.perf_counter()
                asked, left_out = _read(service, offer, question)
                dx = asked.differential(body.measure, body.top)
                seconds = time.perf_counter() - asked_at
                answer = DifferentialBody.of(offer, dx, seconds, left_out)
                results.append(BatchItem(id=case.id, differential=answer))
            except InvalidInput as bad:
                issues = [IssueBody.model_validate(issue.as_dict()) for issue in bad.issues]
                results.append(BatchItem(id=case.id, issues=issues))
        return BatchAnswer(results=results, milliseconds=1000 * (time.perf_counter() - begun))

    return await service.answer(job)
