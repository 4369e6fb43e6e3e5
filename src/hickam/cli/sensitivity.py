"""`hickam sensitivity`: which numbers of the network an answer hangs on."""

from __future__ import annotations

import sys
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    assumption_options,
    build_case,
    case_options,
    given,
    meaning_options,
    network_option,
    open_model,
)


@click.command("sensitivity", cls=ManyValues)
@network_option
@meaning_options
@case_options
@click.option(
    "--measure",
    "-m",
    type=click.Choice(["posterior", "disablement", "sufficiency"]),
    default="disablement",
    show_default=True,
    help="The score to follow.",
)
@click.option("--candidate", metavar="DISEASE", help="The disease to follow (default: the first).")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    show_default=True,
    help="The odds of each number are divided and multiplied by this.",
)
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print every number examined as JSON.")
@click.option("--out", metavar="FILE.svg", help="Write the picture.")
@assumption_options
def sensitivity_command(**values: Any) -> None:
    """How do the score and rank of a candidate follow each number of the network?

    One number moves at a time. The slopes and the values at which the first place changes hands
    are exact where the engine is.

    \b
    hickam sensitivity -n clinic -p "chest pain" sweating -r smoker --age 63 --sex male
    hickam sensitivity -n smoker -p nausea --candidate gastritis --out tornado.svg
    """
    from pathlib import Path

    from hickam.io.text import check_endings
    from hickam.trust.sensitivity import sensitivity

    check_endings([values["out"]] if values["out"] else [], (".svg",))
    network = open_model(values["network"], values)
    found = sensitivity(
        network,
        build_case(values, network),
        values["measure"],
        candidate=values["candidate"],
        factor=values["factor"],
        top=values["top"],
        **given(values),
    )
    if values["out"]:
        from hickam.io.text import write_file
        from hickam.report.tornado_svg import tornado_svg

        write_file(Path(values["out"]), tornado_svg(found, values["top"]))
        say(f"{values['out']} is written", err=True)
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(found.to_dict()))
        return
    from hickam.report.sensitivity import sensitivity_text
    from hickam.report.terminal import Terminal

    click.echo(sensitivity_text(found, values["top"], Terminal.of(sys.stdout)))
