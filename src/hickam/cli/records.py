"""Records on the command line: the options that read them, and what is done with bad ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hickam.issues import Issue
    from hickam.learn.records import Records
    from hickam.model.network import Network

LISTED = 20  # impossible records that are shown


def record_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How records are read, and what is drawn for those that leave risk factors open."""
    for option in reversed(
        [
            click.option(
                "--ignore",
                multiple=True,
                metavar="COLUMN",
                help="A column to leave out; may be repeated.",
            ),
            click.option(
                "--unmentioned",
                type=click.Choice(["unknown", "absent"]),
                default="unknown",
                show_default=True,
                help="What a finding is that a record does not mention, but another does.",
            ),
            click.option(
                "--exclude-impossible",
                is_flag=True,
                help="Leave out records that cannot be, instead of stopping.",
            ),
            click.option(
                "--seed", type=int, default=0, show_default=True, help="Of all that is drawn."
            ),
            click.option(
                "--settings",
                type=click.IntRange(1, 4096),
                default=64,
                show_default=True,
                help="Settings of a record's open risk factors, at most; beyond, as many are "
                "sampled.",
            ),
        ]
    ):
        command = option(command)
    return command


def records_from(network: Network, path: str, values: dict[str, Any]) -> Records:
    """The records of a file; those that cannot be stop the work or are left out and counted."""
    from hickam.io.records import read_records
    from hickam.issues import InvalidInput
    from hickam.learn.run import possible_part

    read = read_records(
        network,
        Path(path),
        ignore=values["ignore"],
        unmentioned_absent=values["unmentioned"] == "absent",
    )
    for issue in read.warnings:
        click.echo(f"warning: {issue}", err=True)
    records, issues = possible_part(network, read.records)
    problems = [*read.problems, *(_placed(issue, path) for issue in issues)]
    if problems and not values["exclude_impossible"]:
        raise InvalidInput(_shown(problems, read.rows, "--exclude-impossible leaves them out"))
    for issue in _shown(problems, read.rows, "left out") if problems else []:
        click.echo(f"warning: {issue}", err=True)
    if not len(records):
        from hickam.issues import invalid

        raise invalid(f"file '{path}'", "has no record that can be used")
    return records


def _placed(issue: Issue, path: str) -> Issue:
    from dataclasses import replace

    return replace(issue, file=path)


def _shown(problems: list[Issue], rows: int, fix: str) -> list[Issue]:
    """The first problems and a line that counts all."""
    from hickam.issues import error

    what = f"of {rows:,} cannot be"
    return [*problems[:LISTED], error(f"{len(problems):,} records", what, fix)]
