"""An application that misbehaves when asked to, for the tests of the processes around it."""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI

from hickam.web.app import _Faults
from hickam.web.settings import Settings


def make(_: Settings) -> FastAPI:
    """Sleeps, spins, crashes, fills memory, or answers."""
    app = FastAPI()
    app.state.service = SimpleNamespace(shelf=SimpleNamespace(offers={}))
    app.add_middleware(_Faults)

    @app.get("/api/v1/networks/{name}/nodes/{what}")
    async def node(name: str, what: str) -> dict[str, Any]:
        if what == "sleep":
            time.sleep(60)
        elif what == "spin":
            while True:
                pass
        elif what == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif what == "memory":
            bytearray(600_000_000)
        elif what == "grow":
            bytes(bytearray(120_000_000))
        elif what == "fault":
            raise KeyError("a secret of the patient")
        elif what.startswith("nap"):
            time.sleep(float(what[3:]))
        return {"pid": os.getpid()}

    return app
