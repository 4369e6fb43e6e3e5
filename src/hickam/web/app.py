"""The application: routes, middleware and error answers put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import hickam
from hickam.issues import InvalidInput
from hickam.web.api import cases, networks
from hickam.web.desk import Overloaded
from hickam.web.guard import Guard
from hickam.web.logs import log_fault, start_logging
from hickam.web.metrics import REFUSED, exposition
from hickam.web.pages import pages
from hickam.web.pages.render import compile_templates, problem_page
from hickam.web.problems import Problem, problem_response
from hickam.web.service import open_service
from hickam.web.settings import Settings

HERE = Path(__file__).parent
DESCRIPTION = """Counterfactual diagnosis: which disease is *causing* the findings?

Every answer names the network and its hash, the engine, its accuracy, the options in force and the
time it took. Every mistake comes back as an RFC 9457 problem with all issues at once. Nothing is
stored but the network files that you bring."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application on the networks of the settings."""
    settings = settings or Settings()
    service = open_service(settings)

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
        lifespan=lifespan,
    )
    app.state.service = service
    api = APIRouter(prefix="/api/v1")
    api.include_router(networks.router)
    api.include_router(cases.router)
    app.include_router(api)
    app.include_router(pages)
    app.add_api_route("/health", health, include_in_schema=False)
    app.add_api_route("/metrics", metrics, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_middleware(Guard, settings=settings, on_fault=_failed)
    for kind in (InvalidInput, RequestValidationError, Overloaded, HTTPException):
        app.add_exception_handler(kind, _failed)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def from_environment() -> FastAPI:
    """The application of one worker process."""
    start_logging()
    return create_app(Settings.from_environment())


async def health(request: Request) -> JSONResponse:
    """Whether the service can take work: 200, or 503 while its queue is full."""
    desk = request.app.state.service.desk
    busy = desk.inside >= desk.capacity
    body = {
        "status": "busy" if busy else "ok",
        "waiting": desk.inside,
        "hickam": hickam.__version__,
    }
    return JSONResponse(body, 503 if busy else 200)


async def metrics() -> Response:
    """The metrics in Prometheus' text format."""
    body, media_type = exposition()
    return Response(body, media_type=media_type)


async def _failed(request: Request, raised: Exception) -> Response:
    """The answer to any error: a problem document for programs, a page for people."""
    if isinstance(raised, Overloaded):
        REFUSED.labels(raised.reason).inc()
    known = (InvalidInput, RequestValidationError, Overloaded, HTTPException)
    if not isinstance(raised, known):
        log_fault({"route": getattr(request.scope.get("route"), "path", "unknown")})
    if request.url.path.startswith("/api/v1"):
        return problem_response(raised)
    return problem_page(request, raised)


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
