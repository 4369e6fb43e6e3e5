"""`hickam twin`: the picture of a case and of the twin behind a measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    build_case,
    case_options,
    meaning_options,
    network_option,
    open_model,
)

SUFFIXES = (".svg", ".mmd", ".dot")


@click.command("twin", cls=ManyValues)
@network_option
@meaning_options
@case_options
@click.option("--disease", "-d", help="The disease to intervene on.")
@click.option(
    "--measure",
    "-m",
    type=click.Choice(["disablement", "sufficiency"]),
    default="disablement",
    show_default=True,
    help="Cure the disease, or switch every other cause off.",
)
@click.option(
    "--stage",
    type=click.Choice(["network", "before", "after"]),
    default="after",
    show_default=True,
    help="The network around the case, or its twin before or after merging.",
)
@click.option("--most", type=click.IntRange(min=2), default=30, show_default=True)
@click.option(
    "--deadline",
    type=click.FloatRange(min=0.0, min_open=True),
    default=2.0,
    show_default=True,
    help="Seconds that finding the likeliest causes may take.",
)
@click.option("--out", "-o", metavar="FILE", help="A .svg, .mmd or .dot file; Mermaid if left out.")
def twin_command(**values: Any) -> None:
    """Draw the network around a case, or the twin network behind a measure.

    \b
    hickam twin --network clinic --present cough fever --disease pneumonia --out twin.svg
    """
    from hickam.io.text import check_endings, write_file
    from hickam.report.pictures import draw
    from hickam.report.pictures_svg import to_svg
    from hickam.report.pictures_text import to_dot, to_mermaid

    out = values["out"]
    check_endings([out] if out else [], SUFFIXES)
    suffix = Path(out).suffix.lower() if out else ".mmd"
    network = open_model(values["network"], values)
    picture = draw(
        network,
        build_case(values, network),
        values["disease"],
        stage=values["stage"],
        measure=values["measure"],
        most=values["most"],
        deadline=values["deadline"],
    )
    text = {".svg": to_svg, ".mmd": to_mermaid, ".dot": to_dot}[suffix](picture)
    if not out:
        click.echo(text, nl=False)
        return
    write_file(Path(out), text)
    say(f"{out}: {len(picture.shapes)} nodes, {len(picture.arrows)} arrows")
