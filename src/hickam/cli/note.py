"""`hickam note`: what a network reads in a text."""

from __future__ import annotations

import json
import sys

import click

from hickam.cli.options import network_option
from hickam.cli.plain_text import read_text

NOT_ALL = 3  # the exit code where something that may be a finding is not understood


@click.command("note")
@click.argument("file", metavar="FILE|-")
@network_option
@click.option("--json", "as_json", is_flag=True, help="Print the spans as JSON.")
def note_command(file: str, network: str, as_json: bool) -> int:
    """Read a note: what it says is there, absent, past, someone else's, or not understood.

    The exit code is 3 if something that may be a finding is not understood.

    \b
    hickam note note.txt
    echo "67f, headache ?tension. Neck stiff. No fever" | hickam note -
    """
    from hickam.io.load import load
    from hickam.language.note import read_note
    from hickam.report.spans import document, lines
    from hickam.report.terminal import Terminal

    loaded = load(network)
    note = read_note(loaded, read_text(file))
    if as_json:
        click.echo(json.dumps(document(loaded, note), ensure_ascii=False, indent=2))
    else:
        for line in lines(loaded, note, Terminal.of(sys.stdout)):
            click.echo(line)
    return NOT_ALL if note.lost else 0
