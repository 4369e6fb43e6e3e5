"""`hickam networks`: the networks that come with Hickam."""

from __future__ import annotations

import click


@click.command("networks")
def networks_command() -> None:
    """List the embedded networks."""
    from hickam.io.load import load
    from hickam.model.embedded import NAMES
    from hickam.report.summary import summarise, summary_lines

    for name in NAMES:
        network = load(name)
        click.echo(f"{name}: " + "\n".join(summary_lines(summarise(network))[:2]))
        if network.about.description:
            click.echo(f"  {network.about.description.split('. ')[0].rstrip('.')}.")
    click.echo("Each is a demonstration, not for clinical use.")
