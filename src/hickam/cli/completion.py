"""`hickam completion`: the script that makes a shell complete commands and names."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  hickam completion bash >> ~/.bashrc
    zsh:   hickam completion zsh >> ~/.zshrc
    fish:  hickam completion fish > ~/.config/fish/completions/hickam.fish
    """
    from click.shell_completion import get_completion_class

    from hickam.cli.main import hickam

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(hickam, {}, "hickam", "_HICKAM_COMPLETE").source())
