"""The application: routes, middleware and error answers put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

import hickam
from hickam.web.api import cases, interview, networks, trust
from hickam.web.desk import AtOnce, Overloaded
from hickam.web.guard import API, Guard, route_of
from hickam.web.logs import log_fault
from hickam.web.metrics import REFUSED
from hickam.web.pages import pages
from hickam.web.pages.render import compile_templates, problem_page
from hickam.web.problems import (
    KNOWN,
    Problem,
    expected,
    fault_response,
    problem_response,
)
from hickam.web.refusals import Refused
from hickam.web.service import Service, open_service
from hickam.web.settings import Settings
from hickam.web.shortcut import Shortcut
from hickam.web.status import health_response, metrics_response

HERE = Path(__file__).parent
DESCRIPTION = """Counterfactual diagnosis: which disease is *causing* the findings?

Every answer names the network and its hash, the engine, its accuracy, the options in force and the
time it took. Every mistake comes back as an RFC 9457 problem with all issues at once. Nothing is
stored but the network files that you bring."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application on the networks of the settings, in one process, for any ASGI server.

    Its questions run on threads, which cannot be ended: `hickam serve` puts processes in their
    place.
    """
    settings = settings or Settings()
    app = _application(open_service(settings))
    app.add_api_route("/health", health, include_in_schema=False)
    app.add_api_route("/metrics", metrics, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_middleware(Shortcut, service=app.state.service)
    app.add_middleware(Guard, settings=settings, on_fault=_failed)
    return app


def from_environment() -> FastAPI:
    """The application with the settings that `hickam serve` left."""
    return create_app(Settings.from_environment())


def worker_app(settings: Settings) -> FastAPI:
    """The application of one worker process, which answers one request at a time, unguarded."""
    app = _application(open_service(settings, AtOnce()))
    app.add_middleware(Shortcut, service=app.state.service)
    app.add_middleware(_Faults)
    return app


class _Faults:
    """Middleware that answers any exception and tells the route that was taken."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        except Exception as raised:  # the last place that can answer
            answer = await _failed(Request(scope), raised)
            await answer(scope, receive, send)
        finally:
            scope["hickam.route"] = route_of(scope)


def _application(service: Service) -> FastAPI:
    """Routes and error answers on a service."""
    compile_templates()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        service.desk.close()

    app = FastAPI(
        title="Hickam",
        version=hickam.__version__,
        description=DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # such a redirect would name the host that a client made up
        lifespan=lifespan,
    )
    app.state.service = service
    for part in (cases, networks, interview, trust):  # in the order in which they are asked most
        app.include_router(part.router, prefix=API)
    app.include_router(pages)
    for kind in KNOWN:
        app.add_exception_handler(kind, _failed)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


async def health(request: Request) -> Response:
    """Whether the service can take work: 200, or 503 while its queue is full."""
    desk = request.app.state.service.desk
    return health_response(desk.inside >= desk.capacity, desk.inside)


async def metrics() -> Response:
    """The metrics in Prometheus' text format."""
    return metrics_response()


async def _failed(request: Request, raised: Exception) -> Response:
    """The answer to any error: a problem document for programs, a page for people."""
    fault = request.scope.get("hickam.request", "")
    if isinstance(raised, Overloaded):
        REFUSED.labels(raised.reason).inc()
    elif isinstance(raised, Refused):
        REFUSED.labels(raised.title).inc()
    elif not expected(raised):
        log_fault({"request": fault, "route": route_of(request.scope)})
    if request.url.path.startswith("/api/v1"):
        return problem_response(raised, fault)
    try:
        return problem_page(request, raised, fault)
    except Exception:  # a page about a fault must not be another
        log_fault({"request": fault, "route": route_of(request.scope)})
        return fault_response(request, raised)


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document with our one error shape."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    schemas = document["components"]["schemas"]
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    app.openapi_schema = document
    return document
