"""Who may ask a worker now, who waits, and who is refused: by predicted cost and by client."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, OrderedDict, deque
from typing import Generic, TypeVar

from hickam.web.desk import Overloaded

W = TypeVar("W")


class Lane(Generic[W]):
    """Workers for requests of like price. Clients take turns, whoever asked more often."""

    def __init__(self, size: int, longest_wait: float, waiting: int, per_client: int) -> None:
        self.size = size
        self.longest_wait = longest_wait
        self.waiting = waiting  # requests that may wait
        self.per_client = per_client  # requests of one client, running and waiting
        self.idle: list[W] = []
        self.inside: Counter[str] = Counter()
        self.ahead = 0.0  # predicted seconds of all that is running or waiting
        self._queue: OrderedDict[str, deque[asyncio.Future[W]]] = OrderedDict()
        self._queued = 0

    @property
    def full(self) -> bool:
        """Whether the next request would be refused."""
        return self._queued >= self.waiting

    def enter(self, client: str, seconds: float) -> asyncio.Future[W]:
        """A worker, now or when the client's turn comes; refused when that would be too late."""
        if self.inside[client] >= self.per_client:
            raise Overloaded("too many questions of yours are being answered", 1, status=429)
        wait = self.ahead / self.size
        if not self.idle and (self.full or wait > self.longest_wait):
            soon = max(1, math.ceil(wait - 0.5 * self.longest_wait))
            raise Overloaded("too many questions are waiting for an answer", soon)
        self.inside[client] += 1
        self.ahead += seconds
        turn: asyncio.Future[W] = asyncio.get_running_loop().create_future()
        if self.idle:
            turn.set_result(self.idle.pop())
        else:
            self._queue.setdefault(client, deque()).append(turn)
            self._queued += 1
        return turn

    def withdraw(self, client: str, turn: asyncio.Future[W]) -> None:
        """Take back a request that waits no longer."""
        turns = self._queue.get(client)
        if turns is not None and turn in turns:
            turns.remove(turn)
            self._queued -= 1
            if not turns:
                del self._queue[client]

    def leave(self, client: str, seconds: float) -> None:
        """Take back what `enter` counted."""
        self.ahead = max(0.0, self.ahead - seconds)
        self.inside[client] -= 1
        if self.inside[client] <= 0:
            del self.inside[client]

    def offer(self, worker: W) -> None:
        """Give a worker that is free to whoever is next."""
        while self._queue:
            client, turns = self._queue.popitem(last=False)
            turn = turns.popleft()
            self._queued -= 1
            if turns:
                self._queue[client] = turns  # to the back of the row
            if not turn.done():
                turn.set_result(worker)
                return
        self.idle.append(worker)

    def forget(self, worker: W) -> None:
        """Drop a worker that has ended."""
        if worker in self.idle:
            self.idle.remove(worker)
