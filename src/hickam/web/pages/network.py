"""The Network page: browse what a network says, search it, bring one of your own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from hickam.io.formats import upload_suffixes
from hickam.issues import InvalidInput, Issue
from hickam.model.kinds import Model, general_of
from hickam.model.scm import SCM
from hickam.web.api.networks import NodeBody, node_body
from hickam.web.pages.case_page import open_case
from hickam.web.pages.forms import check_own_site, set_key
from hickam.web.pages.render import page
from hickam.web.search import search
from hickam.web.service import ServiceOf

router = APIRouter()
LAYERS = {"d": "Diseases", "f": "Findings", "r": "Risk factors"}
KINDS = {"d": "disease", "f": "finding", "r": "risk factor"}
PER_PAGE = 60


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of one layer of a network."""

    layer: str
    nodes: list[str]
    total: int
    page: int
    pages: int
    counts: dict[str, int]


@router.get("/network")
async def network_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Network page."""
    state, offer = await open_case(request, service)
    network, query = offer.network, request.query_params
    node: NodeBody | None = None
    if query.get("node"):
        node = node_body(network, query["node"])
    sought = query.get("find", "")[:200]
    return page(
        request,
        "network.html",
        title=node.name if node else "Network",
        state=replace(state, news=""),
        offer=offer,
        node=node,
        layers=LAYERS,
        suffixes=upload_suffixes(),
        sought=sought,
        listing=_listing(network, query.get("layer", "d"), query.get("page", "1"), sought),
        issues=[],
        deletable=offer.uploaded and offer.id in request.cookies,
        has_roles=offer.uploaded and isinstance(network, SCM),
    )


@router.post("/network")
async def bring_network(
    request: Request, service: ServiceOf, file: Annotated[UploadFile, File()]
) -> Response:
    """Keep an uploaded network and open a case on it; a file with errors is shown with them."""
    check_own_site(request)
    content = await file.read()
    issues: list[Issue] = []
    try:
        owner = request.client.host if request.client else ""
        offer, key = await service.run(
            lambda: service.shelf.bring(content, file.filename or "network.yaml", owner)
        )
        model = general_of(offer.network)
        guessed = model is not None and bool(model.guessed)
        then = "/network/roles" if guessed else "/network"
        answer = RedirectResponse(f"{then}?n={offer.id}", status_code=303)
        set_key(answer, offer.id, key)
        return answer
    except InvalidInput as bad:
        issues = bad.issues
    state, offer = await open_case(request, service)
    return page(
        request,
        "network.html",
        title="Network",
        state=state,
        offer=offer,
        node=None,
        layers=LAYERS,
        suffixes=upload_suffixes(),
        sought="",
        listing=_listing(offer.network, "d", "1", ""),
        issues=issues,
        deletable=False,
        has_roles=False,
        status=422,
    )


@router.post("/network/delete")
async def delete_network(
    request: Request, service: ServiceOf, n: Annotated[str, Form(max_length=200)]
) -> Response:
    """Delete an upload; the key that allows it is the cookie set when it was brought."""
    check_own_site(request)
    key = request.cookies.get(n, "")
    await service.run(lambda: service.shelf.drop(n, key))
    answer = RedirectResponse("/network", status_code=303)
    answer.delete_cookie(n, path="/network")
    return answer


def _listing(network: Model, layer: str, number: str, sought: str) -> Listing:
    """One page of a layer, or of what a search finds in it."""
    layer = layer if layer in LAYERS else "d"
    axes = {"d": network.diseases, "f": network.findings, "r": network.risk_factors}
    if sought:
        nodes = [match.id for match in search(network, sought, (KINDS[layer],), limit=500)]
    else:
        nodes = sorted(axes[layer], key=lambda node: network.label(node).casefold())
    pages = max(1, -(-len(nodes) // PER_PAGE))
    at = min(max(int(number), 1), pages) if number.isdecimal() and len(number) < 9 else 1
    shown = nodes[(at - 1) * PER_PAGE : at * PER_PAGE]
    counts = {key: len(axis) for key, axis in axes.items()}
    return Listing(layer, shown, len(nodes), at, pages, counts)
