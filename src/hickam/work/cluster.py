"""Work spread over a Dask cluster, a running one or one of our own."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent import futures
from contextlib import suppress
from typing import Any

from hickam.issues import InvalidInput, invalid
from hickam.work.parts import Errand, Part
from hickam.work.spread import PATIENCE, Function
from hickam.work.task import digest

REACH = 15.0  # seconds to reach a scheduler, at first or again


class Dask:
    """Spread over a Dask cluster: a scheduler's address, or a local cluster of `workers`.

    An errand whose worker died is sent again. If every worker is gone the errands wait at the
    scheduler for new ones; a scheduler that is gone is an error, and the work resumes later.
    """

    def __init__(self, address: str | None, workers: int) -> None:
        self.address = address
        self.workers = workers
        self.cluster: Any = None
        self.client: Any = None

    def __call__(self, function: Function, errands: Sequence[Errand]) -> Iterator[Part]:
        """Do the errands and yield their parts as they come."""
        if not errands:
            return
        try:
            import distributed
        except ImportError:
            raise invalid(
                "Dask", "is not installed", "pip install '.[dask]' in its sources"
            ) from None
        killed: Any = distributed.KilledWorker
        as_finished: Any = distributed.as_completed
        client = self._connect(distributed)
        tries = dict.fromkeys((errand.key for errand in errands), 0)
        sent = {_name(errand, 0): errand for errand in errands}
        finished = as_finished([_send(client, function, e, name) for name, e in sent.items()])
        for future in finished:
            part = self._part(future, killed)
            if part is not None:
                yield part
                continue
            self._wait_for_scheduler()
            errand = sent[future.key]
            tries[errand.key] += 1
            if tries[errand.key] > PATIENCE:
                raise invalid("a task", f"was lost {PATIENCE + 1} times", "see the logs")
            name = _name(errand, tries[errand.key])
            sent[name] = errand
            finished.add(_send(client, function, errand, name))

    def _part(self, future: Any, killed: type[Exception]) -> Part | None:
        """The part of a future; None if its worker or the scheduler went away with it."""
        own = future.status == "error"  # the task failed, whatever else is going on
        try:
            part: Part = future.result()
        except killed:
            return None
        except (asyncio.CancelledError, futures.CancelledError, OSError, TimeoutError):
            if own:
                raise
            return None
        return part

    def _connect(self, distributed: Any) -> Any:
        """A Dask client, kept from one call to the next, or the user's mistake in its address."""
        if self.client is not None:
            return self.client
        # that a connection broke is said by us, without the traceback that it has there
        logging.getLogger("distributed.batched").setLevel(logging.CRITICAL)
        try:
            if self.address is None:
                self.cluster = distributed.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    processes=True,
                )
            self.client = distributed.Client(self.cluster or self.address, timeout=REACH)
        except (OSError, ValueError) as bad:
            raise self._unreachable(str(bad) or type(bad).__name__) from None
        return self.client

    def _wait_for_scheduler(self) -> None:
        """Return when the client is connected, or say that its scheduler is gone."""
        patience = time.monotonic() + REACH
        while self.client.status != "running":
            if time.monotonic() > patience or self.client.status == "closed":
                raise self._unreachable("it is gone")
            time.sleep(0.1)

    def _unreachable(self, why: str) -> InvalidInput:
        """What to say when there is no scheduler."""
        # the client's own account of it, with tracebacks, tells the user nothing more
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        what = f"cannot be reached: {why}"
        fix = "start it with 'dask scheduler' and give tcp://HOST:8786; finished work is kept"
        return invalid(f"Dask scheduler '{self.address or 'local'}'", what, fix)

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        for owned in (self.client, self.cluster):
            if owned is not None:
                with suppress(OSError, TimeoutError):
                    owned.close(timeout=5)
        self.client = self.cluster = None


def _name(errand: Errand, attempt: int) -> str:
    """The name of an errand at the scheduler: equal ones for two folders must not be shared."""
    return f"hickam-{digest(errand.key, errand.folder)[:24]}:{attempt}"


def _send(client: Any, function: Function, errand: Errand, name: str) -> Any:
    """A future for one errand."""
    return client.submit(function, errand, key=name, pure=False, retries=0)
