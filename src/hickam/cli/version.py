"""`hickam version`."""

from __future__ import annotations

import click


@click.command("version")
def version_command() -> None:
    """Print the version, and whether the compiled kernels are in use."""
    import platform

    import numpy as np

    import hickam
    from hickam.kernels import describe

    click.echo(f"hickam {hickam.__version__}")
    click.echo(f"Python {platform.python_version()}, NumPy {np.__version__}")
    click.echo(f"kernels: {describe()}")
