"""What one client may ask of the service: a rate of requests and a size of body."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

CLIENTS = 10_000


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
