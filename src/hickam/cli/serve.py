"""`hickam serve`: the page and the API."""

from __future__ import annotations

import importlib
import json
import os
import socket
from ipaddress import ip_network
from pathlib import Path

import click

# The web room reads its settings from this variable, so that every process finds them.
SETTINGS = "HICKAM_SERVE"
HERE = ("localhost", "127.0.0.1", "[::1]")


@click.command("serve")
@click.option("--network", "networks", multiple=True, help="Embedded name or file; repeatable.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Processes in each lane.  [one for each core]"
)
@click.option(
    "--studies",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of study reports to show.",
)
@click.option(
    "--uploads", type=click.Path(path_type=Path), help="Folder that keeps uploaded networks."
)
@click.option("--no-uploads", is_flag=True, help="Take no networks from users.")
@click.option(
    "--hide-case", is_flag=True, help="Keep the case out of page addresses, which proxies log."
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    help="Host name that requests may be addressed to; repeatable; '*': any.",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    help="Address or network whose X-Forwarded-For is believed; repeatable.",
)
@click.option("--deadline", type=click.FloatRange(0.01), help="Seconds for one inference.  [2]")
@click.option("--findings", type=click.IntRange(1), help="Findings in one case.  [60]")
@click.option("--batch", type=click.IntRange(1), help="Cases in one batch request.  [200]")
@click.option("--body-bytes", type=click.IntRange(1000), help="Size of a request.  [1000000]")
@click.option(
    "--rate", type=click.FloatRange(0), help="Requests a second for one client; 0: any.  [50]"
)
@click.option("--burst", type=click.IntRange(1), help="Requests of one client at once.  [200]")
@click.option("--waiting", type=click.IntRange(0), help="Long questions that may queue.  [32]")
@click.option("--connections", type=click.IntRange(4), help="Connections at once.  [1000]")
@click.option(
    "--grace", type=click.FloatRange(1), help="Seconds for running requests at the end.  [5]"
)
def serve_command(
    networks: tuple[str, ...],
    host: str,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    no_uploads: bool,
    **given: object,
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
    if networks:
        settings["networks"] = [_absolute(source) for source in networks]
    settings["hosts"] = allowed_hosts(host, hosts)
    settings["proxies"] = [check_network(proxy) for proxy in proxies]
    settings["uploads_allowed"] = not no_uploads
    os.environ[SETTINGS] = json.dumps(settings)
    shown = f"[{host}]" if ":" in host else host
    hello = f"Hickam is at http://{shown}:{port}/ and its API at /api; stop with Ctrl+C."
    if not hasattr(os, "fork"):  # no processes that can be ended: the application on threads
        click.echo(hello)
        uvicorn.run("hickam.web.app:from_environment", factory=True, host=host, port=port)
        return
    # The rooms do not import each other: the service is a program of its own in this process.
    server = importlib.import_module("hickam.web.serving.server")
    server.run(server.Settings.from_environment(), host, port, hello)


def allowed_hosts(host: str, given: tuple[str, ...]) -> list[str]:
    """The hosts that requests may be addressed to; empty for any.

    A service on this machine only is asked under this machine's names, so that no other site's
    name can be made to point at it.
    """
    if "*" in given:
        return []
    shown = f"[{host}]" if ":" in host else host
    if given:
        return [name.lower() for name in (*given, shown)]
    return [*HERE, shown] if shown in HERE else []


def check_network(proxy: str) -> str:
    """An address or network, or a clear mistake."""
    from hickam.issues import invalid

    try:
        ip_network(proxy, strict=False)
    except ValueError as bad:
        fix = "write an address or a network, such as 10.0.0.0/8"
        raise invalid(f"--trusted-proxy {proxy}", str(bad), fix) from None
    return proxy


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
