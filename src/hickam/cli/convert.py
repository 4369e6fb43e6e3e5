"""`hickam convert`: a network from one form to another."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import ManyValues, role_options


def _help() -> str:
    """The help text, with the forms that there are."""
    from hickam.io.formats import listed, readable, writable

    return f"""Write NETWORK to OUT in the form that OUT asks for: {listed(writable())}.

    NETWORK is an embedded name, {listed(readable())}. What is there already stays, unless --force
    is given.

    \b
    hickam convert clinic clinic-sheets      a folder to edit in a spreadsheet
    hickam convert clinic-sheets clinic.yaml and back
    hickam convert NETWORK.bif OUT.yaml --roles ROLES.csv     with roles of your own
    """


@click.command("convert", cls=ManyValues, help=_help())
@click.argument("network")
@click.argument("out")
@role_options
@click.option(
    "--as-tables", is_flag=True, help="Noisy gates as tables, for programs that know no gates."
)
@click.option("--force", is_flag=True, help="Overwrite what is at OUT.")
def convert_command(network: str, out: str, as_tables: bool, force: bool, **roles: Any) -> None:
    """Write a network in another form."""
    from hickam.cli.options import model_with_roles
    from hickam.io.save import save

    model = model_with_roles(network, roles)
    if as_tables:
        from hickam.model import scm_table_of
        from hickam.model.kinds import as_scm

        model = scm_table_of.as_tables(as_scm(model))
    form = save(model, out, replace=force)
    say(f"wrote {out}, {form.meaning}")
    if form.read_by:
        say(form.read_by)
