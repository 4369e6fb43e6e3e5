"""The worker processes, seen from the front: started, asked, watched and ended."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from hickam.web.logs import LOG
from hickam.web.metrics import DEATHS
from hickam.web.serving.frames import Frames, pack
from hickam.web.settings import VARIABLE, Settings

# Workers are the parallelism: threads inside the small products of a question are in its way.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Answer = tuple[dict[str, Any], bytes]
APPLICATION = "hickam.web.app:worker_app"
AGAIN = 0.5  # seconds before a worker or the nursery that failed is started again
REMEMBERED = 200  # ends of workers whose reason nobody has asked for yet
LOADING = 120.0  # seconds that the nursery may take to load its networks


class WorkerDied(Exception):
    """The worker ended before it had answered; perhaps even before it had read the question."""

    def __init__(self, unread: bool) -> None:
        super().__init__("the worker ended")
        self.unread = unread


class StartFailed(Exception):
    """The networks cannot be loaded; carries the issues as JSON."""

    def __init__(self, issues: list[dict[str, Any]]) -> None:
        super().__init__("the networks cannot be loaded")
        self.issues = issues


class Worker(asyncio.Protocol):
    """One worker process at the other end of a line."""

    def __init__(self, lane: str, on_ready: Callable[[Worker], None]) -> None:
        self.lane = lane
        self.pid = 0
        self.alive = True
        self._asked = 0.0
        self._frames = Frames()
        self._on_ready = on_ready
        self._answer: asyncio.Future[Answer] | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None
        self.on_end: Callable[[Worker], None] | None = None

    def ask(self, head: dict[str, Any], body: bytes) -> asyncio.Future[Answer]:
        """The worker's answer to one request."""
        self._answer = asyncio.get_running_loop().create_future()
        self._asked = _clock(self.pid)
        if self._transport is None or self._transport.is_closing():
            self._answer.set_exception(WorkerDied(unread=True))
        else:
            self._transport.write(pack(head, body))
        return self._answer

    @property
    def spent(self) -> float:
        """Processor seconds that the worker has spent on the question."""
        return _clock(self.pid) - self._asked

    async def heard(self, seconds: float) -> None:
        """Wait until the answer is there, so many seconds at most."""
        if self._answer is None or self._answer.done():
            return
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        late = loop.call_later(seconds, self._wake)
        try:
            await self._waiter
        finally:
            late.cancel()

    def _wake(self) -> None:
        """Let whoever waits to be heard go on, at once and not after the answer's own callbacks."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line is open; the worker says when it is ready."""
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Its first message tells its process id, every other is an answer."""
        for head, body in self._frames.feed(data):
            if not self.pid:
                self.pid = head["pid"]
                self._on_ready(self)
            elif self._answer is not None and not self._answer.done():
                self._answer.set_result((head, body))
                self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """The process has ended, or was cut off; an error says that it left something unread."""
        self.alive = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerDied(unread=exc is not None))
            self._answer.exception()  # nobody may be waiting any more
        self._wake()
        if self.on_end is not None:
            self.on_end(self)

    def cut(self) -> None:
        """Close the line: an idle worker ends by itself."""
        if self._transport is not None:
            self._transport.abort()


def _clock(pid: int) -> float:
    """Processor seconds of a process, or the time that passes where they cannot be read."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid of Linux has it
    except OSError:
        return time.monotonic()


