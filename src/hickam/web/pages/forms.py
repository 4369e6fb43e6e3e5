"""What forms that send a file have in common: whose they are, and who may delete it."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

KEY_KEPT = 90 * 86_400  # seconds for which a browser remembers that it may delete its upload


def check_own_site(request: Request) -> None:
    """Refuse a form that another site sends."""
    origin = request.headers.get("origin")
    if origin and origin.split("://", 1)[-1] != request.headers.get("host"):
        raise HTTPException(403, "this form belongs to another site")


def set_key(answer: Response, network_id: str, key: str) -> None:
    """Let the browser remember the key that deletes an upload."""
    answer.set_cookie(
        network_id, key, path="/network", max_age=KEY_KEPT, httponly=True, samesite="strict"
    )
