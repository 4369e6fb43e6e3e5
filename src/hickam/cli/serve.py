"""`hickam serve`: the page and the API."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

# The web room reads its settings from this variable, so that every worker process finds them.
SETTINGS = "HICKAM_SERVE"


@click.command("serve")
@click.option("--network", "networks", multiple=True, help="Embedded name or file; repeatable.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64))
@click.option(
    "--studies",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of study reports to show.",
)
@click.option(
    "--uploads", type=click.Path(path_type=Path), help="Folder that keeps uploaded networks."
)
@click.option("--deadline", type=click.FloatRange(0.01), help="Seconds for one inference.  [2]")
@click.option("--findings", type=click.IntRange(1), help="Findings in one case.  [60]")
@click.option("--batch", type=click.IntRange(1), help="Cases in one batch request.  [200]")
@click.option("--body-bytes", type=click.IntRange(1000), help="Size of a request.  [1000000]")
@click.option(
    "--rate", type=click.FloatRange(0), help="Requests a second for one client; 0: any.  [50]"
)
@click.option("--burst", type=click.IntRange(1), help="Requests of one client at once.  [200]")
@click.option("--waiting", type=click.IntRange(0), help="Questions that may queue.  [32]")
def serve_command(
    networks: tuple[str, ...], host: str, port: int, workers: int, **given: object
) -> None:
    """Serve the page and the REST API, on the embedded networks unless --network is given.

    Listens on this machine only unless --host says otherwise. The API is described at /api.
    """
    from hickam.io.load import load
    from hickam.issues import invalid

    for source in networks:
        load(source)
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise invalid(
            "hickam serve", "needs the web extra", "pip install '.[web]' in its sources"
        ) from None
    check_free(host, port)
    settings = {
        name: str(Path(value).resolve()) if isinstance(value, Path) else value
        for name, value in given.items()
        if value is not None
    }
    # As many inferences at once as there are cores, shared among the workers.
    settings["running"] = max(1, (os.cpu_count() or 1) // workers)
    if networks:
        settings["networks"] = [_absolute(source) for source in networks]
    os.environ[SETTINGS] = json.dumps(settings)
    # Leave in good order when asked to end, so that temporary files go too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with ExitStack() as stack:
        if workers > 1:
            folder = tempfile.TemporaryDirectory(prefix="hickam-metrics-")
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(folder)
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"Hickam is at http://{shown}:{port}/ and its API at /api; stop with Ctrl+C.")
        uvicorn.run(
            "hickam.web.app:from_environment",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            log_config=None,
            access_log=False,
            server_header=False,
        )


def check_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before anything is started."""
    from hickam.issues import invalid

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as bad:
        what = f"cannot be listened on: {bad.strerror or bad}"
        raise invalid(f"{host}:{port}", what, "choose another --port or --host") from None


def _absolute(source: str) -> str:
    """A path that every worker understands; an embedded name stays as it is."""
    return str(Path(source).resolve()) if Path(source).exists() else source
