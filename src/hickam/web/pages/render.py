"""Templates → HTML: formats for numbers, and the page that explains a problem."""

from __future__ import annotations

import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import hickam
from hickam.evidence.hierarchy import has_context
from hickam.evidence.stated import several_states
from hickam.model.network import URGENT
from hickam.report.references import references
from hickam.web.hidden import hide_case
from hickam.web.pages.state import State, dial_words, read_state
from hickam.web.problems import problem_of
from hickam.web.service import Service
from hickam.web.shelf import Offer
from hickam.words import capital, counted, factor, number, percent, sentence, two_digits

HERE = Path(__file__).parent.parent
PAGES = (
    ("/", "Diagnose"),
    ("/interview", "Interview"),
    ("/what-if", "What if"),
    ("/second-opinion", "Second opinion"),
    ("/network", "Network"),
    ("/studies", "Studies"),
    ("/learn", "Learn"),
)
DISCLAIMER = "A demonstration, not for clinical use."


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
    environment.filters.update(
        percent=lambda chance: unbroken(percent(chance)),
        unbroken=unbroken,
        number=number,
        factor=factor,
        two_digits=two_digits,
        counted=counted,
        capital=capital,
        sentence=sentence,
    )
    environment.globals.update(
        pages=PAGES,
        version=hickam.__version__,
        asset=asset,
        disclaimer=DISCLAIMER,
        urgent=URGENT,
        dial_words=dial_words(),
        references=references,
        has_context=has_context,
        several_states=several_states,
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


def unbroken(words: str) -> str:
    """Words in which no line ends between a number and its sign.

    >>> unbroken("45 % now, < 0.1 % if no")
    '45\xa0% now, <\xa00.1\xa0% if no'
    """
    return words.replace(" %", "\xa0%").replace("< 0", "<\xa00").replace("> 9", ">\xa09")


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
    hidden = service.settings.hide_case
    html = (
        templates()
        .get_template(template)
        .render(
            title=title,
            state=state,
            offer=offer,
            network=offer.network if offer else None,
            label=partial(label, offer),
            here=here or request.url.path,
            offers=service.shelf.offers.values(),
            hidden=hidden,
            **values,
        )
    )
    return HTMLResponse(hide_case(html) if hidden else html, status)


def label(offer: Offer | None, node: str) -> str:
    """The name of a node, or the word that was entered in its place."""
    entries = offer.network.entries if offer else {}
    return entries[node].name if node in entries else node


def problem_page(request: Request, raised: Exception, fault: str) -> HTMLResponse:
    """The page that explains a problem and its way out."""
    body, headers = problem_of(raised, fault)
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
