"""The numbers still to be examined, those that may move most first.

What hangs on an open risk factor can only be bounded once that risk factor has been inferred with;
until then its place in the queue is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from hickam.inference.problem import Problem, Tables
from hickam.trust.knobs import Turner
from hickam.trust.reach import RiskSeen, promise, reach


class Queue:
    """Numbers by how far they can move anything."""

    def __init__(
        self,
        turners: Sequence[Turner],
        factor: float,
        problem: Problem,
        tables: Tables,
    ) -> None:
        self._turners = turners
        self._question = (factor, problem, tables)
        self._risks: dict[int, RiskSeen] = {}
        self._guessed = set(range(len(problem.risks)))
        self._hang: dict[int, list[int]] = {}  # risk → the numbers that hang on it
        self._risk_of: dict[int, int] = {}
        for place, turner in enumerate(turners):
            risk = _risk(turner, problem)
            if risk is not None:
                self._hang.setdefault(risk, []).append(place)
                self._risk_of[place] = risk
        self._far = [self._reach(place) for place in range(len(turners))]
        self._heap = [(-far, place) for place, far in enumerate(self._far)]
        heapify(self._heap)

    def __bool__(self) -> bool:
        self._drop_stale()
        return bool(self._heap)

    @property
    def sure(self) -> bool:
        """Whether no place is a guess any more."""
        return not self._guessed

    @property
    def farthest(self) -> float:
        """The bound of the number that comes next."""
        self._drop_stale()
        return -self._heap[0][0]

    def pop(self) -> tuple[int, int | None]:
        """(the number that comes next, the risk factor that must be seen before it)."""
        self._drop_stale()
        place = self._heap[0][1]
        risk = self._risk_of.get(place)
        if risk in self._guessed:
            return place, risk
        heappop(self._heap)
        return place, None

    def next_guess(self) -> int:
        """A risk factor that has not been seen."""
        return min(self._guessed)

    def see(self, risk: int, seen: RiskSeen) -> None:
        """Bound what hangs on a risk factor."""
        self._guessed.discard(risk)
        self._risks[risk] = seen
        for place in self._hang.get(risk, ()):
            self._far[place] = self._reach(place)
            heappush(self._heap, (-self._far[place], place))

    def _reach(self, place: int) -> float:
        """The bound of a number, or a guess while its risk factor has not been seen."""
        factor, problem, tables = self._question
        turner = self._turners[place]
        if self._risk_of.get(place) in self._guessed:
            return promise(turner, factor, problem, tables)
        return reach(turner, factor, problem, tables, self._risks)

    def _drop_stale(self) -> None:
        """Forget places that were told anew since."""
        while self._heap and -self._heap[0][0] != self._far[self._heap[0][1]]:
            heappop(self._heap)


def _risk(turner: Turner, problem: Problem) -> int | None:
    """The open risk factor that a number hangs on."""
    if turner.knob.kind == "risk":
        return turner.knob.row
    return int(problem.edge_risk[turner.knob.row]) if turner.knob.kind == "edge" else None
