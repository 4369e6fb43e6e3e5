"""Templates → HTML: formats for numbers, and the page that explains a problem."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import hickam
from hickam.report.digits import two_digits
from hickam.web.pages.state import State, read_state
from hickam.web.problems import problem_of
from hickam.web.service import Service
from hickam.web.shelf import Offer

HERE = Path(__file__).parent.parent
PAGES = (
    ("/", "Diagnose"),
    ("/what-if", "What if"),
    ("/second-opinion", "Second opinion"),
    ("/network", "Network"),
    ("/studies", "Studies"),
    ("/learn", "Learn"),
)
DISCLAIMER = "A demonstration, not for clinical use."


def percent(chance: float) -> str:
    """A probability for a person.

    >>> percent(0.0), percent(0.0004), percent(0.0123), percent(0.4567), percent(0.9996)
    ('0 %', '< 0.1 %', '1.2 %', '46 %', '> 99.9 %')
    """
    if 0.0 < chance < 0.001:
        return "< 0.1 %"
    if 0.999 < chance < 1.0:
        return "> 99.9 %"
    digits = 1 if 0.0 < chance < 0.0995 or 0.995 <= chance < 1.0 else 0
    return f"{100 * chance:.{digits}f} %"


def number(value: float) -> str:
    """An expected number of findings for a person.

    >>> number(0.0), number(0.004), number(1.234)
    ('0', '< 0.01', '1.23')
    """
    if value == 0.0:
        return "0"
    return "< 0.01" if value < 0.01 else f"{value:.2f}"


def factor(value: float) -> str:
    """A factor on odds for a person.

    >>> factor(0.25), factor(12.4), factor(float("inf"))
    ('÷ 4', '× 12', 'certain')
    """
    if value == float("inf"):
        return "certain"
    if value == 0.0:
        return "ruled out"
    return f"× {two_digits(value)}" if value >= 1.0 else f"÷ {two_digits(1.0 / value)}"


@cache
def templates() -> Environment:
    """The template environment; a missing name in a template is an error."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, number=number, factor=factor)
    environment.globals.update(
        pages=PAGES, version=hickam.__version__, asset=asset, disclaimer=DISCLAIMER
    )
    return environment


def compile_templates() -> None:
    """Read every template now, so that a broken one stops the start and not a user."""
    environment = templates()
    for name in environment.list_templates():
        environment.get_template(name)


@cache
def asset(name: str) -> str:
    """The address of a static file, which changes with its content."""
    digest = hashlib.sha256((HERE / "static" / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def page(
    request: Request,
    template: str,
    *,
    title: str,
    state: State,
    offer: Offer | None,
    status: int = 200,
    here: str = "",
    **values: Any,
) -> HTMLResponse:
    """A rendered page."""
    service: Service = request.app.state.service
    html = (
        templates()
        .get_template(template)
        .render(
            title=title,
            state=state,
            offer=offer,
            network=offer.network if offer else None,
            here=here or request.url.path,
            offers=service.shelf.offers.values(),
            **values,
        )
    )
    return HTMLResponse(html, status)


def problem_page(request: Request, raised: Exception) -> HTMLResponse:
    """The page that explains a problem and its way out."""
    body, headers = problem_of(raised)
    state = read_state(request.query_params)
    answer = page(
        request,
        "problem.html",
        title=body["title"],
        state=State(network=""),
        offer=None,
        status=body["status"],
        problem=body,
        back=state.url("/"),
    )
    answer.headers.update(headers)
    return answer
