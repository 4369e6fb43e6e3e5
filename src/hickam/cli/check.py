"""`hickam check`: every problem of a network file, and a summary of the network."""

from __future__ import annotations

import click

from hickam.cli.lines import say


@click.command("check")
@click.argument("network")
@click.option("--json", "as_json", is_flag=True, help="Print issues and summary as JSON.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--out", metavar="FILE.svg", help="Write a picture of the network.")
@click.option("--review", is_flag=True, help="Print what a reader of the network would question.")
def check_command(network: str, as_json: bool, strict: bool, out: str | None, review: bool) -> int:
    """Check NETWORK (an embedded name, a file or a folder) and summarise it.

    The summary shows the layers and how many links the nodes have, how common and how strong.

    Ends with exit code 3 if there are errors. With --review, also what is not wrong but worth a
    second look: a finding whose commonest cause may be missing, a prior that its factors by age
    contradict, a disease without a finding that brings its patients, a link no one would expect.
    """
    from pathlib import Path

    from hickam.io.load import read_network
    from hickam.io.text import check_endings, write_file
    from hickam.issues import Level
    from hickam.model.kinds import as_network, need_network
    from hickam.model.network import Network
    from hickam.model.review import review as remarks_on
    from hickam.report.portrait import portrait, portrait_lines, portrait_svg
    from hickam.report.summary import summarise, summary_lines

    check_endings([out] if out else [], (".svg",))
    checked, issues = read_network(network)
    layered = as_network(checked) if checked else None
    if out and layered is not None:
        write_file(Path(out), portrait_svg(layered))
        say(f"{out} is written", err=True)
    elif out and checked:
        need_network(checked, "its picture")
    failed = any(issue.level is Level.ERROR or strict for issue in issues)
    remarks = remarks_on(checked) if review and isinstance(checked, Network) else []
    if as_json:
        from hickam.report.plain import to_json

        summary = summarise(checked) if checked else None
        if summary is not None and layered is not None:
            summary["histograms"] = {one.what: one.to_dict() for one in portrait(layered)}
        answer = {"issues": [issue.as_dict() for issue in issues], "summary": summary}
        if review:
            answer["remarks"] = [remark.as_dict() for remark in remarks]
        click.echo(to_json(answer))
        return 3 if failed else 0
    for issue in issues:
        say(f"{issue.level}: {issue}")
    for remark in remarks:
        say(f"remark: {remark}")
    if checked:
        say(summary_lines(summarise(checked)))
    if layered is not None:
        say(portrait_lines(layered))
    count = sum(issue.level is Level.ERROR for issue in issues)
    asked = f", {len(remarks)} remarks" if review else ""
    click.echo(f"{count} errors, {len(issues) - count} warnings{asked}")
    return 3 if failed else 0
