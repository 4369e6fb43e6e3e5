"""One finding in its surroundings: go to what is more general or more specific."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.evidence.hierarchy import broader, narrower
from hickam.language.vocabulary import find_all, vocabularies
from hickam.model.kinds import Model
from hickam.report.references import address_of
from hickam.web.pages.case_page import open_case, panel
from hickam.web.pages.render import page
from hickam.web.service import ServiceOf

router = APIRouter()
SYNONYMS = 12


@dataclass(frozen=True, slots=True)
class Around:
    """A finding, what is right above and right below it."""

    id: str
    name: str
    address: str
    synonyms: tuple[str, ...]
    broader: tuple[str, ...]
    narrower: tuple[str, ...]
    causes: int  # diseases that can cause it


def around(network: Model, finding: str) -> Around:
    """The surroundings of a finding."""
    entry = network.entries[finding]
    return Around(
        id=finding,
        name=entry.name,
        address=address_of(finding),
        synonyms=tuple(word for word in entry.synonyms if not address_of(word))[:SYNONYMS],
        broader=broader(network, finding),
        narrower=narrower(network, finding),
        causes=len(network.effects.of_effect(network.index[finding])),
    )


@router.get("/term")
async def term_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """One finding with the terms around it."""
    state, offer = await open_case(request, service)
    words = vocabularies(offer.network)["finding"]
    place = find_all(words, [request.query_params.get("term", "")[:200]])[0]
    term = around(offer.network, words.ids[place])
    return page(
        request,
        "term.html",
        title=term.name,
        state=state.set(news=""),
        offer=offer,
        here="/",
        term=term,
        **panel(request, offer, state),
    )
