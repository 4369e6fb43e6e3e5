"""A server in a process of its own and a browser that can reach nothing but it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("HICKAM_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@dataclass
class Server:
    """A running `hickam serve` that can be stopped and started again on the same port."""

    port: int
    uploads: Path
    studies: Path
    workers: int = 1
    options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        code = "from hickam.cli.main import main; import sys; main(sys.argv[1:])"
        command = [sys.executable, "-c", code, "serve", "--port", str(self.port), "--rate", "0"]
        command += ["--uploads", str(self.uploads), "--studies", str(self.studies)]
        command += ["--workers", str(self.workers), *self.options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # with its workers, so that they can be ended together
        )
        for _ in range(300):
            if self.process.poll() is not None:
                raise RuntimeError("the server ended before it answered")
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the server did not answer within 30 seconds")

    def stop(self) -> None:
        """End the server and its workers, whatever state they are in."""
        if self.process is None:
            return
        process, self.process = self.process, None
        try:
            process.terminate()
            process.wait(20)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)


@contextmanager
def serving(folder: Path, workers: int = 1, *options: str) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    study = folder / "studies" / "first-study"
    study.mkdir(parents=True)
    style = "<style>h1 { color: rgb(1, 2, 3) }</style>"
    html = f"<!doctype html><html lang=en><head><title>Report</title>{style}</head>"
    (study / "report.html").write_text(
        html + "<body><main><h1>First study</h1></main></body></html>"
    )
    server = Server(port, folder / "uploads", folder / "studies", workers, options)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def moved(page: Any, before: str) -> None:
    """Wait until the page shows another case than the one at an address."""
    page.wait_for_function(
        """before => location.href !== before
           && !document.querySelector('main').hasAttribute('aria-busy')""",
        arg=before,
    )
