"""Many cases on one network: in order, on every core."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Unpack

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.infer import at_once, infer_together, read_question
from hickam.issues import InvalidInput, invalid
from hickam.kernels import compiled
from hickam.model.kinds import Model

if TYPE_CHECKING:
    from concurrent.futures import Future

AHEAD = 4  # chunks per thread that are begun before they are asked for
SHARED = 16  # cases of a chunk at most where threads share them: none waits long for the last
Answers = list[Beliefs | InvalidInput]  # of a chunk


def infer_many(
    network: Model,
    cases: Iterable[Case],
    engine: str = "auto",
    *,
    workers: int | None = None,
    **options: Unpack[Options],
) -> Iterator[Beliefs]:
    """Beliefs of many cases, in their order; the same for any number of workers.

    Workers are threads: the compiled kernels run without Python's lock and take many easy cases at
    once, and what they need of the network is computed once. By default there is one for each core.
    A case that has no answer is an error when its turn comes.

    >>> import hickam
    >>> network = hickam.load("smoker")
    >>> [round(b.log_evidence, 3) for b in infer_many(network, [Case(), Case()], workers=2)]
    [0.0, 0.0]
    """
    if workers is not None and (type(workers) is not int or workers < 1):
        raise invalid(f"workers {workers!r}", "is not a number of threads", "give 1 or more")
    if workers is None:
        # the NumPy twins hold Python's lock: threads would only get in each other's way
        workers = (os.cpu_count() or 1) if compiled() is not None else 1
    assumptions, limits = read_question(network, options)
    if isinstance(cases, (Case, Mapping, str)) or not isinstance(cases, Iterable):
        raise invalid(f"a {type(cases).__name__}", "is not many cases", "give a list of cases")

    def work(chunk: Sequence[Case]) -> Answers:
        return infer_together(network, chunk, engine, assumptions, limits)

    together = at_once(network)
    return _in_order(
        work, iter(cases), workers, together if workers == 1 else min(together, SHARED)
    )


def _in_order(
    work: Callable[[Sequence[Case]], Answers], cases: Iterator[Case], workers: int, size: int
) -> Iterator[Beliefs]:
    """The results of all chunks of a size in their order, a few chunks ahead of the reader."""
    if workers == 1:
        while chunk := list(islice(cases, size)):
            yield from _given(work(chunk))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers, thread_name_prefix="hickam") as pool:
        begun: deque[Future[Answers]] = deque()
        while True:
            while len(begun) < AHEAD * workers and (chunk := list(islice(cases, size))):
                begun.append(pool.submit(work, chunk))
            if not begun:
                return
            try:
                yield from _given(begun.popleft().result())
            except BaseException:
                for future in begun:
                    future.cancel()
                raise


def _given(answers: Answers) -> Iterator[Beliefs]:
    """The beliefs of a chunk; a case that has none raises its error."""
    for answer in answers:
        if isinstance(answer, InvalidInput):
            raise answer
        yield answer
