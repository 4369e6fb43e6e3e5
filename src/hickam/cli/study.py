"""`hickam study`: run a study from its file, or the demonstration."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.spread import need, resumable, spread_options
from hickam.issues import invalid


@click.group("study")
def study_command() -> None:
    """Run vignette studies and report them."""


@study_command.command("run")
@click.argument("study_file", metavar="STUDY.yaml")
@click.option("--out", metavar="FOLDER", help="Where results go; by default STUDY-results.")
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value for ${NAME} in the study file; otherwise the environment's.",
)
@spread_options
def run_command(study_file: str, out: str | None, values: tuple[str, ...], **where: Any) -> None:
    """Run a study: results in Parquet, figures, and report.html.

    Interrupted, it resumes where it stopped when run again with the same folder.
    """
    from hickam.study.sources import read_plan, read_study

    path = Path(study_file)
    folder = Path(out) if out else path.with_name(f"{path.stem}-results")
    plan = read_plan(path, _given(values))
    if plan is not None:
        _run_published(plan, folder)
        return
    _run(read_study(path, _given(values)), folder, path, where)


def _run_published(plan: Any, folder: Path) -> None:
    """Run a study of published patients and write its report."""
    from hickam.cli.progress import Meter
    from hickam.study.published.report import write_report
    from hickam.study.published.run import run_published

    meter = Meter()
    try:
        results = run_published(plan, meter)
    finally:
        meter.close()
    command = shlex.join(["hickam", *sys.argv[1:]])
    report, figures = write_report(results, folder, command)
    say([*figures.splitlines(), f"Report: {report}", *results.notice.splitlines()])


def _given(values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE pairs as a mapping."""
    pairs = [value.partition("=") for value in values]
    for name, mark, _ in pairs:
        if not mark:
            raise invalid(f"--set {name}", "has no value", "write --set NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _run(study: Any, folder: Path, path: Path | None, where: dict[str, Any]) -> None:
    """Run a study and write its report."""
    from hickam.study.opinions import in_words
    from hickam.study.provenance import provenance
    from hickam.study.report import write_report
    from hickam.study.run import run_study

    need("pyarrow", "matplotlib")
    with resumable(where, folder) as (spread, meter):
        results = run_study(study, folder, spread, meter)
    command = shlex.join(["hickam", *sys.argv[1:]])
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    report = write_report(results, folder, provenance(results, command, path, made))
    warned = len(results.issues)
    click.echo(
        f"{len(results.vignettes)} vignettes, {len(results.excluded)} excluded "
        f"({results.unreadable} unreadable), {warned} problems in the input (listed in the report)"
    )
    said = in_words(results.settled, study.outside)
    if said:
        say(said)
    say(summary(results).splitlines())
    say(f"Report: {report}")


def summary(results: Any) -> str:
    """The main figures as a small text table."""
    from hickam.study.accuracy import mean_position

    ks = [k for k in (1, 3, 5, 10, 20) if k <= results.study.top]
    lines = [f"{'':42}" + "".join(f"{f'top {k}':>8}" for k in ks) + f"{'position':>10}"]
    for algorithm in results.positions:
        places = results.splits(algorithm)
        shares = "".join(f"{(places <= k).mean():8.3f}" for k in ks)
        mean = mean_position(places, results.study.top)[0]
        lines.append(f"{f'{algorithm.measure}, {algorithm.setting}':42}{shares}{mean:10.2f}")
    if results.fusion is not None:
        lines.append("")
        lines += [f"{agent:42}{hits.mean():8.3f}" for agent, hits in results.fusion.hits.items()]
    return "\n".join(lines)


@study_command.command("demo")
@click.option("--out", default="hickam-demo", show_default=True, metavar="FOLDER")
@click.option("--patients", type=click.IntRange(min=10), default=120, show_default=True)
@spread_options
def demo_command(out: str, patients: int, **where: Any) -> None:
    """Everything on simulated patients of the embedded clinic, in a minute or two.

    Shows when counterfactual ranking helps and when it doesn't.
    """
    from hickam.study.demo import demo_study, write_scenarios

    need("pyarrow", "matplotlib")
    folder = Path(out)
    with resumable(where, folder) as (spread, meter):
        text, page = write_scenarios(folder, patients, spread, meter)
    say(text.splitlines())
    say(["", f"Scenarios: {page}", ""])
    _run(demo_study(patients), folder, None, where)
