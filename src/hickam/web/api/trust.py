"""Questions about how far an answer can be trusted, over HTTP."""

from __future__ import annotations

import time

from fastapi import APIRouter

from hickam.report.robust import statement
from hickam.trust.robust import robust
from hickam.trust.sensitivity import sensitivity
from hickam.web.answers import Provenance
from hickam.web.api.cases import consult
from hickam.web.problems import RESPONSES
from hickam.web.service import ServiceOf
from hickam.web.trust import RobustAnswer, RobustBody, SensitivityAnswer, SensitivityBody

router = APIRouter(prefix="/networks/{network_id}", tags=["cases"], responses=RESPONSES)


@router.post("/sensitivity")
async def sensitivity_of(
    network_id: str, body: SensitivityBody, service: ServiceOf
) -> SensitivityAnswer:
    """How the score and rank of a candidate follow each number of the network, exactly."""
    offer = await service.offer(network_id)

    def job() -> SensitivityAnswer:
        begun = time.perf_counter()
        asked = consult(service, offer, body)
        found = sensitivity(
            offer.network,
            asked.case,
            body.measure,
            candidate=body.candidate,
            factor=body.factor,
            top=body.top,
            **asked.options,
        )
        seconds = time.perf_counter() - begun
        provenance = Provenance.of(offer, found.engine, found.accuracy, found.in_force, seconds)
        return SensitivityAnswer.of(provenance, found, body.top)

    return await service.run(job)


@router.post("/robust")
async def robust_of(network_id: str, body: RobustBody, service: ServiceOf) -> RobustAnswer:
    """How often the order stays when every estimate of the network is drawn anew."""
    offer = await service.offer(network_id)

    def job() -> RobustAnswer:
        begun = time.perf_counter()
        asked = consult(service, offer, body)
        found = robust(
            offer.network,
            asked.case,
            body.measure,
            factor=body.factor,
            draws=body.draws,
            top=body.top,
            **asked.options,
        )
        beliefs, seconds = asked.beliefs, time.perf_counter() - begun
        provenance = Provenance.of(
            offer, beliefs.engine, beliefs.accuracy, beliefs.in_force, seconds
        )
        return RobustAnswer.of(provenance, found, statement(found, offer.network))

    return await service.run(job)
