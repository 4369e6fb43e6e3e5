"""`hickam convert`: a network from one form to another."""

from __future__ import annotations

import click


def _help() -> str:
    """The help text, with the forms that there are."""
    from hickam.io.formats import listed, readable, writable

    return f"""Write NETWORK to OUT in the form that OUT asks for: {listed(writable())}.

    NETWORK is an embedded name, {listed(readable())}. What is there already stays, unless --force
    is given.

    \b
    hickam convert clinic clinic-sheets      a folder to edit in a spreadsheet
    hickam convert clinic-sheets clinic.yaml and back
    """


@click.command("convert", help=_help())
@click.argument("network")
@click.argument("out")
@click.option("--force", is_flag=True, help="Overwrite what is at OUT.")
def convert_command(network: str, out: str, force: bool) -> None:
    """Write a network in another form."""
    from hickam.io.load import read_network
    from hickam.io.save import save
    from hickam.issues import raise_errors

    loaded, issues = read_network(network)
    raise_errors(issues)
    assert loaded is not None
    for issue in issues:
        click.echo(f"{issue.level}: {issue}", err=True)
    form = save(loaded, out, replace=force)
    click.echo(f"wrote {out}, {form.meaning}")
