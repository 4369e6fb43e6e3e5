"""`hickam pool`: several experts' numbers for one network."""

from __future__ import annotations

import sys
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import ManyValues


@click.command("pool", cls=ManyValues)
@click.argument("network")
@click.argument("table")
@click.option(
    "--method",
    type=click.Choice(["linear", "log"]),
    default="linear",
    show_default=True,
    help="Mean of the probabilities, or of their log odds.",
)
@click.option(
    "--weights",
    multiple=True,
    metavar="EXPERT=WEIGHT",
    help="Weights other than 1; 'network' is the number that is there already.",
)
@click.option("--add", is_flag=True, help="Add links that the network does not have.")
@click.option("--out", metavar="FILE", help="Write the network with the pooled numbers.")
@click.option("--force", is_flag=True, help="Overwrite what is at --out.")
@click.option("--cases", metavar="FILE", help="Cases to compare by, instead of drawn patients.")
@click.option(
    "--each",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Patients drawn for each number.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of drawn patients.")
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def pool_command(**values: Any) -> None:
    """Pool what several experts say about numbers of NETWORK, and say what to discuss first.

    TABLE (.csv, .xlsx, .yaml, .json) has the columns cause and effect and one for each expert, with
    numbers, percentages, "1 in 20" or words of the network format; blanks are allowed. Without a
    cause a row is about the leak or prior of its effect.

    \b
    hickam pool smoker experts.csv --method log --weights Ann=2 --out pooled.yaml
    """
    from hickam.cli.options import weights_of
    from hickam.io.experts import read_experts
    from hickam.io.load import load
    from hickam.trust.disagreement import disagreement
    from hickam.trust.pool import pool

    network = load(values["network"])
    table = read_experts(values["table"])
    for warning in table.warnings:
        say(f"{warning.level}: {warning}", err=True)
    pooled = pool(
        network,
        table.rows,
        method=values["method"],
        weights={**table.weights, **weights_of(values["weights"])},
        add=values["add"],
        file=values["table"],
    )
    cases = None
    if values["cases"]:
        from hickam.io.cases import read_cases
        from hickam.issues import raise_errors

        cases, issues = read_cases(values["cases"])
        raise_errors(issues)
    found = disagreement(pooled, cases, each=values["each"], seed=values["seed"])
    if values["out"]:
        from hickam.io.save import save

        form = save(pooled.network, values["out"], replace=values["force"])
        say(f"wrote {values['out']}, {form.meaning}", err=True)
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(found.to_dict()))
        return
    from hickam.report.disagreement import disagreement_text
    from hickam.report.terminal import Terminal

    click.echo(disagreement_text(found, values["top"], Terminal.of(sys.stdout)))
