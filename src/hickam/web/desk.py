"""Where inference runs: a few threads, a short queue, and a quick refusal beyond it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Overloaded(Exception):
    """Too much work is waiting; come back later."""

    def __init__(self, reason: str, retry_after: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


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
        future = self._pool.submit(job)

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
