"""The process that loads an application once and forks workers from it.

A fork takes milliseconds and shares the networks' memory, so a worker that works too long, or for
nobody any more, can simply be ended. The nursery itself answers no request.

It talks to the front over a control line: `{"fork": lane}` comes with the worker's own line as a
file descriptor, `{"end": pid}` asks to end a worker; it tells `{"ready": hashes}` once and
`{"died": pid, "signal": …, "code": …}` for every worker that ends.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from fastapi import FastAPI

from hickam.beliefs.deadline import Deadline
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.evidence.person import people
from hickam.infer import infer
from hickam.inference.infer import make_ready
from hickam.issues import InvalidInput
from hickam.model.kinds import Model
from hickam.model.network import Network
from hickam.web.logs import log_fault, start_logging
from hickam.web.serving.worker import work
from hickam.web.settings import Settings

MET = 128  # kinds of patients, as many as networks adapted to people are kept
MEETING = 1.0  # seconds for those of one network
SEVERAL = 8  # findings of a case that is not easy


def main() -> None:
    """Load, then fork and reap until the control line closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    module, _, make = sys.argv[2].partition(":")
    start_logging()
    settings = Settings.from_environment()
    try:
        app = getattr(importlib.import_module(module), make)(settings)
    except InvalidInput as bad:
        _tell(control, {"failed": [issue.as_dict() for issue in bad.issues]})
        sys.exit(1)
    asyncio.run(_rehearse(app))
    for offer in app.state.service.shelf.offers.values():
        _meet(offer.network)
    gc.collect()
    gc.freeze()  # what is shared with the workers stays shared
    offers = app.state.service.shelf.offers
    _tell(control, {"ready": {name: offer.network.hash for name, offer in offers.items()}})
    _Nursery(app, settings, control).run()
    os._exit(0)  # nothing to clean up, and what is frozen cannot be


class _Nursery:
    def __init__(self, app: FastAPI, settings: Settings, control: socket.socket) -> None:
        self.app = app
        self.settings = settings
        self.control = control
        self.children: set[int] = set()
        self.lines: list[int] = []  # of workers to be forked

    def run(self) -> None:
        """Serve the control line."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the front closes the line instead
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        held = b""
        while True:
            ready, _, _ = select.select([self.control.fileno(), wake], [], [])
            if wake in ready:
                os.read(wake, 4096)
                self.reap()
            if self.control.fileno() in ready:
                data, fds, _, _ = socket.recv_fds(self.control, 65536, 64)
                self.lines += fds
                if not data:
                    break
                *wishes, held = (held + data).split(b"\n")
                for text in wishes:
                    wish = json.loads(text)
                    if "fork" in wish:
                        self.fork(wish["fork"], self.lines.pop(0))
                    elif wish.get("end") in self.children:
                        os.kill(wish["end"], signal.SIGKILL)
        for child in self.children:
            os.kill(child, signal.SIGKILL)

    def fork(self, lane: str, line: int) -> None:
        """One more worker."""
        try:
            child = os.fork()
        except OSError:  # the front sees its line closed and tries again
            log_fault({"worker": "none could be forked"})
            os.close(line)
            return
        if child:
            self.children.add(child)
            os.close(line)
            return
        signal.set_wakeup_fd(-1)
        self.control.close()
        for other in self.lines:
            os.close(other)
        code = 1
        try:
            work(self.app, self.settings, socket.socket(fileno=line), lane)
            code = 0
        except BaseException:
            log_fault({"worker": os.getpid()})
        finally:
            os._exit(code)

    def reap(self) -> None:
        """Tell the front which workers have ended, and how."""
        while self.children:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            self.children.discard(child)
            code = os.waitstatus_to_exitcode(status)
            ended = {"signal": signal.Signals(-code).name} if code < 0 else {"code": code}
            _tell(self.control, {"died": child, **ended})


def _tell(control: socket.socket, words: dict[str, Any]) -> None:
    try:
        control.sendall(json.dumps(words).encode() + b"\n")
    except OSError:  # the front is gone; the closed line ends this process
        return


def _meet(network: Model) -> None:
    """Compute what sex and age change, and what hard cases need, before any worker is born.

    Else each would do so again for its first patients. A network that tells more kinds of patients
    apart than can be kept, or takes long, is met in part.
    """
    if not isinstance(network, Network):
        return
    ends = Deadline.after(MEETING)
    for sex, age in people(network)[:MET]:
        if ends.over:
            break
        with suppress(InvalidInput):
            make_ready(network, locate(Case(sex=sex, age=age), network))
    with suppress(InvalidInput):
        infer(network, Case(present=network.findings[:SEVERAL]), deadline=MEETING / 2)


async def _rehearse(app: FastAPI) -> None:
    """Answer a page before anyone asks, so that every worker is born with it loaded."""

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        return

    for path in ("/", "/api/v1/networks"):
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [],
            "client": None,
            "server": None,
            "state": {},
        }
        await app(scope, receive, send)


if __name__ == "__main__":
    main()
