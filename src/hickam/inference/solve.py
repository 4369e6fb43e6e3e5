"""Problem → solution: the choice of the engine."""

from __future__ import annotations

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.choice import coupled
from hickam.inference.problem import Problem, Solution
from hickam.inference.settled.choice import settled


def solve(problem: Problem, limits: Limits, deadline: Deadline | None = None) -> Solution:
    """The tables of a problem, the engine that gave them, and how accurate they are.

    The deadline begins with the limits if none is running. Impossible evidence comes back with
    log_evidence -inf; the caller knows what to say about it.
    """
    deadline = deadline or Deadline.after(limits.deadline)
    return (settled if problem.settled else coupled)(problem, limits, deadline)
