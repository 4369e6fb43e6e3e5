"""The page on two diseases at once: the best pairs, and what is left over without either."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.advise.pairs import Pairs, pairs
from hickam.issues import Issue
from hickam.measures.differential import Candidate
from hickam.web.answers import Provenance
from hickam.web.pages.case_page import ask, attempt, comes_later, open_case, panel
from hickam.web.pages.render import page
from hickam.web.pages.state import State
from hickam.web.service import Service, ServiceOf
from hickam.web.shelf import Offer

router = APIRouter()
SHOWN = 5
UNLIKELY = 0.01  # a pair below this is hardly the answer


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    """The best pairs beside the best single disease."""

    found: Pairs
    single: Candidate  # the disease that explains most by itself
    provenance: Provenance

    @property
    def unlikely(self) -> bool:
        """Whether no pair is likely."""
        return all(pair.chance < UNLIKELY for pair in self.found)


@router.get("/pairs")
async def pairs_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The page on two diseases at once."""
    state, offer = await open_case(request, service)
    company: Company | None = None
    issues: list[Issue] = []
    later = comes_later(request, state)
    if state.present and not later:
        company, issues = await attempt(
            service, lambda: _company(service, offer, state.set(news=""))
        )
    return page(
        request,
        "pairs.html",
        title="Two diseases at once",
        state=state,
        offer=offer,
        company=company,
        later=later,
        issues=issues,
        **panel(request, offer, state),
    )


def _company(service: Service, offer: Offer, state: State) -> Company:
    """The pairs of a case."""
    asked = ask(service, offer, state)
    found = pairs(offer.network, asked.case, top=SHOWN, **asked.options)
    beliefs = asked.beliefs
    provenance = Provenance.of(
        offer, beliefs.engine, found.accuracy, beliefs.in_force, asked.seconds
    )
    return Company(found, asked.differential("disablement", 1)[0], provenance)
