"""`hickam simulate`: records of patients drawn from a network."""

from __future__ import annotations

from pathlib import Path

import click

from hickam.cli.lines import say

SHARE = click.FloatRange(0.0, 1.0)


@click.command("simulate")
@click.argument("network", metavar="NETWORK")
@click.option("--records", type=click.IntRange(1, 10_000_000), default=1000, show_default=True)
@click.option("--missing", type=SHARE, default=0.0, show_default=True, help="Share of values.")
@click.option("--missing-risks", type=SHARE, help="The same of risk factors, if it differs.")
@click.option("--missing-diseases", type=SHARE, help="The same of diseases, if it differs.")
@click.option("--people", is_flag=True, help="Draw sex and age as well, evenly up to 90.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", required=True, metavar="FILE", help="A .csv, .parquet or .jsonl file.")
@click.option("--force", is_flag=True, help="Overwrite what is at --out.")
def simulate_command(
    network: str,
    records: int,
    missing: float,
    missing_risks: float | None,
    missing_diseases: float | None,
    people: bool,
    seed: int,
    out: str,
    force: bool,
) -> None:
    """Draw records of patients from NETWORK, with values missing by chance.

    They are for trying 'hickam learn' and 'hickam criticise': patients as the network makes them.

    \b
    hickam simulate clinic --records 1000 --missing 0.3 --missing-risks 0 --out records.csv
    """
    import numpy as np

    from hickam.io.load import load
    from hickam.io.text import check_endings
    from hickam.io.write_records import WRITTEN, write_records
    from hickam.issues import invalid
    from hickam.learn.numbers import numbers_of
    from hickam.learn.simulate import simulate_records

    path = Path(out)
    check_endings([path], WRITTEN)
    if path.exists() and not force:
        raise invalid(f"'{out}'", "is there already", "give --force to overwrite it")
    numbers = numbers_of(load(network))
    everyone = [(sex, float(age)) for sex in ("female", "male") for age in range(91)]
    drawn = simulate_records(
        numbers,
        records,
        np.random.default_rng(seed),
        missing=missing,
        hide_risks=missing_risks,
        hide_diseases=missing_diseases,
        people=everyone if people else ((None, None),),
    )
    write_records(numbers.network, drawn, path)
    say(f"wrote {records:,} records to {out}")
