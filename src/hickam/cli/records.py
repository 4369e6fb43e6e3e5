"""Records on the command line: the options that read them, and what is done with bad ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hickam.cli.lines import say

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
                multiple=True,
                metavar="MEANING",
                help="What an empty cell means: 'absent', 'absent:0.8' (80 % of what is there is "
                "written down), 'unknown', 'model' or 'model:0.8,0.1' (the shares of yes and of no "
                "that are written down, learnt or given). NAME=MEANING for one column or layer; "
                "may be repeated.",
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


def records_from(
    network: Network, path: str, values: dict[str, Any], said: Sequence[str] = ()
) -> Records:
    """The records of a file; those that cannot be stop the work or are left out and counted.

    `said` is what empty cells mean.
    """
    from hickam.io.records import read_records
    from hickam.issues import InvalidInput
    from hickam.learn.numbers import numbers_of
    from hickam.learn.recording import recording_of
    from hickam.learn.run import Plan, possible_part

    read = read_records(network, Path(path), ignore=values["ignore"])
    for issue in read.warnings:
        say(f"warning: {issue}", err=True)
    for issue in recording_of(numbers_of(network), read.records, said).warnings:
        say(f"warning: {issue}", err=True)
    records, issues = possible_part(network, read.records, Plan(unmentioned=said))
    problems = [*read.problems, *(_placed(issue, path) for issue in issues)]
    if problems and not values["exclude_impossible"]:
        raise InvalidInput(_shown(problems, read.rows, "--exclude-impossible leaves them out"))
    for issue in _shown(problems, read.rows, "left out") if problems else []:
        say(f"warning: {issue}", err=True)
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
