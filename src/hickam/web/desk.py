"""Where the work of a request runs: on a few threads, or at once in a process of its own."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Protocol, TypeVar

from hickam.beliefs.deadline import NEVER, Deadline

T = TypeVar("T")
# By when the request that is being answered must be.
ENDS: ContextVar[Deadline] = ContextVar("ends", default=NEVER)


class Overloaded(Exception):
    """Too much work is waiting, of everyone (503) or of this client (429); come back later."""

    def __init__(self, reason: str, retry_after: int = 1, status: int = 503) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.status = status


class Place(Protocol):
    """Runs jobs."""

    capacity: int
    inside: int

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result."""

    def close(self) -> None:
        """Let go of what it holds."""


class AtOnce:
    """Runs a job where it stands: in a worker process, which answers one request at a time."""

    capacity = 1
    inside = 0

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result."""
        return job()

    def close(self) -> None:
        """Nothing is held."""


class Desk:
    """Runs jobs on threads. A job that outlives its patience keeps its place until it ends."""

    def __init__(self, running: int, waiting: int, patience: float) -> None:
        self.capacity = running + waiting
        self.patience = patience
        self.inside = 0
        self._running = running
        self._pool: ThreadPoolExecutor | None = None

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result; `Overloaded` at once when the queue is full, or beyond the patience."""
        if self.inside >= self.capacity:
            raise Overloaded("too many questions are waiting for an answer")
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._running, thread_name_prefix="inference")
        self.inside += 1
        if ENDS.get() is NEVER:
            ENDS.set(Deadline.after(self.patience))
        future = self._pool.submit(contextvars.copy_context().run, job)

        def leave(_: Future[T]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._leave)

        future.add_done_callback(leave)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.patience)
        except TimeoutError:
            raise Overloaded("the answer was not ready within the deadline", 5) from None

    def _leave(self) -> None:
        self.inside -= 1

    def close(self) -> None:
        """Let the threads go; the next job would start new ones."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
