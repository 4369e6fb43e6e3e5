"""`hickam diagnose`: the differential of one case."""

from __future__ import annotations

import sys
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    assumption_options,
    case_options,
    engine_option,
    given,
    meaning_options,
    measure_option,
    network_option,
    open_model,
    take_case,
)

PAIRS = 5
PATIENCE = 10.0  # seconds for pairs, unless a deadline is given


@click.command("diagnose", cls=ManyValues)
@network_option
@meaning_options
@case_options
@measure_option()
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True)
@engine_option
@click.option("--explain", is_flag=True, help="Say why, for each of the first candidates.")
@click.option("--pairs", "with_pairs", is_flag=True, help="The best pairs of diseases as well.")
@click.option("--robust", is_flag=True, help="How often the order stays with estimates redrawn.")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    show_default=True,
    help="With --robust: how far off the odds of an estimate may be.",
)
@click.option(
    "--draws",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="With --robust: how often the estimates are drawn.",
)
@click.option("--cruelty", is_flag=True, help="Weight findings by the network's cruelty.")
@click.option("--treatment", is_flag=True, help="Weigh in cost and success of treatment.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@click.option(
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write it: .html a report, .tsv a table, .json a phenopacket with interpretations.",
)
@assumption_options
def diagnose_command(**values: Any) -> None:
    """Rank the diseases that may cause the findings of one case.

    \b
    hickam diagnose --network clinic --present "chest pain" sweating --absent fever \\
        --risk smoker --age 63 --sex male --explain
    hickam diagnose --case patient.json --pairs --out report.html
    """
    from hickam.advise.red_flags import red_flags
    from hickam.advise.triage import triage
    from hickam.diagnose import differential as of_beliefs
    from hickam.infer import infer_located

    if values["out"]:
        from hickam.cli.exports import BY_ENDING, export
        from hickam.io.text import check_endings

        check_endings(values["out"], BY_ENDING)
    network = open_model(values["network"], values)
    taken = take_case(values, network)
    evidence, beliefs = infer_located(network, taken.case, values["engine"], given(values))
    differential = of_beliefs(
        network,
        evidence,
        beliefs,
        values["measure"],
        top=values["top"],
        cruelty=values["cruelty"],
        treatment=values["treatment"],
    )
    verdict = triage(network, evidence, beliefs)
    pairs = None
    if values["with_pairs"]:
        from hickam.advise.pairs import pairs as find_pairs

        options = given(values)
        options.setdefault("deadline", PATIENCE)
        pairs = find_pairs(network, taken.case, top=PAIRS, **options)
    stands = None
    if values["robust"]:
        from hickam.trust.robust import robust

        stands = robust(
            network,
            taken.case,
            values["measure"],
            factor=values["factor"],
            draws=values["draws"],
            top=values["top"],
            cruelty=values["cruelty"],
            treatment=values["treatment"],
            **given(values),
        )
    for path in values["out"]:
        export(path, network, taken, differential, pairs, stands)
        say(f"{path} is written", err=True)
    if values["as_json"]:
        from hickam.report.plain import to_json

        answer = differential.to_dict()
        if verdict is not None:
            answer["triage"] = verdict.to_dict()
        if network.about.notice:
            answer["notice"] = network.about.notice
        if taken.warnings:
            answer["warnings"] = [issue.as_dict() for issue in taken.warnings]
        if pairs is not None:
            answer["pairs"] = pairs.to_dict()
        if stands is not None:
            answer["robustness"] = stands.to_dict()
        click.echo(to_json(answer))
        return
    from hickam.report.terminal import Terminal
    from hickam.report.text import differential_text

    remarks: list[str] = []
    if verdict is not None:
        from hickam.report.interview import of_red_flags, of_triage

        remarks = [*of_red_flags(red_flags(network, evidence, beliefs)), of_triage(verdict), ""]
    look = Terminal.of(sys.stdout)
    explain = values["explain"]
    click.echo(differential_text(differential, network, look, explain=explain, remarks=remarks))
    if pairs is not None:
        from hickam.report.pairs_text import pairs_in_words

        say(["", *pairs_in_words(pairs)])
    if stands is not None:
        from hickam.report.robust import robust_text

        click.echo("\n" + robust_text(stands, network, look))
