"""The door: limits before a request is read, security headers, a log line and metrics after."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hickam.web.clients import Clients
from hickam.web.hidden import open_hidden
from hickam.web.limits import BodyBudget, RateLimit, Share
from hickam.web.logs import log_request
from hickam.web.metrics import observe_request
from hickam.web.refusals import Refused
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
STATIC = tuple((name.lower().encode(), value.encode()) for name, value in HEADERS.items())
UNSTORED = (*STATIC, (b"cache-control", b"no-store"))
REQUEST_ID = b"x-request-id"
OnFault = Callable[[Request, Exception], Awaitable[Response]]
API = "/api/v1"
FREE = ("/health", "/metrics", "/static/")
UPLOADS = ("/api/v1/networks", "/network")
HOST = re.compile(r"([a-z0-9._-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
ROOM = 5.0  # seconds that a large body may wait for others to be done


class Guard:
    """Middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings, on_fault: OnFault) -> None:
        self.app = app
        self.settings = settings
        self.on_fault = on_fault
        self.rate = RateLimit(settings.rate, settings.burst)
        self.clients = Clients(settings.proxies)
        each = max(settings.upload_bytes, settings.bodies_bytes // 2)
        self.bodies = BodyBudget(settings.bodies_bytes, each)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        method = scope["method"]
        scope = dict(scope)  # the server goes on reading its own
        scope["hickam.request"] = secrets.token_hex(8)
        outgoing = _Outgoing(scope, send)
        try:
            await self._answer(scope, receive, outgoing)
        except Exception as fault:  # the last place that can answer
            if not outgoing.begun:
                answer = await self.on_fault(Request(scope), fault)
                _forget_frames(fault)
                await answer(scope, receive, outgoing)
        finally:
            seconds = time.perf_counter() - begun
            status = scope.get("hickam.status", outgoing.status)
            route = route_of(scope)
            observe_request(route, method, status, seconds)
            log_request(
                {
                    "request": scope["hickam.request"],
                    "method": method[:16],
                    "route": route,
                    "status": status,
                    "ms": round(1000 * seconds, 2),
                }
            )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the limits, then let the application answer."""
        path: str = scope["path"]
        self._check_address(scope)
        client = self.clients.of(scope)
        scope["client"] = (client, 0)
        wait = 0.0 if path.startswith(FREE) else self.rate.wait(client)
        if wait > 0.0:
            raise Refused(429, "Too many requests", "slow down", math.ceil(wait))
        if scope["method"] == "HEAD":
            scope["method"] = "GET"
        bound = self.settings.body_bytes
        if path in UPLOADS:
            bound = self.settings.upload_bytes
        share = self.bodies.open(client)
        try:
            body = await self._read(scope, receive, bound, share)
            if self.settings.hide_case and open_hidden(scope, body):
                body = b""
                self._check_address(scope)
            await self.app(scope, _replay(body, receive), send)
        finally:
            share.close()

    def _check_address(self, scope: Scope) -> None:
        """Refuse an address that is too long, and a host that this service is not."""
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > self.settings.url_bytes:
            most = f"write at most {self.settings.url_bytes} bytes"
            raise Refused(414, "The address is too long", most)
        if "\0" in scope["path"]:
            raise Refused(404, "Not Found", "no address holds a null character")
        hosts, host = self.settings.hosts, _host(scope)
        if hosts and host not in hosts:
            raise Refused(421, "Misdirected request", "this service has another name")

    async def _read(self, scope: Scope, receive: Receive, bound: int, share: Share) -> bytes:
        """The whole body, if it is not too large, too slow, or too much with all the others."""
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared[:20]) > bound:
            raise _too_large(bound)
        if not await _reserve(share, int(declared)):
            raise Refused(503, "Too busy", "too much is being sent at once", 2, close=True)
        body = bytearray()
        ends = time.monotonic() + self.settings.body_seconds
        more = True
        while more:
            try:
                message = await _within(receive, ends - time.monotonic())
            except TimeoutError:
                raise Refused(408, "The body took too long", "send it faster", close=True) from None
            if message["type"] != "http.request":
                scope["hickam.status"] = 499
                raise Refused(400, "The body is incomplete", "send all of it", close=True)
            part = message.get("body", b"")
            if len(body) + len(part) > bound:
                raise _too_large(bound)
            if not share.grow(len(part)):
                body.clear()
                raise Refused(503, "Too busy", "too much is being sent at once", 2, close=True)
            body += part
            more = message.get("more_body", False)
        return bytes(body)


class _Outgoing:
    """A send channel that adds our headers and remembers the status."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.status = 500
        self.begun = False
        self._scope = scope
        self._send = send
        self._bare = scope["method"] == "HEAD"

    async def __call__(self, message: Message) -> None:
        """Send one message."""
        if message["type"] == "http.response.start":
            self.begun = True
            self.status = message["status"]
            kept = [pair for pair in message.get("headers", ()) if pair[0] != REQUEST_ID]
            given = {name for name, _ in kept}
            ours = STATIC if self._scope["path"].startswith("/static/") else UNSTORED
            kept += [pair for pair in ours if pair[0] not in given]
            kept.append((REQUEST_ID, self._scope["hickam.request"].encode()))
            message = {**message, "headers": kept}
        elif self._bare and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def _forget_frames(raised: BaseException | None) -> None:
    """Let go of what an exception has passed through, which may hold the body of a request."""
    while raised is not None:
        raised.__traceback__ = None
        raised = raised.__context__


def _too_large(bound: int) -> Refused:
    return Refused(413, "The body is too large", f"send at most {bound} bytes", close=True)


async def _reserve(share: Share, size: int) -> bool:
    """Whether there is room for a body, now or soon; until then it stays with its sender."""
    ends = time.monotonic() + ROOM
    while not share.reserve(size):
        if time.monotonic() > ends:
            return False
        await asyncio.sleep(0.05)
    return True


async def _within(receive: Receive, seconds: float) -> Message:
    """The next message, if it comes in time."""
    waiting = asyncio.timeout(seconds)
    async with waiting:
        return await receive()


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


def _host(scope: Scope) -> str:
    """The host that a request is addressed to, without the port; it must be there, and once."""
    given = [value for name, value in scope["headers"] if name == b"host"]
    written = HOST.fullmatch(given[0].decode("latin-1").lower()) if len(given) == 1 else None
    if written is None:
        raise Refused(400, "Bad Request", "name one host, with a port or without", close=True)
    return written[1]


def route_of(scope: Scope) -> str:
    """The route's template, so that neither logs nor metrics hold what the user typed."""
    if "hickam.route" in scope:
        return str(scope["hickam.route"])
    route = scope.get("route")
    if scope["path"].startswith("/static/"):
        return "/static"
    template = getattr(route, "path", None) or "unknown"
    inside = scope["path"].startswith(API) and not template.startswith(API)
    return API + template if inside and route is not None else template
