"""The `hickam` command: a table of subcommands, each imported only when it is used."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from hickam.cli.lines import say
from hickam.issues import ImpossibleEvidence, InvalidInput, NotClear, TooHard, printable

COMMANDS = {
    "diagnose": "hickam.cli.diagnose:diagnose_command",
    "ask": "hickam.cli.ask:ask_command",
    "note": "hickam.cli.note:note_command",
    "check": "hickam.cli.check:check_command",
    "show": "hickam.cli.show:show_command",
    "networks": "hickam.cli.networks:networks_command",
    "cure": "hickam.cli.cure:cure_command",
    "sensitivity": "hickam.cli.sensitivity:sensitivity_command",
    "pool": "hickam.cli.pool:pool_command",
    "serve": "hickam.cli.serve:serve_command",
    "new": "hickam.cli.new:new_command",
    "convert": "hickam.cli.convert:convert_command",
    "upgrade": "hickam.cli.upgrade:upgrade_command",
    "query": "hickam.cli.query:query_command",
    "causation": "hickam.cli.causation:causation_command",
    "twin": "hickam.cli.twin:twin_command",
    "study": "hickam.cli.study:study_command",
    "batch": "hickam.cli.batch:batch_command",
    "learn": "hickam.cli.learn:learn_command",
    "criticise": "hickam.cli.criticise:criticise_command",
    "simulate": "hickam.cli.simulate:simulate_command",
    "second-opinion": "hickam.cli.second_opinion:second_opinion_command",
    "hpo": "hickam.cli.hpo:hpo_command",
    "version": "hickam.cli.version:version_command",
    "completion": "hickam.cli.completion:completion_command",
}

# Exit codes, documented in docs/cli.md; 2 is click's own for a wrong command line.
INVALID_INPUT = 3
IMPOSSIBLE_EVIDENCE = 4
TOO_HARD = 5


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command called, or the nearest names if there is none."""
        from hickam.issues import did_you_mean

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], COMMANDS)
            ctx.fail(f"no command '{printable(args[0])}'; {hint or 'see hickam --help'}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    """Print the version and end, if asked."""
    if asked and not ctx.resilient_parsing:
        from hickam import __version__

        click.echo(f"hickam {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version; `hickam version` says more.",
)
def hickam() -> None:
    """Counterfactual diagnosis: which disease is causing the findings?

    Start with: hickam diagnose --network clinic --present "chest pain" --explain
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line; a user's mistake ends in a message and an exit code, no traceback."""
    code = run(lambda: hickam.main(args=args, standalone_mode=False))
    gc.freeze()  # the process ends: nothing that is there needs to be looked through once more
    sys.exit(code)


def run(call: Callable[[], Any]) -> int:
    """The exit code of a call, with every user's mistake printed."""
    out = sys.stdout
    try:
        result = call()
        if out is not None:
            out.flush()  # a full disk is noticed here, not when the process ends
        return result if isinstance(result, int) else 0
    except InvalidInput as bad:
        for issue in bad.issues:
            say(f"{issue.level}: {issue}", err=True)
        for note in getattr(bad, "__notes__", ()):
            say(note, err=True)
        if isinstance(bad, NotClear):
            say(bad.template.splitlines())
        if isinstance(bad, ImpossibleEvidence):
            return IMPOSSIBLE_EVIDENCE
        return TOO_HARD if isinstance(bad, TooHard) else INVALID_INPUT
    except click.ClickException as bad:
        listed = "\n\t" if isinstance(bad, click.MissingParameter) else ""
        vars(bad)["message"] = printable(bad.message, listed)
        bad.show()
        return bad.exit_code
    except click.exceptions.Exit as done:
        return done.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        _leave_output()
        return 0
    except OSError as bad:
        _leave_output()
        where = f"file '{bad.filename}'" if bad.filename else "the output"
        say(f"error: {where} cannot be written or read: {bad.strerror or bad}", err=True)
        return INVALID_INPUT
    except SystemExit:
        # click puts another stream in place when the reader of a pipe has left, and ends with 1
        if sys.stdout is not out:
            return 0
        raise


def _leave_output() -> None:
    """What is still to be written goes nowhere: nobody reads it, or there is no room."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
