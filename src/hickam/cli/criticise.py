"""`hickam criticise`: what records say that a network has wrong or is missing."""

from __future__ import annotations

import sys
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.records import record_options, records_from


@click.command("criticise")
@click.argument("network", metavar="NETWORK")
@click.argument("records", metavar="RECORDS")
@record_options
@click.option("--all", "every", is_flag=True, help="Show everything that was found.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def criticise_command(network: str, records: str, **values: Any) -> None:
    """Say what RECORDS speak against in NETWORK: missing links, numbers that do not fit.

    Proposals with numbers, the strongest first; nothing is changed.

    \b
    hickam simulate smoker --records 5000 --missing 0.3 --out records.csv
    hickam criticise smoker records.csv
    """
    from hickam.io.load import load
    from hickam.learn.criticise import criticise
    from hickam.learn.numbers import numbers_of
    from hickam.learn.run import Plan

    own = numbers_of(load(network)).network
    said = values["unmentioned"]
    found = records_from(own, records, values, said)
    plan = Plan(seed=values["seed"], settings=values["settings"], unmentioned=said)
    criticism = criticise(own, found, plan, _say)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    if values["as_json"]:
        from hickam.report.criticism import criticism_document
        from hickam.report.plain import to_json

        click.echo(to_json(criticism_document(own, criticism)))
        return
    from hickam.report.criticism import criticism_lines

    say(criticism_lines(own, criticism, 10**9 if values["every"] else 15))


def _say(what: str) -> None:
    """How far it is, on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what}")
        sys.stderr.flush()