class Crew:
    """Forks workers through the nursery and keeps the number wanted in each lane."""

    def __init__(
        self,
        settings: Settings,
        wanted: dict[str, int],
        on_ready: Callable[[Worker], None],
        on_end: Callable[[Worker], None],
        application: str = APPLICATION,
    ) -> None:
        self.application = application
        self.settings = settings
        self.wanted = wanted
        self.workers: set[Worker] = set()
        self.hashes: dict[str, str] = {}
        self._on_ready = on_ready
        self._on_end = on_end
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._told = b""
        self._ready: asyncio.Future[None] | None = None
        self._closing = False
        self._reasons: dict[int, asyncio.Future[str]] = {}
        self._unwanted: set[int] = set()  # workers that we have ended ourselves
        self._pending: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the nursery and wait until it has loaded everything."""
        ours, theirs = socket.socketpair()
        environment = {**ONE_THREAD, **os.environ, VARIABLE: self.settings.to_json()}
        command = [sys.executable, "-m", "hickam.web.serving.nursery", str(theirs.fileno())]
        command.append(self.application)
        self._nursery = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment)
        theirs.close()
        ours.setblocking(False)
        self._control = ours
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        loop.add_reader(ours.fileno(), self._listen)
        await asyncio.wait_for(asyncio.shield(self._ready), LOADING)

    async def keep(self) -> None:
        """Fork as many workers as are missing."""
        for lane, wanted in self.wanted.items():
            for _ in range(wanted - sum(worker.lane == lane for worker in self.workers)):
                await self._fork(lane)

    async def _fork(self, lane: str) -> None:
        """One more worker; it reports when it is ready."""
        if self._control is None:
            return
        ours, theirs = socket.socketpair()
        try:
            words = json.dumps({"fork": lane}).encode() + b"\n"
            socket.send_fds(self._control, [words], [theirs.fileno()])
        except OSError:
            ours.close()
            return
        finally:
            theirs.close()
        loop = asyncio.get_running_loop()
        worker = Worker(lane, self._on_ready)
        worker.on_end = self._ended
        self.workers.add(worker)
        await loop.create_connection(lambda: worker, sock=ours)

    def end(self, worker: Worker) -> None:
        """End a worker whatever it is doing; another takes its place."""
        if worker.pid and self._control is not None:
            self._unwanted.add(worker.pid)
            try:
                self._control.send(json.dumps({"end": worker.pid}).encode() + b"\n")
            except OSError:
                LOG.error("nursery", extra={"fields": {"what": "does not listen"}})
        worker.cut()

    async def why(self, worker: Worker) -> str:
        """How a worker ended, as its parent saw it."""
        waited = self._reasons.setdefault(worker.pid, asyncio.get_running_loop().create_future())
        try:
            return await asyncio.wait_for(asyncio.shield(waited), 2.0)
        except TimeoutError:
            return "unknown"
        finally:
            self._reasons.pop(worker.pid, None)

    async def stop(self) -> None:
        """End every worker and the nursery."""
        self._closing = True
        for worker in list(self.workers):
            worker.cut()
        self._drop_control()
        if self._nursery is not None:
            for _ in range(20):
                if self._nursery.poll() is not None:
                    return
                await asyncio.sleep(0.05)
            self._nursery.kill()
            self._nursery.wait()

    def _drop_control(self) -> None:
        if self._control is not None:
            asyncio.get_running_loop().remove_reader(self._control.fileno())
            self._control.close()
            self._control = None

    def _listen(self) -> None:
        """Read what the nursery tells."""
        assert self._control is not None
        try:
            data = self._control.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._nursery_gone()
            return
        *lines, self._told = (self._told + data).split(b"\n")
        for line in lines:
            self._hear(json.loads(line))

    def _hear(self, words: dict[str, Any]) -> None:
        assert self._ready is not None
        if "ready" in words:
            if self.hashes and self.hashes != words["ready"]:
                LOG.warning("networks changed", extra={"fields": {"now": words["ready"]}})
            self.hashes = words["ready"]
            if not self._ready.done():
                self._ready.set_result(None)
        elif "failed" in words:
            if not self._ready.done():
                self._ready.set_exception(StartFailed(words["failed"]))
        elif "died" in words:
            self._died(words["died"], words.get("signal") or f"code {words['code']}")

    def _died(self, pid: int, how: str) -> None:
        told = self._reasons.pop(pid, None)
        if told is None:
            told = asyncio.get_running_loop().create_future()
            self._reasons[pid] = told
            while len(self._reasons) > REMEMBERED:
                self._reasons.pop(next(iter(self._reasons)))
        if not told.done():
            told.set_result(how)
        if pid in self._unwanted:
            self._unwanted.discard(pid)
        elif how != "code 0":
            DEATHS.inc()
            LOG.error("worker died", extra={"fields": {"worker": pid, "how": how}})

    def _ended(self, worker: Worker) -> None:
        """A worker's line has closed: see that its lane is whole again."""
        self.workers.discard(worker)
        self._on_end(worker)
        if not self._closing:
            self._soon(self._keep_later(0.0 if worker.pid else AGAIN))

    async def _keep_later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.keep()

    def _nursery_gone(self) -> None:
        self._drop_control()
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(StartFailed([]))
            return
        if not self._closing:
            LOG.error("nursery died", extra={"fields": {"workers": len(self.workers)}})
            for worker in list(self.workers):
                worker.cut()
            self._soon(self._start_again())

    async def _start_again(self) -> None:
        while not self._closing:
            await asyncio.sleep(AGAIN)
            try:
                if self._nursery is not None:
                    self._nursery.wait()
                await self.start()
                await self.keep()
                return
            except (StartFailed, TimeoutError, OSError):
                LOG.error("nursery", extra={"fields": {"what": "cannot be started"}})

    def _soon(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)
