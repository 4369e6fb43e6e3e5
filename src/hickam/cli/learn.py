"""`hickam learn`: the numbers of a network, learnt from records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.records import record_options, records_from
from hickam.cli.spread import need, resumable, spread_options


@click.command("learn")
@click.argument("network", metavar="NETWORK")
@click.argument("records", metavar="RECORDS")
@click.option("--out", metavar="FILE", help="Where the learnt network goes.")
@click.option("--force", is_flag=True, help="Overwrite what is at --out.")
@record_options
@click.option(
    "--trust",
    multiple=True,
    metavar="SOURCE=PATIENTS",
    help="How many patients a number of this source counts for: 'estimate' (10), 'cited' (100) "
    "or the text of a source; may be repeated.",
)
@click.option(
    "--hold-out",
    default="0",
    show_default=True,
    metavar="SHARE|FILE",
    help="Patients not learnt from, to judge by: a share of the records, or a file of others. "
    "Only those of whom at least half of the findings are known are used.",
)
@click.option("--steps", type=click.IntRange(1), default=200, show_default=True, help="At most.")
@click.option("--work", metavar="FOLDER", help="Keep every step here; the same command resumes.")
@spread_options
@click.option("--dry-run", is_flag=True, help="Only read and check the records.")
@click.option("--all", "every", is_flag=True, help="Show every number.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def learn_command(network: str, records: str, **values: Any) -> None:
    """Learn the numbers of NETWORK from RECORDS, a CSV, Parquet or JSON Lines file.

    A column is named for a risk factor, disease or finding and says 1, 0 or nothing; 'sex' and
    'age' are read. Columns that never say no are refused until --unmentioned says what their
    empty cells mean; elsewhere nothing may be missing because of what it would have been.

    \b
    hickam simulate smoker --records 5000 --missing 0.3 --out records.csv
    hickam learn smoker records.csv --hold-out 0.2 --out learnt.yaml
    """
    from hickam.io.load import load
    from hickam.io.save import save
    from hickam.issues import invalid
    from hickam.learn.numbers import numbers_of
    from hickam.learn.run import Plan

    own = numbers_of(load(network)).network
    out = values["out"]
    if out and Path(out).exists() and not values["force"]:
        raise invalid(f"'{out}'", "is there already", "give --force to overwrite it")
    found = records_from(own, records, values, values["unmentioned"])
    if values["dry_run"]:
        say(_checked(own, found))
        return
    if not out and not values["as_json"]:
        raise invalid("the learnt network", "has nowhere to go", "give --out FILE.yaml")
    plan = Plan(
        trust=_trust(values["trust"]),
        unmentioned=values["unmentioned"],
        hold_out=_held_out(own, values),
        seed=values["seed"],
        settings=values["settings"],
        most_steps=values["steps"],
        workers=values["workers"],
    )
    learning = _learn(own, found, plan, Path(records), values)
    if out:
        save(learning.network(), out, replace=values["force"])
    _print(learning, values)
    if out:
        say(f"wrote {out}", err=values["as_json"])


def _learn(own: Any, found: Any, plan: Any, path: Path, values: dict[str, Any]) -> Any:
    """Learn here or elsewhere, kept after every step if there is a folder for it."""
    from functools import partial

    from hickam.issues import invalid
    from hickam.learn.kept import claimed, keep_state
    from hickam.learn.numbers import numbers_of
    from hickam.learn.recording import recording_of
    from hickam.learn.records import DIGITS
    from hickam.learn.run import learn_from
    from hickam.work.folder import alone
    from hickam.work.task import fingerprint

    elsewhere = bool(values["scheduler"] or values["local_dask"])
    mark = fingerprint(path)
    named: dict[str, Any] = {"source": path.name, "marks": [mark[:DIGITS]]}
    if not values["work"]:
        if elsewhere:
            raise invalid("a cluster", "needs a folder", "give --work FOLDER that all can reach")
        return learn_from(own, found, plan, after=_say, **named)
    with alone(folder := Path(values["work"])):
        asked = {key: values[key] for key in ("trust", "hold_out", "seed", "settings")}
        asked |= {key: values[key] for key in ("unmentioned", "ignore", "exclude_impossible")}
        identity = {"network": own.hash, "records": mark, **asked}
        size = recording_of(numbers_of(own), found, plan.unmentioned).size
        state = claimed(folder, identity, path.name, size)
        if state is not None:
            say(f"going on from step {state.looks} in {folder}", err=True)

        def after(state: Any) -> None:
            keep_state(folder, state)
            _say(state)

        if not elsewhere:
            return learn_from(own, found, plan, state=state, after=after, **named)
        from hickam.learn.spread import spread_look

        need("pyarrow")
        with resumable(values, folder) as (spread, _):
            look = partial(spread_look, folder=folder, spread=spread)
            return learn_from(own, found, plan, state=state, look=look, after=after, **named)


def _held_out(own: Any, values: dict[str, Any]) -> Any:
    """A share of the records to judge by, or the records of a file."""
    from hickam.issues import invalid

    given = values["hold_out"]
    try:
        return float(given)
    except ValueError:
        if not Path(given).exists():
            what = "is neither a share nor a file"
            raise invalid(
                f"--hold-out '{given}'", what, "give 0 to below 1, or a file of records"
            ) from None
    return records_from(own, given, values, ("unknown",))


def _say(state: Any) -> None:
    """One line for a step, on standard error."""
    if not state.history:
        return
    gain = state.history[-1] - state.history[-2] if len(state.history) > 1 else 0.0
    line = f"step {state.looks}: log posterior {state.history[-1]:,.2f} (+{gain:,.3g})"
    lively = sys.stderr.isatty()
    sys.stderr.write(f"\r\x1b[K{line}" if lively and not state.done else f"\r{line}\n"
                     if lively else f"{line}\n")  # fmt: skip
    sys.stderr.flush()


def _trust(given: tuple[str, ...]) -> dict[str, float]:
    """Weights by source."""
    from hickam.issues import Issue, error, raise_errors

    issues: list[Issue] = []
    found = {}
    for text in given:
        name, _, weight = text.rpartition("=")
        try:
            found[name] = float(weight)
        except ValueError:
            issues.append(error(f"--trust '{text}'", "is not understood", "write estimate=10"))
    raise_errors(issues)
    return found


def _checked(own: Any, found: Any) -> str:
    """What was read, in one sentence."""
    from hickam.words import percent

    layers = ((found.risks, own.risk_factors, "risk factors"),
              (found.diseases, own.diseases, "diseases"),
              (found.findings, own.findings, "findings"))  # fmt: skip
    said = [
        f"{int((table >= 0).any(axis=0).sum())} of {len(ids)} {what} are spoken of "
        f"({percent(float((table < 0).mean()) if table.size else 0.0)} of values missing)"
        for table, ids, what in layers
    ]
    return f"{found.patients:,} records can be used: {'; '.join(said)}."


def _print(learning: Any, values: dict[str, Any]) -> None:
    """The report."""
    from hickam.report.learning import learning_document, learning_lines

    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(learning_document(learning)))
        return
    most = learning.numbers.size if values["every"] else 15
    say(learning_lines(learning, most))
