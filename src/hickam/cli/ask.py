"""`hickam ask`: an interview in the terminal, one question at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    assumption_options,
    build_case,
    case_options,
    given,
    meaning_options,
    network_option,
    open_model,
)
from hickam.issues import InvalidInput

if TYPE_CHECKING:
    from hickam.advise.interview import Interview
    from hickam.evidence.case import Case
    from hickam.model.kinds import Model

HELP = "Answer y, n or ?; also: why, undo, stop."


class ObjectiveName(click.Choice[str]):
    """One of the objectives that there are when it is asked."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the objectives."""
        from hickam.advise.worth import OBJECTIVES

        return tuple(OBJECTIVES)


@click.command("ask", cls=ManyValues)
@network_option
@meaning_options
@case_options
@click.option("--questions", type=click.IntRange(min=0), default=20, show_default=True)
@click.option(
    "--objective",
    type=ObjectiveName(),
    default="differential",
    show_default=True,
    help="What the questions are for.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@assumption_options
def ask_command(**values: Any) -> None:
    """Interview a patient: one question at a time, until the cause is settled.

    Answer yes, no, ? for "don't know", or one of the values; "why" explains the question, "undo"
    takes the last answer back, "stop" ends. Answers may also be piped in, one a line.

    \b
    hickam ask --present "chest pain" --age 55 --sex male
    """
    from hickam.advise.interview import interview
    from hickam.report.interview import of_summary
    from hickam.report.plain import to_json

    network = open_model(values["network"], values)
    case = build_case(values, network)
    quiet = values["as_json"]
    if not case.present:
        case = _complaint(network, case)
    talk = interview(
        network, case, objective=values["objective"], limit=values["questions"], **given(values)
    )
    if not talk.stop:
        click.echo(HELP, err=quiet)
    talk = _converse(talk, quiet=quiet)
    if quiet:
        click.echo(to_json(talk.to_dict()))
        return
    click.echo()
    say(of_summary(talk))
    if network.about.disclaimer:
        say(network.about.disclaimer.splitlines())


def _complaint(network: Model, case: Case) -> Case:
    """The case with what brings the patient, asked for."""
    from dataclasses import replace

    from hickam.evidence.locate import locate

    while True:
        text = _read("What brings the patient? (findings, separated by commas)\n> ")
        names = [name.strip() for name in (text or "").split(",") if name.strip()]
        if text is None or text.strip().casefold() == "stop":
            return case
        try:
            told = replace(case, present=(*case.present, *names))
            locate(told, network)
        except InvalidInput as bad:
            _say(bad)
            continue
        if names:
            return told


def _converse(talk: Interview, *, quiet: bool) -> Interview:
    """The interview when it ends."""
    from hickam.report.interview import of_question

    while (question := talk.question) is not None:
        say(of_question(question, len(talk.turns) + 1), err=quiet)
        said = _read("> ")
        word = None if said is None else said.strip().casefold()
        if word is None:
            return talk.end("No more answers.")
        if word in ("stop", "quit", "q"):
            return talk.end()
        if word == "why":
            say(f"   {question.reason}", err=quiet)
            continue
        try:
            talk = talk.undo() if word in ("undo", "u") else talk.answer(word)
        except InvalidInput as bad:
            _say(bad)
    return talk


def _say(bad: InvalidInput) -> None:
    """Every mistake in an answer; the question is asked again."""
    for issue in bad.issues:
        say(f"   {issue}", err=True)


def _read(prompt: str) -> str | None:
    """A line of the user; None at the end of the input."""
    if sys.stdin.isatty():
        click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
