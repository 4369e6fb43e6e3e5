"""Errors as RFC 9457 problem documents, carrying the same issues as the library and the CLI."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request

from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, TooHard, error
from hickam.web.desk import Overloaded
from hickam.web.refusals import Refused, UnknownNetwork
from hickam.words import sentence

MEDIA_TYPE = "application/problem+json"


class IssueBody(BaseModel):
    """One problem in the input: where, what is wrong, how to fix it."""

    level: str
    where: str
    what: str
    fix: str = ""
    path: list[str | int] = []
    file: str | None = None
    line: int | None = None
    kind: str = Field(default="other", description="what sort of problem it is, for programs")


class Problem(BaseModel):
    """An RFC 9457 problem document."""

    type: str = Field(description="which kind of problem, relative to the API's address")
    title: str
    status: int
    detail: str
    issues: list[IssueBody] = []


def problem(
    status: int, kind: str, title: str, detail: str, issues: Sequence[Issue] = ()
) -> dict[str, Any]:
    """The body of a problem."""
    return Problem(
        type=f"/api#{kind}",
        title=title,
        status=status,
        detail=detail,
        issues=[IssueBody.model_validate(issue.as_dict()) for issue in issues],
    ).model_dump()


def problem_of(raised: Exception, fault: str = "") -> tuple[dict[str, Any], dict[str, str]]:
    """The problem that an exception stands for, and the headers to send with it.

    `fault` is the id under which an exception of ours was logged.
    """
    if isinstance(raised, InvalidInput):
        status, kind, title = _kind(raised)
        return problem(status, kind, title, str(raised), raised.issues), {}
    if isinstance(raised, RequestValidationError):
        issues = [_issue(fault) for fault in raised.errors()]
        detail = "\n".join(map(str, issues))
        return problem(422, "invalid-input", "The input cannot be used", detail, issues), {}
    if isinstance(raised, Overloaded):
        retry = {"Retry-After": str(raised.retry_after)}
        if raised.status == 429:
            return problem(429, "too-many-requests", "Too many requests", raised.reason), retry
        return problem(503, "overloaded", "Too busy", raised.reason), retry
    if isinstance(raised, Refused):
        kind = raised.title.lower().replace(" ", "-")
        return problem(raised.status, kind, raised.title, raised.detail), raised.headers
    if isinstance(raised, HTTPException):
        phrase = HTTPStatus(raised.status_code).phrase
        kind = phrase.lower().replace(" ", "-")
        headers = dict(raised.headers or {})
        said = str(raised.detail)
        detail = BARE.get(raised.status_code, said) if said == phrase else said
        return problem(raised.status_code, kind, phrase, detail), headers
    if isinstance(raised, MemoryError | RecursionError):
        words = "needs more memory than one question may take"
        issues = [error("the question", words, "ask for less, or bring a smaller network")]
        return problem(422, "too-hard", HARD, str(issues[0]), issues), {}
    detail = f"the fault is ours; it was logged as {fault}" if fault else "the fault is ours"
    return problem(500, "internal-error", "Internal error", detail), {}


def expected(raised: Exception) -> bool:
    """Whether an exception is a way of answering, not a fault of ours."""
    return isinstance(raised, KNOWN)


def fault_response(request: Request, raised: Exception) -> Response:
    """The answer to any error where no page can be drawn: a problem, or the plainest of pages."""
    body, headers = problem_of(raised, request.scope.get("hickam.request", ""))
    if request.scope["path"].startswith(("/api/v1", "/health", "/metrics")):
        return JSONResponse(body, body["status"], headers=headers, media_type=MEDIA_TYPE)
    title, detail = escape(body["title"]), escape(sentence(body["detail"]))
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/hickam.css"></head><body><main>'
        f'<section class="narrow"><h1>{title}</h1>'
        f'<p class="issues-box" role="alert">{detail}</p>'
        '<p><a class="button" href="/">Start a new case</a></p></section></main></body></html>'
    )
    return HTMLResponse(html, body["status"], headers=headers)


def problem_response(raised: Exception, fault: str = "") -> JSONResponse:
    """The problem as an HTTP answer."""
    body, headers = problem_of(raised, fault)
    return JSONResponse(body, body["status"], headers=headers, media_type=MEDIA_TYPE)


def _kind(raised: InvalidInput) -> tuple[int, str, str]:
    """Status, kind and title of a mistake in the input."""
    if isinstance(raised, UnknownNetwork):
        return 404, "unknown-network", raised.title
    if isinstance(raised, ImpossibleEvidence):
        return 422, "impossible-evidence", "The evidence is impossible in this network"
    if isinstance(raised, TooHard):
        return 422, "too-hard", HARD
    return 422, "invalid-input", "The input cannot be used"


def _issue(fault: Any) -> Issue:
    """A schema violation in our own words."""
    path = tuple(step for step in fault["loc"] if step != "body")
    where = ".".join(str(step) for step in path) or "the body"
    what = fault["msg"][:1].lower() + fault["msg"][1:]
    return error(where, what, path=path)


BARE = {  # what a status means where nothing else is said
    404: "There is nothing at this address.",
    405: "This address does not take that kind of request.",
}
HARD = "No engine can answer within the limits"
KNOWN = (InvalidInput, RequestValidationError, Overloaded, Refused, HTTPException)
DESCRIPTIONS = {
    400: "The request cannot be read",
    403: "Not allowed here",
    404: "No such network, disease or finding",
    408: "The body took too long to arrive",
    413: "The body is too large",
    414: "The address is too long",
    422: "The input cannot be used; `issues` lists every problem and its fix",
    429: "Too many requests from this client; `Retry-After` says when to come back",
    421: "Addressed to a host that this service is not",
    503: "Too busy; `Retry-After` says when to come back",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, text in DESCRIPTIONS.items()
}
