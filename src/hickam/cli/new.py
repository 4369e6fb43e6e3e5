"""`hickam new`: a commented network to start from."""

from __future__ import annotations

import click

from hickam.cli.lines import say


@click.command("new")
@click.argument("file", metavar="FILE.yaml")
@click.option("--machine", is_flag=True, help="Faults of a machine instead of diseases.")
@click.option("--force", is_flag=True, help="Overwrite what is at FILE.")
def new_command(file: str, machine: bool, force: bool) -> None:
    """Write a small network with comments to FILE, to be changed into your own.

    \b
    hickam new mine.yaml
    hickam check mine.yaml
    """
    from pathlib import Path

    from hickam.io.text import write_file
    from hickam.issues import invalid
    from hickam.model.embedded import embedded_text

    path = Path(file)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise invalid(f"file '{file}'", "does not end in .yaml", "comments need YAML")
    if path.exists() and not force:
        raise invalid(f"'{file}'", "is there already", "give --force to overwrite it")
    text = embedded_text("template_machine" if machine else "template_medical")
    write_file(path, text.replace("THIS_FILE", file))
    say(f"wrote {file}: change it, then 'hickam check {file}'")
