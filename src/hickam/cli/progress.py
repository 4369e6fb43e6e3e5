"""Progress with the time left, on standard error."""

from __future__ import annotations

import sys
import time


class Meter:
    """Called with (what, done, total); draws one line that is overwritten on a terminal.

    Where standard error is not a terminal it prints a line now and then instead.
    """

    def __init__(self, every: float = 10.0) -> None:
        self.every = every
        self.what = ""
        self.started = self.drawn = 0.0
        self.first = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say how far a stage of the work is."""
        now = time.monotonic()
        if what != self.what:
            self._end()
            self.what, self.started, self.first, self.drawn = what, now, done, 0.0
        lively = sys.stderr.isatty()
        if done < total and now - self.drawn < (0.2 if lively else self.every):
            return
        self.drawn = now
        line = f"{what}: {done} of {total} pieces{self._left(now, done, total)}"
        sys.stderr.write(f"\r\x1b[K{line}" if lively else f"{line}\n")
        sys.stderr.flush()

    def _left(self, now: float, done: int, total: int) -> str:
        """The time left, from the pace of this run."""
        fresh = done - self.first
        if done >= total:
            return f", {said(now - self.started)}"
        if fresh <= 0:
            return f", {done} already finished" if done else ""
        return f", about {said((now - self.started) / fresh * (total - done))} left"

    def _end(self) -> None:
        if self.what and sys.stderr.isatty():
            sys.stderr.write("\n")

    def close(self) -> None:
        """End the line."""
        self._end()
        self.what = ""


def said(seconds: float) -> str:
    """A duration as people say it.

    >>> said(5), said(75), said(7300)
    ('5 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
