"""One worker process: answers one request at a time with the application it was born with."""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
import socket
import sys
import time
from typing import Any

from fastapi import FastAPI

from hickam.beliefs.deadline import Deadline
from hickam.io.bounds import held_bytes
from hickam.web import metrics
from hickam.web.desk import ENDS
from hickam.web.serving.frames import Frames, pack
from hickam.web.settings import Settings

NICE = {"quick": 0, "slow": 15}
PIECE = 1 << 20


def work(app: FastAPI, settings: Settings, line: socket.socket, lane: str) -> None:
    """Answer requests that come over the line until it closes."""
    _settle(settings, lane)
    seen: list[tuple[str, float]] = []
    metrics.report_to(seen)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    frames = Frames()
    line.sendall(pack({"pid": os.getpid()}))
    while data := line.recv(PIECE):
        for head, body in frames.feed(data):
            begun = time.process_time()
            ENDS.set(Deadline.after(head["seconds"]))
            answer, content = loop.run_until_complete(_answer(app, head, body))
            answer["seconds"] = time.process_time() - begun
            answer["inferences"] = seen
            answer["last"] = _grown() > settings.recycle_bytes
            line.sendall(pack(answer, content))
            seen.clear()
            if answer["last"]:
                return


async def _answer(app: FastAPI, head: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Status, headers and body of the application's answer."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": head["method"],
        "scheme": head["scheme"],
        "path": head["path"],
        "raw_path": head["path"].encode(),
        "query_string": head["query"].encode("latin-1"),
        "root_path": "",
        "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in head["headers"]],
        "client": (head["client"], 0),
        "server": None,
        "state": {},
        "extensions": {"http.response.pathsend": {}},
        "hickam.request": head["request"],
    }
    answer: dict[str, Any] = {"status": 500, "headers": []}
    parts: list[bytes] = []
    pending: dict[str, Any] | None = {"type": "http.request", "body": body, "more_body": False}

    async def receive() -> dict[str, Any]:
        nonlocal pending
        message, pending = pending, None
        return message or {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer["status"] = message["status"]
            answer["headers"] = [
                (k.decode("latin-1"), v.decode("latin-1")) for k, v in message["headers"]
            ]
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))
        elif message["type"] == "http.response.pathsend":
            answer["file"] = str(message["path"])

    await app(scope, receive, send)
    answer["route"] = scope.get("hickam.route", "unknown")
    return answer, b"".join(parts)


def _settle(settings: Settings, lane: str) -> None:
    """Bound what this process may take, and let it end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.nice(NICE[lane])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        most = held_bytes() + settings.memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _grown() -> int:
    """The most memory that this process has had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
