"""`hickam batch`: diagnose many cases, files or a folder in, Parquet out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hickam.cli.options import assumption_options, given, measure_option, network_option
from hickam.cli.spread import need, resumable, spread_options


@click.command("batch")
@click.argument("cases", metavar="CASES")
@network_option
@click.option("--out", required=True, metavar="FOLDER", help="Where the parts go.")
@measure_option()
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--engine", default="auto", show_default=True)
@click.option(
    "--part",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Cases per output file, the unit of work and of loss.",
)
@spread_options
@assumption_options
def batch_command(cases: str, network: str, out: str, **values: Any) -> None:
    """Diagnose every case of a file or folder; run it again to resume.

    CASES is Parquet, JSON Lines (also .gz), or phenopackets: a file of them or a folder.

    \b
    hickam batch cases.parquet --network clinic --out ranked
    hickam batch cases.parquet --out ranked --scheduler tcp://10.0.0.5:8786
    """
    from hickam.batch.job import make_job
    from hickam.batch.run import run_batch
    from hickam.io.load import load

    need("pyarrow")
    job = make_job(
        load(network),
        network,
        Path(cases),
        measure=values["measure"],
        top=values["top"],
        engine=values["engine"],
        options=dict(given(values)),  # type: ignore[arg-type]
        part=values["part"],
    )
    with resumable(values, Path(out)) as (spread, meter):
        outcome = run_batch(job, Path(out), spread, meter)
    click.echo(
        f"{outcome.cases} cases in {outcome.parts} parts in {outcome.folder}; "
        f"{outcome.problems} cases with problems (column 'problem')"
    )
