"""`hickam diagnose`: the differential of one case."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.options import (
    ManyValues,
    assumption_options,
    build_case,
    case_options,
    engine_option,
    given,
    measure_option,
    network_option,
)


@click.command("diagnose", cls=ManyValues)
@network_option
@case_options
@measure_option()
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True)
@engine_option
@click.option("--explain", is_flag=True, help="Say why, for each of the first candidates.")
@click.option("--cruelty", is_flag=True, help="Weight findings by the network's cruelty.")
@click.option("--treatment", is_flag=True, help="Weigh in cost and success of treatment.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@assumption_options
def diagnose_command(**values: Any) -> None:
    """Rank the diseases that may cause the findings of one case.

    \b
    hickam diagnose --network clinic --present "chest pain" sweating --absent fever \\
        --risk smoker --age 63 --sex male --explain
    """
    from hickam.diagnose import diagnose
    from hickam.io.load import load

    network = load(values["network"])
    differential = diagnose(
        network,
        build_case(values, network),
        values["measure"],
        engine=values["engine"],
        top=values["top"],
        cruelty=values["cruelty"],
        treatment=values["treatment"],
        **given(values),
    )
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(differential.to_dict()))
        return
    from hickam.report.text import console, print_differential

    print_differential(console(), differential, network, explain=values["explain"])
