"""Errors as RFC 9457 problem documents, carrying the same issues as the library and the CLI."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, TooHard, error
from hickam.web.desk import Overloaded
from hickam.web.shelf import UnknownNetwork

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


def problem_of(raised: Exception) -> tuple[dict[str, Any], dict[str, str]]:
    """The problem that an exception stands for, and the headers to send with it."""
    if isinstance(raised, InvalidInput):
        status, kind, title = _kind(raised)
        return problem(status, kind, title, str(raised), raised.issues), {}
    if isinstance(raised, RequestValidationError):
        issues = [_issue(fault) for fault in raised.errors()]
        detail = "\n".join(map(str, issues))
        return problem(422, "invalid-input", "The input cannot be used", detail, issues), {}
    if isinstance(raised, Overloaded):
        retry = {"Retry-After": str(raised.retry_after)}
        return problem(503, "overloaded", "Too busy", raised.reason), retry
    if isinstance(raised, HTTPException):
        phrase = HTTPStatus(raised.status_code).phrase
        kind = phrase.lower().replace(" ", "-")
        headers = dict(raised.headers or {})
        return problem(raised.status_code, kind, phrase, str(raised.detail)), headers
    return problem(500, "internal-error", "Internal error", "the fault is ours; it was logged"), {}


def problem_response(raised: Exception) -> JSONResponse:
    """The problem as an HTTP answer."""
    body, headers = problem_of(raised)
    return JSONResponse(body, body["status"], headers=headers, media_type=MEDIA_TYPE)


def _kind(raised: InvalidInput) -> tuple[int, str, str]:
    """Status, kind and title of a mistake in the input."""
    if isinstance(raised, UnknownNetwork):
        return 404, "unknown-network", "No such network"
    if isinstance(raised, ImpossibleEvidence):
        return 422, "impossible-evidence", "The evidence is impossible in this network"
    if isinstance(raised, TooHard):
        return 422, "too-hard", "No engine can answer within the limits"
    return 422, "invalid-input", "The input cannot be used"


def _issue(fault: Any) -> Issue:
    """A schema violation in our own words."""
    path = tuple(step for step in fault["loc"] if step != "body")
    where = ".".join(str(step) for step in path) or "the body"
    what = fault["msg"][:1].lower() + fault["msg"][1:]
    return error(where, what, path=path)


DESCRIPTIONS = {
    400: "The request cannot be read",
    404: "No such network, disease or finding",
    413: "The body is too large",
    422: "The input cannot be used; `issues` lists every problem and its fix",
    429: "Too many requests from this client; `Retry-After` says when to come back",
    503: "Too busy, or the answer was not ready within the deadline",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, text in DESCRIPTIONS.items()
}
