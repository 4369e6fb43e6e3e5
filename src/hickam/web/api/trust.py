"""Questions about how far an answer can be trusted, over HTTP."""

from __future__ import annotations

from fastapi import APIRouter

from hickam.report.robust import statement
from hickam.trust.robust import robust
from hickam.trust.sensitivity import sensitivity
from hickam.web.api.asking import Asked, answered
from hickam.web.problems import RESPONSES
from hickam.web.service import ServiceOf
from hickam.web.trust import RobustAnswer, RobustBody, SensitivityAnswer, SensitivityBody

router = APIRouter(prefix="/networks/{network_id}", tags=["cases"], responses=RESPONSES)


@router.post("/sensitivity")
async def sensitivity_of(
    network_id: str, body: SensitivityBody, service: ServiceOf
) -> SensitivityAnswer:
    """How the score and rank of a candidate follow each number of the network, exactly."""

    def answer(asked: Asked[SensitivityBody]) -> SensitivityAnswer:
        held = asked.consult()
        found = sensitivity(
            asked.network,
            held.case,
            body.measure,
            candidate=body.candidate,
            factor=body.factor,
            top=body.top,
            **held.options,
        )
        return SensitivityAnswer.of(asked.provenance(found), found, body.top)

    return await answered(service, network_id, body, answer)


@router.post("/robust")
async def robust_of(network_id: str, body: RobustBody, service: ServiceOf) -> RobustAnswer:
    """How often the order stays when every estimate of the network is drawn anew."""

    def answer(asked: Asked[RobustBody]) -> RobustAnswer:
        held = asked.consult()
        found = robust(
            asked.network,
            held.case,
            body.measure,
            factor=body.factor,
            draws=body.draws,
            top=body.top,
            **held.options,
        )
        said = statement(found, asked.network)
        return RobustAnswer.of(asked.provenance(held.beliefs), found, said)

    return await answered(service, network_id, body, answer)
