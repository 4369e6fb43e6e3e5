"""`hickam cure`: what curing diseases together would remove."""

from __future__ import annotations

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


@click.command("cure", cls=ManyValues)
@network_option
@meaning_options
@case_options
@click.option("--disease", "-d", multiple=True, help="Diseases to cure together.")
@click.option(
    "--at-least",
    type=float,
    help="Instead: find the smallest set whose cure removes this many findings.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@assumption_options
def cure_command(**values: Any) -> None:
    """Which present findings would go away if these diseases were cured?

    \b
    hickam cure -n clinic -p cough fever -d pneumonia influenza
    hickam cure -n clinic -p cough fever headache --at-least 1
    """
    from hickam.advise.what_if import cure, smallest_cure

    if bool(values["disease"]) == (values["at_least"] is not None):
        raise click.UsageError("give either --disease or --at-least")
    network = open_model(values["network"], values)
    case = build_case(values, network)
    if values["disease"]:
        answer = cure(network, case, values["disease"], **given(values))
    else:
        found = smallest_cure(network, case, values["at_least"], **given(values))
        if found is None:
            click.echo(
                "null"
                if values["as_json"]
                else "No set of diseases is expected to remove that many findings."
            )
            return
        answer = found
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(answer.to_dict()))
        return
    from hickam.report.sentences import of_cure

    say(of_cure(answer, network, searched=values["at_least"] is not None))
