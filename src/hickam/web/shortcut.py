"""The question that is asked most, answered without the framework's way to it.

Only a `diagnose` request that is in order is taken: anything else, and whatever is wrong with it,
goes the long way, which knows every other answer.
"""

from __future__ import annotations

import json

from pydantic import ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hickam.web.api.cases import diagnose, router
from hickam.web.bodies import DiagnoseBody
from hickam.web.guard import API
from hickam.web.service import JSON, Service

START, END = f"{API}/networks/", "/diagnose"
ROUTE = f"{API}{router.prefix}{END}"
PLAIN = (b"content-type", JSON.encode())


class Shortcut:
    """Middleware inside all others: answers at once, or hands on."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        network = self._asked(scope)
        if network is None:
            await self.app(scope, receive, send)
            return
        message = await receive()
        body = None if message.get("more_body") else _read(message.get("body", b""))
        if body is None:
            await self.app(scope, _again(message, receive), send)
            return
        scope["hickam.route"] = ROUTE
        answer = await diagnose(network, body, self.service)
        await answer(scope, receive, send)

    def _asked(self, scope: Scope) -> str | None:
        """The network that a request to diagnose names, if it is one of those always at hand."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope.get("root_path"):
            return None
        path: str = scope["path"]
        if not (path.startswith(START) and path.endswith(END) and PLAIN in scope["headers"]):
            return None
        network = path[len(START) : -len(END)]
        return network if network in self.service.shelf.offers else None


def _read(body: bytes) -> DiagnoseBody | None:
    """What is asked, if it is in order."""
    try:
        return DiagnoseBody.model_validate(json.loads(body))
    except (ValueError, RecursionError, ValidationError):
        return None


def _again(message: Message, receive: Receive) -> Receive:
    """A receive channel that gives a message once more, then whatever comes."""
    held: list[Message] = [message]

    async def again() -> Message:
        return held.pop() if held else await receive()

    return again
