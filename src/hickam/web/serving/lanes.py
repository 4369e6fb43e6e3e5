"""Who may ask a worker now, who waits, and who is refused: by predicted cost and by client.

A lane is a self-clocked fair queue: a request is due when its client would be done with it if all
clients that ask had equal shares, and whatever is due first is next. So cheap requests pass costly
ones, and whoever asks more often waits longer. Predictions are processor seconds; while requests
wait, the lane measures how long each predicted second takes, and predicts waits by that.
"""

from __future__ import annotations

import asyncio
import math
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hickam.web.desk import Overloaded

W = TypeVar("W")
WAITING = "too many questions are waiting for an answer"
LATELY = 10.0  # seconds in which a measurement loses half of its weight
USUAL = 0.1  # seconds that are taken as long as predicted, before anything is measured


@dataclass(order=True, slots=True)
class Turn(Generic[W]):
    """One request in a lane, by when it is due."""

    due: float
    number: int
    client: str = field(compare=False)
    seconds: float = field(compare=False)  # predicted
    worker: asyncio.Future[W] = field(compare=False)
    running: bool = field(compare=False, default=False)


class Lane(Generic[W]):
    """Workers for requests of like cost."""

    def __init__(
        self,
        size: int,
        longest_wait: float,
        waiting: int,
        per_client: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = size
        self.longest_wait = longest_wait
        self.waiting = waiting  # requests that may wait
        self.per_client = per_client  # requests of one client, running and waiting
        self.idle: list[W] = []
        self.inside: Counter[str] = Counter()
        self.running = 0.0  # predicted seconds of all that have a worker
        self._queue: list[Turn[W]] = []
        self._due: dict[str, float] = {}  # when the last request of each client inside is due
        self._reached = 0.0  # when the last request that got a worker was due
        self._number = 0
        self._clock = clock
        self._since = self._last = clock()  # the last measurement; the last end while others waited
        self._predicted = self._passed = 0.0

    @property
    def full(self) -> bool:
        """Whether nobody more may wait, unless in the place of another."""
        return len(self._queue) >= self.waiting

    @property
    def pace(self) -> float:
        """Seconds that a worker has needed for each predicted second, lately."""
        faded = 0.5 ** ((self._clock() - self._since) / LATELY)
        return (USUAL + faded * self._passed) / (USUAL + faded * self._predicted)

    def measure(self, seconds: float, passed: float) -> None:
        """Take into account how long so many predicted seconds took."""
        now = self._clock()
        faded = 0.5 ** ((now - self._since) / LATELY)
        self._since = now
        self._predicted = faded * self._predicted + seconds
        self._passed = faded * self._passed + passed

    def enter(self, client: str, seconds: float) -> Turn[W]:
        """A turn that has a worker or waits for one; refused when that would come too late."""
        if self.inside[client] >= self.per_client:
            raise Overloaded("too many questions of yours are being answered", 1, status=429)
        due = max(self._reached, self._due.get(client, 0.0)) + seconds
        if not self.idle:
            self._check_wait(due)
        turn = self._turn(client, seconds, due)
        if self.idle:
            self._begin(turn)
            turn.worker.set_result(self.idle.pop())
        else:
            if not self._queue:
                self._last = self._clock()
            insort(self._queue, turn)
        return turn

    def join(self, client: str, seconds: float) -> Turn[W]:
        """A turn for a request that comes with a worker of another lane."""
        turn = self._turn(client, seconds, self._reached)
        self._begin(turn)
        return turn

    def leave(self, turn: Turn[W]) -> None:
        """Take back a request that is answered, or waits no longer."""
        if turn.running:
            self.running = max(0.0, self.running - turn.seconds)
            if self._queue:
                now = self._clock()
                self.measure(turn.seconds, self.size * (now - self._last))
                self._last = now
        elif turn in self._queue:
            self._queue.remove(turn)
        self.inside[turn.client] -= 1
        if self.inside[turn.client] <= 0:
            del self.inside[turn.client]
            self._due.pop(turn.client, None)

    def offer(self, worker: W) -> None:
        """Give a worker that is free to whoever is next."""
        if self._queue:
            turn = self._queue.pop(0)
            self._begin(turn)
            turn.worker.set_result(worker)
        else:
            self.idle.append(worker)

    def forget(self, worker: W) -> None:
        """Drop a worker that has ended."""
        if worker in self.idle:
            self.idle.remove(worker)

    def _check_wait(self, due: float) -> None:
        """Refuse what would wait too long; what waits and is due last makes room in a full lane."""
        before = self.running + sum(turn.seconds for turn in self._queue if turn.due <= due)
        wait = self.pace * before / self.size
        soon = max(1, math.ceil(wait - 0.5 * self.longest_wait))
        crowded = self.full and (not self._queue or self._queue[-1].due <= due)
        if crowded or wait > self.longest_wait:
            raise Overloaded(WAITING, soon)
        if self.full:
            last = self._queue.pop()
            last.worker.set_exception(Overloaded(WAITING, soon))
            last.worker.exception()  # its client may have left

    def _turn(self, client: str, seconds: float, due: float) -> Turn[W]:
        self._number += 1
        self.inside[client] += 1
        self._due[client] = due
        future: asyncio.Future[W] = asyncio.get_running_loop().create_future()
        return Turn(due, self._number, client, seconds, future)

    def _begin(self, turn: Turn[W]) -> None:
        turn.running = True
        self.running += turn.seconds
        self._reached = max(self._reached, turn.due)
