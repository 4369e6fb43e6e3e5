"""How much of the time that an answer may take is left."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

LEAST = 1e-3  # seconds that a kernel is given when the time is up: it must say something


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which an answer is wanted; `end` None means that there is none."""

    end: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The deadline so many seconds from now.

        >>> Deadline.after(None).left is None, Deadline.after(0.0).over
        (True, True)
        """
        return cls(None if seconds is None else monotonic() + seconds)

    @property
    def left(self) -> float | None:
        """Seconds left, negative once it has passed; None without a deadline."""
        return None if self.end is None else self.end - monotonic()

    @property
    def over(self) -> bool:
        """Whether the moment has passed."""
        return self.end is not None and monotonic() >= self.end

    @property
    def seconds(self) -> float:
        """Seconds for a kernel, where 0 means any number."""
        left = self.left
        return 0.0 if left is None else max(left, LEAST)

    def share(self, part: float) -> Deadline:
        """The deadline that leaves only this part of the time."""
        left = self.left
        return self if left is None else Deadline.after(part * left)

    def before(self, other: Deadline) -> Deadline:
        """The earlier of both."""
        if self.end is None or other.end is None:
            return other if self.end is None else self
        return min(self, other, key=lambda one: one.end or 0.0)


NEVER = Deadline()
