"""Where work is done: in this process, in local processes, or on a Dask cluster.

Each function takes a picklable function and tasks that have a `key`, and yields the results as
they come. A worker that dies loses nothing: its task is done again elsewhere.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from hickam.issues import invalid

# How often a task may take its worker down before it is held responsible.
PATIENCE = 5


class Keyed(Protocol):
    """A task that knows a digest of all that determines its result."""

    @property
    def key(self) -> str:
        """The digest."""
        ...


Task = TypeVar("Task", bound=Keyed)
Work = Callable[[Task], str]


def one_by_one(function: Work[Task], tasks: Sequence[Task]) -> Iterator[str]:
    """Do the tasks in this process, in order."""
    return map(function, tasks)


class Processes:
    """Spread over local processes, kept from one call to the next.

    A pool that breaks, because a process was killed, is rebuilt for the tasks still open.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pool: ProcessPoolExecutor | None = None

    def __call__(self, function: Work[Task], tasks: Sequence[Task]) -> Iterator[str]:
        """Do the tasks and yield their results as they come."""
        if self.workers == 1 or len(tasks) <= 1:
            yield from map(function, tasks)
            return
        left = {task.key: task for task in tasks}
        broken = 0
        while left:
            try:
                pool = self._pool()
                waiting = {pool.submit(function, task): key for key, task in left.items()}
                for future in as_completed(waiting):
                    result = future.result()
                    del left[waiting[future]]
                    yield result
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
            self.pool = ProcessPoolExecutor(self.workers, mp_context=context)
        return self.pool

    def close(self) -> None:
        """End the processes at once; open tasks are dropped, finished files stay."""
        if self.pool is not None:
            running = list((getattr(self.pool, "_processes", None) or {}).values())
            self.pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()
            self.pool = None


def dask(
    address: str | None, workers: int
) -> Callable[[Work[Task], Sequence[Task]], Iterator[str]]:
    """Spread over a Dask cluster: a scheduler's address, or a local cluster of `workers`.

    A task whose worker died is sent again. If every worker is gone the tasks wait at the
    scheduler for new ones.
    """

    def spread(function: Work[Task], tasks: Sequence[Task]) -> Iterator[str]:
        if not tasks:
            return
        try:
            import distributed
        except ImportError:
            raise invalid(
                "Dask", "is not installed", "pip install '.[dask]' in its sources"
            ) from None
        local: Any = distributed.LocalCluster
        as_finished: Any = distributed.as_completed
        cluster = None
        if address is None:
            cluster = local(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, processes=True
            )
        try:
            client = _connect(distributed.Client, address, cluster)
            try:
                tries: dict[str, int] = {}
                by_key = {task.key: task for task in tasks}
                futures = [_send(client, function, task) for task in by_key.values()]
                finished = as_finished(futures)
                for future in finished:
                    key = future.key.removeprefix("hickam-").partition(":")[0]
                    failure = future.exception()
                    if isinstance(failure, distributed.KilledWorker) or future.cancelled():
                        tries[key] = tries.get(key, 0) + 1
                        if tries[key] > PATIENCE:
                            raise invalid(
                                "a task", f"killed {tries[key]} workers", "see their logs"
                            )
                        finished.add(_send(client, function, by_key[key], tries[key]))
                        continue
                    if failure is not None:
                        raise failure
                    yield future.result()
            finally:
                client.close()
        finally:
            if cluster is not None:
                cluster.close()

    return spread


def _connect(client: Any, address: str | None, cluster: Any) -> Any:
    """A Dask client, or the user's mistake in its address."""
    try:
        return client(cluster or address, timeout="15s")
    except (OSError, ValueError) as bad:
        what = f"cannot be reached: {str(bad) or type(bad).__name__}"
        fix = "start it with 'dask scheduler' and give tcp://HOST:8786"
        raise invalid(f"Dask scheduler '{address}'", what, fix) from None


def _send(client: Any, function: Work[Task], task: Task, attempt: int = 0) -> Any:
    """A future for one task; results are files, so equal keys may share one."""
    name = f"hickam-{task.key}:{attempt}"
    return client.submit(function, task, key=name, pure=False, retries=0)


def usual_workers() -> int:
    """One worker per core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
