"""`hickam second-opinion`: a doctor's list weighed with the network."""

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
    measure_option,
    network_option,
    open_model,
)
from hickam.issues import invalid


@click.command("second-opinion", cls=ManyValues)
@network_option
@meaning_options
@case_options
@click.option(
    "--doctor",
    "-d",
    multiple=True,
    metavar="DISEASE",
    help="The doctor's differential, best first; tied diseases joined by '='.",
)
@measure_option("single_fault")
@engine_option
@click.option(
    "--weights",
    metavar="R1,R2,…,UNLISTED",
    help="Likelihood ratios by position and, last, of an unlisted disease.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@assumption_options
def second_opinion_command(**values: Any) -> None:
    """Weigh a doctor's differential with the network's; the list keeps the doctor's size.

    \b
    hickam second-opinion -n clinic -p "chest pain" sweating -d "panic attack" "stable angina"
    """
    from hickam.advise.second_opinion import DEFAULT_WEIGHTS, second_opinion

    if not values["doctor"]:
        raise click.UsageError("give the doctor's list with --doctor, best first")
    network = open_model(values["network"], values)
    weights = _weights(values["weights"]) if values["weights"] else DEFAULT_WEIGHTS
    listed = [name.split("=") if "=" in name else name for name in values["doctor"]]
    found = second_opinion(
        network,
        build_case(values, network),
        listed,
        values["measure"],
        weights=weights,
        engine=values["engine"],
        **given(values),
    )
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(found.to_dict()))
        return
    from hickam.report.sentences import of_second_opinion

    say(of_second_opinion(found))


def _weights(text: str) -> Any:
    """Position weights from numbers with commas."""
    from hickam.advise.second_opinion import PositionWeights

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise invalid(f"weights '{text}'", "are not numbers", "write 25,10,6,0.3") from None
    return PositionWeights(tuple(numbers[:-1]), numbers[-1], "given")
