"""The pages, rendered on the server; the case lives in the address."""

from __future__ import annotations

from fastapi import APIRouter

from hickam.web.pages import (
    api_docs,
    diagnose,
    interview,
    learn,
    network,
    packets,
    pairs,
    record,
    roles,
    second_opinion,
    studies,
    term,
    trust,
    what_if,
)

pages = APIRouter(include_in_schema=False)
for each in (
    *(diagnose, interview, what_if, pairs, trust, term, packets, record),
    *(second_opinion, network, roles, studies, learn, api_docs),
):
    pages.include_router(each.router)
