"""Fixtures of the edges."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from browser import CHROMIUM, FLAGS, Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running service."""
    with serving(tmp_path_factory.mktemp("serve")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser that can reach nothing but the service."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A page that asks nothing of anybody but the service, and whose script does not fail."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    opened = context.new_page()
    outside: list[str] = []
    faults: list[str] = []
    opened.on("request", lambda r: r.url.startswith(server.address) or outside.append(r.url))
    opened.on("pageerror", lambda fault: faults.append(str(fault)))
    opened.on(
        "console",
        lambda line: "Content Security Policy" in line.text and faults.append(line.text),
    )
    yield opened
    context.close()
    assert outside == [], "a request left the server"
    assert faults == [], "the page's own script failed or broke the content policy"
