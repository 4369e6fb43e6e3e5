"""`hickam causation`: how far causes are necessary and sufficient for a finding."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    assumption_options,
    build_case,
    case_options,
    engine_option,
    given,
    meaning_options,
    network_option,
    open_model,
)


@click.command("causation", cls=ManyValues)
@network_option
@meaning_options
@click.option(
    "--cause",
    "-c",
    multiple=True,
    required=True,
    metavar="NODE[=STATE]",
    help="The causes, taken together; without a state, being there.",
)
@click.option("--finding", "-f", required=True, metavar="NODE[=STATE]", help="What they may cause.")
@case_options
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@assumption_options
def causation_command(**values: Any) -> None:
    """How far are causes necessary and sufficient for a finding? Pearl's PN, PS and PNS.

    \b
    hickam causation -n smoker --cause angina --finding "chest pain"
    hickam causation -n clinic --cause influenza --finding fever --present cough
    """
    from hickam.advise.causation import causation

    network = open_model(values["network"], values)
    case = build_case(values, network)
    found = causation(
        network, case, values["cause"], values["finding"], values["engine"], **given(values)
    )
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(found.to_dict()))
        return
    from hickam.report.sentences import of_causation

    say(of_causation(found))
