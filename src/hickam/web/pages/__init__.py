"""The pages, rendered on the server; the case lives in the address."""

from __future__ import annotations

from fastapi import APIRouter

from hickam.web.pages import diagnose

pages = APIRouter(include_in_schema=False)
pages.include_router(diagnose.router)
