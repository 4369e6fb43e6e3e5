"""`hickam show`: browse a network."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import meaning_options, network_option, open_model


@click.command("show")
@click.argument("words", nargs=-1)
@network_option
@meaning_options
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
def show_command(words: tuple[str, ...], network: str, limit: int, **meaning: Any) -> None:
    """Show one risk factor, disease or finding, or search for WORDS.

    \b
    hickam show pneumonia            its causes and findings
    hickam show -n car battery       everything with "battery" in a name or synonym
    hickam show                      the groups and sizes of the network
    """
    from hickam.report.browse import describe, overview, search

    loaded = open_model(network, meaning)
    wanted = " ".join(words)
    if not wanted:
        lines = overview(loaded)
    else:
        lines = describe(loaded, wanted) or search(loaded, wanted, limit)
    say(lines)
