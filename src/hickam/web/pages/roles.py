"""The roles of an uploaded model: what was guessed, and a table to set it right."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from hickam.io.network_document import model_document
from hickam.issues import InvalidInput, Issue, error, raise_errors
from hickam.model.node import ROLES
from hickam.model.roles import Part, with_roles
from hickam.model.scm import SCM
from hickam.web.pages.case_page import open_case
from hickam.web.pages.forms import check_own_site, set_key
from hickam.web.pages.render import page
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
WORDS = {
    "risk factor": "risk factor",
    "disease": "disease",
    "finding": "finding",
    "other": "ignored",
}
MOST_FIELDS = 20_000


@dataclass(frozen=True, slots=True)
class Row:
    """One node of the table, as it is or as the form has it."""

    number: int
    name: str
    label: str
    role: str
    states: tuple[str, ...]
    normal: str  # empty: none
    causes: int
    effects: int
    wrong: str = ""
    asked: bool = False  # nobody says which state is normal


@router.get("/network/roles")
async def roles_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The table of roles and normal states."""
    _, offer = await open_case(request, service)
    return await _page(request, service, offer, {}, [])


@router.post("/network/roles")
async def set_roles(request: Request, service: ServiceOf) -> Response:
    """Keep the model with the roles of the form, in place of the one that was brought."""
    check_own_site(request)
    _, offer = await open_case(request, service)
    form = await request.form(max_fields=MOST_FIELDS, max_files=0)
    model = _general(offer)
    said = {key: value for key, value in form.items() if isinstance(value, str)}
    parts = {
        name: Part(said.get(f"r{number}", ""), said.get(f"s{number}", ""))
        for number, name in enumerate(_shown(model))
        if f"r{number}" in said
    }
    owner = request.client.host if request.client else ""
    try:
        kept, key = await service.run(lambda: _keep(service, offer, model, parts, owner))
    except InvalidInput as bad:
        return await _page(request, service, offer, parts, bad.issues, 422)
    answer = RedirectResponse(f"/network?n={kept.id}", status_code=303)
    set_key(answer, kept.id, key)
    old = request.cookies.get(offer.id, "")
    if offer.uploaded and old:
        await service.run(lambda: service.shelf.drop(offer.id, old))
        answer.delete_cookie(offer.id, path="/network")
    return answer


def _keep(
    service: Service, offer: Offer, model: SCM, parts: Mapping[str, Part], owner: str
) -> tuple[Offer, str]:
    """The model with its roles as said, kept in our own format."""
    found = with_roles(model, parts)
    for role, layer in (("disease", found.diseases), ("finding", found.findings)):
        if not layer:
            raise_errors([error("the roles", f"leave no {role}", f"make one node a {role}")])
    text = json.dumps(model_document(found), ensure_ascii=False)
    return service.shelf.bring(text.encode("utf-8"), "network.json", owner)


async def _page(
    request: Request,
    service: Service,
    offer: Offer,
    parts: Mapping[str, Part],
    issues: list[Issue],
    status: int = 200,
) -> HTMLResponse:
    """The table with what a form said, and what is wrong with it beside the nodes."""
    state, _ = await open_case(request, service)
    model = _general(offer)
    rows = [_row(model, number, name, parts, issues) for number, name in enumerate(_shown(model))]
    placed = {row.wrong for row in rows}
    counts = Counter(row.role for row in rows)
    return page(
        request,
        "roles.html",
        title="Roles",
        state=state,
        offer=offer,
        rows=rows,
        roles=WORDS,
        counts={WORDS[role]: counts[role] for role in ROLES},
        guessed=bool(model.guessed),
        issues=[issue for issue in issues if _told(issue) not in placed],
        status=status,
    )


def _shown(model: SCM) -> list[str]:
    """The nodes that have a role, as the document lists them."""
    return [name for name in model.order if name in model.index]


def _row(model: SCM, number: int, name: str, parts: Mapping[str, Part], issues: list[Issue]) -> Row:
    """One row; what the form said counts before what the model says."""
    node = model.nodes[name]
    part = parts.get(name, Part(""))
    normal = "" if node.normal is None else node.states[node.normal]
    wrong = next((_told(issue) for issue in issues if issue.where.endswith(f" of '{name}'")), "")
    return Row(
        number,
        name,
        model.label(name),
        part.role if part.role in ROLES else node.role,
        node.states,
        part.normal if part.normal in node.states else normal,
        len(model.direct_causes(name)),
        len({model.shown(child) for child in model.children[name]}),
        wrong,
        name in model.guessed.normal and not part.normal,
    )


def _told(issue: Issue) -> str:
    """What is wrong and how to mend it, beside the node that it is about."""
    return f"{issue.what}; {issue.fix}" if issue.fix else issue.what


def _general(offer: Offer) -> SCM:
    """The model of an offer, which must be a general one."""
    if isinstance(offer.network, SCM):
        return offer.network
    what = "has three layers: the file itself says what is a disease and what a finding"
    raise InvalidInput([error(f"network '{offer.network.name}'", what, "edit the file")])
