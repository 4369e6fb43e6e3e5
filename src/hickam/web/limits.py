"""What one client may ask of the service: a rate of requests and bytes held in bodies."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

CLIENTS = 10_000
FREE = 16_000  # bytes of every body that no budget counts


class RateLimit:
    """A token bucket per client: `burst` requests at once, refilled at `rate` a second."""

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Seconds until the client may come back; 0 if it may pass now.

        >>> limit = RateLimit(rate=2.0, burst=1, clock=lambda: 0.0)
        >>> limit.wait("a"), limit.wait("a"), limit.wait("b")
        (0.0, 0.5, 0.0)
        """
        if self._rate <= 0.0:
            return 0.0
        now = self._clock()
        tokens, since = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        allowed = tokens >= 1.0
        self._buckets[client] = (tokens - 1.0 if allowed else tokens, now)
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - tokens) / self._rate


class BodyBudget:
    """The bytes that all bodies together may hold, and those of one client."""

    def __init__(self, total: int, each: int, free: int = FREE) -> None:
        self._total = total
        self._each = each
        self.free = free  # bytes of each body that are not counted
        self._held = 0
        self._clients: dict[str, int] = {}

    @property
    def held(self) -> int:
        """Bytes held now, the first few of each body apart."""
        return self._held

    def open(self, client: str) -> Share:
        """The share of one body, to be given back when the request is over."""
        return Share(self, client)

    def take(self, client: str, size: int) -> bool:
        """Whether so many bytes more may be held."""
        mine = self._clients.get(client, 0) + size
        if self._held + size > self._total or mine > self._each:
            return False
        self._held += size
        self._clients[client] = mine
        return True

    def give_back(self, client: str, size: int) -> None:
        """Count bytes that are held no longer."""
        self._held -= size
        self._clients[client] = self._clients.get(client, 0) - size
        if self._clients[client] <= 0:
            del self._clients[client]


class Share:
    """What one body holds of the budget; its first bytes are free, so small ones always pass.

    >>> budget = BodyBudget(total=10, each=6, free=2)
    >>> first, second = budget.open("a"), budget.open("a")
    >>> first.grow(7), second.grow(4), second.grow(3)
    (True, False, True)
    >>> first.close(); budget.held
    1
    """

    def __init__(self, budget: BodyBudget, client: str) -> None:
        self._budget = budget
        self._client = client
        self._size = 0
        self._counted = 0

    def grow(self, size: int) -> bool:
        """Whether the body may be so many bytes longer."""
        if not self.reserve(self._size + size):
            return False
        self._size += size
        return True

    def reserve(self, size: int) -> bool:
        """Whether the body may be so many bytes long in all."""
        more = max(0, size - self._budget.free) - self._counted
        if more > 0 and not self._budget.take(self._client, more):
            return False
        self._counted += max(0, more)
        return True

    def close(self) -> None:
        """Give everything back."""
        if self._counted:
            self._budget.give_back(self._client, self._counted)
            self._counted = 0
