"""`hickam cure`: what curing diseases together would remove."""

from __future__ import annotations

from typing import Any

import click

from hickam.cli.options import (
    ManyValues,
    assumption_options,
    build_case,
    case_options,
    given,
    network_option,
)


@click.command("cure", cls=ManyValues)
@network_option
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
    hickam cure -n clinic -p cough fever headache --at-least 2
    """
    from hickam.advise.what_if import cure, smallest_cure
    from hickam.io.load import load

    if bool(values["disease"]) == (values["at_least"] is not None):
        raise click.UsageError("give either --disease or --at-least")
    network = load(values["network"])
    case = build_case(values)
    if values["disease"]:
        answer = cure(network, case, values["disease"], **given(values))
    else:
        found = smallest_cure(network, case, values["at_least"], **given(values))
        if found is None:
            click.echo("No set of diseases is expected to remove that many findings.")
            return
        answer = found
    if values["as_json"]:
        import json

        plain = {
            "diseases": list(answer.diseases),
            "removed": dict(answer.removed),
            "expected": answer.expected,
            "smallest": answer.smallest,
            "accuracy": {"kind": answer.accuracy.kind, "error": answer.accuracy.error},
        }
        click.echo(json.dumps(plain, indent=2, ensure_ascii=False))
        return
    names = " and ".join(network.label(disease) for disease in answer.diseases)
    click.echo(f"Curing {names} would be expected to remove {answer.expected:.2f} findings:")
    for finding, chance in sorted(answer.removed.items(), key=lambda item: -item[1]):
        click.echo(f"  {chance:6.1%}  {network.label(finding)}")
    if values["at_least"] is not None:
        claim = (
            "No smaller set reaches the goal."
            if answer.smallest
            else ("Found by a greedy search: a smaller set may exist.")
        )
        click.echo(claim)
