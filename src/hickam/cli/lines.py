"""Lines on the terminal: what a name holds never moves the cursor or starts a line."""

from __future__ import annotations

from collections.abc import Iterable

import click

from hickam.issues import printable


def say(lines: str | Iterable[str], *, err: bool = False) -> None:
    """Print a line, or each of several, with control characters and line breaks escaped."""
    for line in (lines,) if isinstance(lines, str) else lines:
        click.echo(printable(line), err=err)
