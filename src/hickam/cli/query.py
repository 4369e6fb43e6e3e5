"""`hickam query`: a counterfactual question on any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from hickam.cli.options import ManyValues, network_option


@click.command("query", cls=ManyValues)
@network_option
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
@click.option("--engine", default="auto", show_default=True, help="How to compute; auto chooses.")
@click.option("--seed", type=int, help="Seed of sampled answers.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
def query_command(**values: Any) -> None:
    """How likely would the target be, given what was seen, had something been otherwise?

    \b
    hickam query -n clinic --given "chest pain=present" --do angina=off \\
        --target "chest pain=absent"
    """
    from hickam.io.load import load
    from hickam.twin.query import query

    targets = values["target"]
    named = _states(targets) if any("=" in text for text in targets) else list(targets)
    answers = query(
        load(values["network"]),
        _states(values["given"]),
        _states(values["do"]),
        named,
        values["engine"],
        **({} if values["seed"] is None else {"seed": values["seed"]}),
    )
    if values["as_json"]:
        import json

        click.echo(json.dumps(answers.to_dict(), indent=2, ensure_ascii=False))
        return
    for line in lines(answers):
        click.echo(line)


def lines(answers: Any) -> list[str]:
    """The answers as lines of text."""
    given = ", ".join(f"{node} = {state}" for node, state in answers.given.items()) or "nothing"
    done = ", ".join(f"{node} = {state}" for node, state in answers.do.items())
    found = [f"given {given}" + (f"; had it been that {done}" if done else "")]
    reasons = []
    for answer in answers:
        target = ", ".join(f"{node} = {state}" for node, state in answer.target.items())
        text = f"  P({target}) = {answer.probability:.6g}"
        if answer.status not in ("identified", "not examined"):
            coupled = ", ".join(sorted(set(answer.couplings.values())))
            text += f" under the {coupled} coupling"
            if answer.lower is not None:
                text += f"; over all couplings {answer.lower:.6g} to {answer.upper:.6g}"
        found.append(text)
        reasons.append(f"  {answer.status}: {answer.why}")
    found += dict.fromkeys(reasons)
    found += [f"  {note}" for note in (*answers.notes, *answers.accuracy.notes)]
    return [*found, f"engine {answers.engine}, {answers.accuracy}"]


def _states(texts: Sequence[str]) -> dict[str, object]:
    """NODE=STATE texts as a mapping; a bare node counts as on."""
    found: dict[str, object] = {}
    for text in texts:
        name, mark, state = text.partition("=")
        found[name.strip()] = state.strip() if mark else True
    return found
