"""The door: limits before a request is read, security headers, a log line and metrics after."""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import Awaitable, Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hickam.web.limits import RateLimit
from hickam.web.logs import log_request
from hickam.web.metrics import REFUSED, observe_request
from hickam.web.problems import MEDIA_TYPE, problem
from hickam.web.settings import Settings

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OnFault = Callable[[Request, Exception], Awaitable[Response]]
API = "/api/v1"
FREE = ("/health", "/metrics", "/static/")
UPLOADS = ("/api/v1/networks", "/network")


class Guard:
    """Middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings, on_fault: OnFault) -> None:
        self.app = app
        self.settings = settings
        self.on_fault = on_fault
        self.rate = RateLimit(settings.rate, settings.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        request_id = secrets.token_hex(8)
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers["X-Request-Id"] = request_id
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._answer(scope, receive, send_with_headers)
        except Exception as fault:  # the last place that can answer
            answer = await self.on_fault(Request(scope), fault)
            await answer(scope, receive, send_with_headers)
        finally:
            seconds = time.perf_counter() - begun
            route = _route(scope)
            observe_request(route, scope["method"], status, seconds)
            log_request(
                {
                    "request": request_id,
                    "method": scope["method"],
                    "route": route,
                    "status": status,
                    "ms": round(1000 * seconds, 2),
                }
            )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the limits, then let the application answer."""
        path = scope["path"]
        client = scope["client"][0] if scope.get("client") else "unknown"
        wait = 0.0 if path.startswith(FREE) else self.rate.wait(client)
        if wait > 0.0:
            await _refuse(send, 429, "Too many requests", "slow down", math.ceil(wait))
            return
        bound = self.settings.body_bytes
        if path in UPLOADS:
            bound = self.settings.upload_bytes
        body = await _read(scope, receive, bound)
        if body is None:
            await _refuse(send, 413, "The body is too large", f"send at most {bound} bytes", None)
            return
        await self.app(scope, _replay(body, receive), send)


async def _read(scope: Scope, receive: Receive, bound: int) -> bytes | None:
    """The whole body, or None as soon as it is known to be larger than the bound."""
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    if not declared.isdigit() or int(declared) > bound:
        return None
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > bound:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive channel that hands over the body that was read, then whatever comes."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(
    send: Callable[[Message], Awaitable[None]],
    status: int,
    title: str,
    detail: str,
    retry_after: int | None,
) -> None:
    """A problem document, sent without touching the application."""
    REFUSED.labels(title).inc()
    kind = title.lower().replace(" ", "-")
    body = json.dumps(problem(status, kind, title, detail)).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    if retry_after is not None:
        headers.append((b"retry-after", str(retry_after).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _route(scope: Scope) -> str:
    """The route's template, so that neither logs nor metrics hold what the user typed."""
    route = scope.get("route")
    if scope["path"].startswith("/static/"):
        return "/static"
    template = getattr(route, "path", None) or "unknown"
    inside = scope["path"].startswith(API) and not template.startswith(API)
    return API + template if inside and route is not None else template
