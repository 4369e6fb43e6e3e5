"""`hickam convert`: a network from one form to another."""

from __future__ import annotations

import click


@click.command("convert")
@click.argument("network")
@click.argument("out")
def convert_command(network: str, out: str) -> None:
    """Write NETWORK to OUT: a .yaml or .json file, or a folder of CSV sheets.

    \b
    hickam convert clinic clinic-sheets      a folder to edit in a spreadsheet
    hickam convert clinic-sheets clinic.yaml and back
    """
    from hickam.io.load import load
    from hickam.io.save import save

    save(load(network), out)
    click.echo(f"wrote {out}")
