"""The page for the record: one sheet to print, a note to copy, files to keep."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

import hickam
from hickam.advise.red_flags import red_flags
from hickam.advise.triage import triage
from hickam.evidence.known import by_id
from hickam.issues import Issue
from hickam.report.note import LISTED, Summary, note
from hickam.report.plain import to_json
from hickam.web.pages.case_page import ask, attempt, open_case
from hickam.web.pages.render import page
from hickam.web.pages.state import State
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()


@router.get("/record")
async def record_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The sheet, the note and the files."""
    state, offer = await open_case(request, service)
    summary: Summary | None = None
    issues: list[Issue] = []
    if not state.empty:
        summary, issues = await attempt(service, lambda: summarise(service, offer, state))
    return page(
        request,
        "record.html",
        title="For the record",
        state=replace(state, news=""),
        offer=offer,
        summary=summary,
        note=note(summary) if summary else "",
        issues=issues,
    )


@router.get("/record.json")
async def record_json(request: Request, service: ServiceOf) -> Response:
    """The case and its answer as JSON, to keep."""
    state, offer = await open_case(request, service)

    def job() -> str:
        summary = summarise(service, offer, state)
        case = summary.case
        known = {
            "id": case.id,
            "present": list(case.present),
            "absent": list(case.absent),
            "risks": dict(case.risks),
            "categories": dict(case.categories),
            "sex": case.sex,
            "age": case.age,
        }
        return to_json(
            {
                "hickam": hickam.__version__,
                "made": summary.made,
                "network": {"name": offer.network.name, "hash": offer.network.hash},
                "case": {key: value for key, value in known.items() if value not in (None, "")},
                "unknown": list(summary.unknown),
                "differential": summary.dx.to_dict(),
                "red_flags": summary.red_flags.to_dict(),
                "triage": summary.triage.to_dict() if summary.triage else None,
            }
        )

    kept = {"Content-Disposition": 'attachment; filename="hickam-case.json"'}
    return Response(await service.run(job), media_type="application/json", headers=kept)


def summarise(service: Service, offer: Offer, state: State) -> Summary:
    """One patient on one page."""
    asked = ask(service, offer, replace(state, news=""))
    network, beliefs = offer.network, asked.beliefs
    return Summary(
        network=network,
        case=by_id(network, asked.case),
        dx=asked.differential("disablement", 2 * LISTED),
        red_flags=red_flags(network, asked.evidence, beliefs, skip=state.unknown),
        triage=triage(network, asked.evidence, beliefs),
        unknown=state.unknown,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
