"""Phenopackets in and documents out: a case opened from a file, and its answer to keep."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from hickam.advise.pairs import pairs
from hickam.exports import FORMS, record_of
from hickam.io.documents import locate_issues, parse
from hickam.io.phenopackets import case_for
from hickam.issues import InvalidInput, Issue, Kind, did_you_mean, invalid
from hickam.web.pages.case_page import ask, open_case
from hickam.web.pages.diagnose import diagnose_page, show
from hickam.web.pages.forms import check_own_site
from hickam.web.pages.state import State
from hickam.web.pages.studies import REPORT_POLICY
from hickam.web.service import ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
KEPT = 10  # candidates in a document
NOTED = 20  # terms left out that the page names


@router.post("/phenopacket")
async def open_packet(
    request: Request,
    service: ServiceOf,
    file: Annotated[UploadFile, File()],
    n: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Go to the case in an uploaded phenopacket; a file with errors is shown with them."""
    check_own_site(request)
    content = await file.read()
    offer = await service.offer(n or service.shelf.default)
    name = (file.filename or "patient.json")[:200]
    try:
        state = await service.run(lambda: _state(offer, content, name))
        if service.settings.hide_case:  # a redirect would tell it
            query = urlencode(state.pairs()).encode()
            return await diagnose_page(Request({**request.scope, "query_string": query}), service)
        return RedirectResponse(state.url("/"), status_code=303)
    except InvalidInput as bad:
        return show(request, offer, State(network=offer.id), bad.issues, status=422)


def _state(offer: Offer, content: bytes, name: str) -> State:
    """The case in a file as the state of a page."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid(f"file '{name}'", "is not UTF-8 text", "save it as UTF-8") from None
    as_json = text.lstrip()[:1] in ("{", "[")
    document, issues = parse(text, name, as_json=as_json)
    try:
        case, found = case_for(offer.network, document, f"file '{name}'")
    except InvalidInput as bad:
        raise InvalidInput(locate_issues([*issues, *bad.issues], text, name)) from None
    if issues:
        raise InvalidInput(issues)
    return State(
        network=offer.id,
        present=tuple(case.present),
        absent=tuple(case.absent),
        yes=tuple(risk for risk, on in case.risks.items() if on is True),
        no=tuple(risk for risk, on in case.risks.items() if on is False),
        categories=tuple((name, str(value)) for name, value in case.categories.items()),
        sex=case.sex or "",
        age="" if case.age is None else f"{case.age:.6g}",
        left_out=tuple(_term(issue) for issue in found if issue.kind is Kind.UNKNOWN_NAME)[:NOTED],
    )


def _term(issue: Issue) -> str:
    """The term that an issue is about, as it was written."""
    return issue.where.removeprefix("finding ")[:100]


@router.get("/export")
async def export(request: Request, service: ServiceOf) -> Response:
    """The answer on this page as a document to keep."""
    state, offer = await open_case(request, service)
    name = request.query_params.get("form", "html")
    if name not in FORMS:
        raise invalid(f"form '{name[:40]}'", "is not known", did_you_mean(name[:40], FORMS))
    form = FORMS[name]

    def job() -> str:
        asked = ask(service, offer, state.set(news=""))
        dx = asked.differential(state.measure, KEPT)
        both = pairs(offer.network, asked.case, **asked.options) if name == "html" else None
        return form.write(record_of(offer.network, asked.case, dx, pairs=both))

    how = "inline" if name == "html" else "attachment"
    kept = {
        "Content-Disposition": f'{how}; filename="hickam{form.ending}"',
        "Content-Security-Policy": REPORT_POLICY,
    }
    return Response(await service.run(job), media_type=form.media_type, headers=kept)
