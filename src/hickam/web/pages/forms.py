"""What every form that sends a file must check."""

from __future__ import annotations

from fastapi import Request
from starlette.exceptions import HTTPException


def check_own_site(request: Request) -> None:
    """Refuse a form that another site sends."""
    origin = request.headers.get("origin")
    if origin and origin.split("://", 1)[-1] != request.headers.get("host"):
        raise HTTPException(403, "this form belongs to another site")
