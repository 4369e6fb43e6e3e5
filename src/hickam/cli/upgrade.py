"""`hickam upgrade`: what counterfactual diagnosis means on a model made for posteriors."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import ManyValues, role_options


@click.command("upgrade", cls=ManyValues)
@click.argument("model", metavar="MODEL")
@click.option(
    "--cases",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many cases to draw from the model.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the drawn cases.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=60.0,
    show_default=True,
    help="Time for all cases together.",
)
@role_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option("--out", metavar="FILE.html", help="Write the report as a page instead.")
def upgrade_command(**values: Any) -> None:
    """Report what counterfactual diagnosis means on MODEL, by cases drawn from it.

    MODEL is an embedded name or a file in any form that can be read.

    \b
    hickam upgrade smoker --cases 5
    hickam upgrade confounding --cases 5 --out report.html
    """
    from hickam.cli.options import model_with_roles
    from hickam.io.text import check_endings
    from hickam.upgrade import upgrade

    check_endings([values["out"]] if values["out"] else [], (".html", ".htm"))
    model = model_with_roles(values["model"], values)
    found = upgrade(model, cases=values["cases"], seed=values["seed"], seconds=values["seconds"])
    if values["out"]:
        from pathlib import Path

        from hickam.io.text import write_file
        from hickam.report.upgrade import upgrade_page

        write_file(Path(values["out"]), upgrade_page(found))
        say(f"wrote {values['out']}")
    elif values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(found.to_dict()))
    else:
        from hickam.report.upgrade import upgrade_lines

        say(upgrade_lines(found))
