"""`hickam serve` itself: the front process, its connections and its end."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import Response

from hickam.issues import InvalidInput, Issue, Level
from hickam.web.desk import Overloaded
from hickam.web.guard import Guard
from hickam.web.logs import LOG, log_fault, start_logging
from hickam.web.metrics import REFUSED
from hickam.web.problems import expected, fault_response
from hickam.web.refusals import Refused
from hickam.web.serving.connections import Connections, Guarded
from hickam.web.serving.crew import StartFailed
from hickam.web.serving.front import Front
from hickam.web.settings import Settings

BACKLOG = 1024
END = 2.0  # seconds beyond the grace after which the process ends in any case


def run(settings: Settings, host: str, port: int, hello: str) -> None:
    """Serve until a signal asks to end; `hello` is printed once the service answers."""
    start_logging()
    asyncio.run(_serve(settings, host, port, hello))


async def _serve(settings: Settings, host: str, port: int, hello: str) -> None:
    front = Front(settings)
    try:
        await front.start()
    except StartFailed as bad:
        await front.stop()
        raise InvalidInput([_issue(issue) for issue in bad.issues]) from None
    gc.collect()
    gc.freeze()  # what is there now stays, and need not be looked through again and again
    workers = sum(front.crew.wanted.values())
    watched = Connections(settings, 2 * workers)
    guarded = type("Connection", (Guarded,), {"watched": watched})
    server = _Server(
        uvicorn.Config(
            Guard(front, settings, _failed),
            host=host,
            port=port,
            http=guarded,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=max(1, int(settings.header_seconds)),
            timeout_graceful_shutdown=max(1, int(settings.grace)),
        ),
        hello,
        settings.grace + END,
    )
    clock = asyncio.create_task(watched.watch())
    try:
        await server.serve()
    finally:
        clock.cancel()
        with suppress(asyncio.CancelledError):
            await clock
        await front.stop()
    LOG.info("ended", extra={"fields": {}})


class _Server(uvicorn.Server):
    """uvicorn's server, which says when it answers and ends in its time whatever clients do."""

    def __init__(self, config: uvicorn.Config, hello: str, longest: float) -> None:
        super().__init__(config)
        self._hello = hello
        self._longest = longest

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(None)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            print(self._hello.replace(":0/", f":{port}/"), flush=True)
            LOG.info("started", extra={"fields": {"process": os.getpid()}})

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End in good order, and in any case in time."""
        late = threading.Timer(self._longest, os._exit, (0,))
        late.daemon = True
        late.start()
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # an end that was asked for is no failure


async def _failed(request: Request, raised: Exception) -> Response:
    """The answer to a request that no worker has answered."""
    if isinstance(raised, Overloaded):
        REFUSED.labels(raised.reason).inc()
    elif isinstance(raised, Refused):
        REFUSED.labels(raised.title).inc()
    elif not expected(raised):
        log_fault({"request": request.scope.get("hickam.request", ""), "what": str(raised)[:200]})
    return fault_response(request, raised)


def _issue(told: dict[str, Any]) -> Issue:
    """An issue that another process has found."""
    return Issue(**{**told, "level": Level(told["level"]), "path": tuple(told["path"])})
