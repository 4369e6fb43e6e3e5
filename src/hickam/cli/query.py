"""`hickam query`: a counterfactual question on any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from hickam.cli.lines import say
from hickam.cli.options import (
    ManyValues,
    engine_option,
    meaning_options,
    network_option,
    open_model,
)


@click.command("query", cls=ManyValues)
@network_option
@meaning_options
@click.option("--given", "-g", multiple=True, metavar="NODE=STATE", help="What was observed.")
@click.option("--do", "-d", multiple=True, metavar="NODE=STATE", help="What is changed by hand.")
@click.option(
    "--target",
    "-t",
    multiple=True,
    required=True,
    metavar="NODE[=STATE]",
    help="What is asked about, after the change; without a state, every state.",
)
@engine_option
@click.option("--seed", type=int, help="Seed of sampled answers.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
def query_command(**values: Any) -> None:
    """How likely would the target be, given what was seen, had something been otherwise?

    \b
    hickam query -n clinic --given "chest pain=present" --do angina=off \\
        --target "chest pain=absent"
    """
    from hickam.advise.queries import query

    targets = values["target"]
    named = _states(targets) if any("=" in text for text in targets) else list(targets)
    answers = query(
        open_model(values["network"], values),
        _states(values["given"]),
        _states(values["do"]),
        named,
        values["engine"],
        **({} if values["seed"] is None else {"seed": values["seed"]}),
    )
    if values["as_json"]:
        from hickam.report.plain import to_json

        click.echo(to_json(answers.to_dict()))
        return
    from hickam.report.sentences import of_query

    say(of_query(answers))


def _states(texts: Sequence[str]) -> dict[str, object]:
    """NODE=STATE texts as a mapping; a bare node counts as on."""
    found: dict[str, object] = {}
    for text in texts:
        name, mark, state = text.partition("=")
        found[name.strip()] = state.strip() if mark else True
    return found
