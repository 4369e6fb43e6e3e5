"""Where work is done: in this process, in local processes, or on a Dask cluster.

Each takes a picklable function and errands, and yields the parts as they come. A worker that dies
loses nothing: its errand is done again elsewhere. A driver that dies takes its workers with it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection

from hickam.issues import invalid
from hickam.work.parts import Errand, Part

Function = Callable[[Errand], Part]
Spread = Callable[[Function, Sequence[Errand]], Iterator[Part]]

# How often a task may take its worker down before it is held responsible.
PATIENCE = 5


def one_by_one(function: Function, errands: Sequence[Errand]) -> Iterator[Part]:
    """Do the errands in this process, in order."""
    return map(function, errands)


class Processes:
    """Spread over local processes, kept from one call to the next.

    A pool that breaks, because a process was killed, is rebuilt for the errands still open.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool: ProcessPoolExecutor | None = None

    def __call__(self, function: Function, errands: Sequence[Errand]) -> Iterator[Part]:
        """Do the errands and yield their parts as they come."""
        if self.workers == 1 or len(errands) <= 1:
            yield from map(function, errands)
            return
        left = {errand.key: errand for errand in errands}
        broken = 0
        while left:
            try:
                pool = self._pool()
                waiting = {pool.submit(function, errand): key for key, errand in left.items()}
                for future in as_completed(waiting):
                    part = future.result()
                    del left[waiting[future]]
                    yield part
            except BrokenProcessPool:
                self.close()
                broken += 1
                if broken > PATIENCE:
                    what = f"died {broken} times"
                    fix = "is there enough memory? fewer --workers need less"
                    raise invalid("a worker process", what, fix) from None
            except BaseException:
                self.close()
                raise

    def _pool(self) -> ProcessPoolExecutor:
        """The pool, made when first needed."""
        if self.pool is None:
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(
                self.workers, mp_context=context, initializer=end_with_parent
            )
        return self.pool

    def close(self) -> None:
        """End the processes at once; open errands are dropped, finished parts stay."""
        if self.pool is not None:
            running = list((getattr(self.pool, "_processes", None) or {}).values())
            self.pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()
            self.pool = None


def end_with_parent() -> None:
    """Let this worker end when its driver does, however that ends; leave Ctrl-C to the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def usual_workers() -> int:
    """One worker per core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
