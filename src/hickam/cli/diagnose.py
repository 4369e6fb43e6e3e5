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
    from hickam.advise.red_flags import red_flags
    from hickam.advise.triage import triage
    from hickam.diagnose import differential as of_beliefs
    from hickam.infer import infer_located
    from hickam.io.load import load

    network = load(values["network"])
    case = build_case(values)
    evidence, beliefs = infer_located(network, case, values["engine"], given(values))
    differential = of_beliefs(
        network,
        evidence,
        beliefs,
        values["measure"],
        top=values["top"],
        cruelty=values["cruelty"],
        treatment=values["treatment"],
    )
    verdict = triage(network, beliefs)
    if values["as_json"]:
        from hickam.report.plain import to_json

        more = {} if verdict is None else {"triage": verdict.to_dict()}
        click.echo(to_json({**differential.to_dict(), **more}))
        return
    from hickam.report.interview import of_red_flags, of_triage
    from hickam.report.text import console, print_differential

    remarks: list[str] = []
    if verdict is not None:
        flags = red_flags(network, evidence, beliefs)
        remarks = [*of_red_flags(flags), of_triage(verdict), ""]
    print_differential(console(), differential, network, explain=values["explain"], remarks=remarks)
