"""Long work on the command line: where it is done, how far it is, and what Ctrl-C leaves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hickam.cli.lines import say
from hickam.cli.progress import Meter
from hickam.issues import invalid

if TYPE_CHECKING:
    from hickam.work.spread import Spread


def spread_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the work is done."""
    for option in reversed(
        [
            click.option(
                "--workers",
                type=click.IntRange(min=1),
                help="Local processes; by default one per core.",
            ),
            click.option(
                "--scheduler",
                metavar="ADDRESS",
                help="A Dask scheduler, tcp://HOST:8786; needs hickam[dask].",
            ),
            click.option("--dask", "local_dask", is_flag=True, help="A local Dask cluster."),
        ]
    ):
        command = option(command)
    return command


@contextmanager
def resumable(values: dict[str, Any], folder: Path) -> Iterator[tuple[Spread, Meter]]:
    """The spread that the options ask for and a meter; Ctrl-C says how to go on."""
    from hickam.work.cluster import Dask
    from hickam.work.spread import Processes, usual_workers

    workers = values["workers"] or usual_workers()
    on_dask = values["scheduler"] or values["local_dask"]
    spread = Dask(values["scheduler"], workers) if on_dask else Processes(workers)
    meter = Meter()
    try:
        yield spread, meter
    except KeyboardInterrupt:
        meter.close()
        say(f"Interrupted; the same command resumes from {folder}.", err=True)
        sys.exit(130)
    finally:
        meter.close()
        spread.close()


def need(*packages: str) -> None:
    """Refuse early if an extra is missing."""
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise invalid(
            " and ".join(missing), "not installed", "pip install '.[study]' in its sources"
        )
