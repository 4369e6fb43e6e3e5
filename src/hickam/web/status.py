"""How the service is doing: for those who watch it."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

import hickam
from hickam.web.metrics import exposition


def health_response(busy: bool, waiting: int) -> JSONResponse:
    """Whether the service can take work: 200, or 503 while its queue is full."""
    body = {"status": "busy" if busy else "ok", "waiting": waiting, "hickam": hickam.__version__}
    return JSONResponse(body, 503 if busy else 200)


def metrics_response() -> Response:
    """The metrics in Prometheus' text format."""
    body, media_type = exposition()
    return Response(body, media_type=media_type)
