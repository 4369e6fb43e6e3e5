"""The API's own documentation page, drawn from its OpenAPI document; nothing comes from outside."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hickam.web.pages.render import page
from hickam.web.pages.state import read_state
from hickam.web.problems import DESCRIPTIONS

router = APIRouter()
HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}\Z")  # goes into a command that people paste


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a body."""

    name: str
    type: str
    required: bool
    about: str
    depth: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    anchor: str
    method: str
    path: str
    title: str
    about: str
    parameters: list[Field]
    body: list[Field]
    answer: list[Field]
    example: str


@router.get("/api")
async def api_page(request: Request) -> HTMLResponse:
    """The documentation of the API."""
    document = request.app.openapi()
    return page(
        request,
        "api.html",
        title="API",
        state=read_state(request.query_params),
        offer=None,
        document=document,
        operations=operations(document, own_address(request)),
        statuses=DESCRIPTIONS,
    )


def own_address(request: Request) -> str:
    """The address at which this page was reached, for the examples."""
    host = request.url.netloc
    return f"{request.url.scheme}://{host}" if HOST.match(host) else "http://127.0.0.1:8000"


def operations(document: dict[str, Any], site: str) -> list[Operation]:
    """Every operation of an OpenAPI document, with examples for the service at an address."""
    found = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            success = next(v for k, v in operation["responses"].items() if k.startswith("2"))
            answer = success.get("content", {}).get("application/json", {})
            found.append(
                Operation(
                    anchor=operation["operationId"],
                    method=method.upper(),
                    path=path,
                    title=operation.get("summary", ""),
                    about=operation.get("description", ""),
                    parameters=[_parameter(document, p) for p in operation.get("parameters", [])],
                    body=_fields(document, body.get("schema", {})),
                    answer=_fields(document, answer.get("schema", {})),
                    example=_example(document, method, site + path, body.get("schema", {})),
                )
            )
    return found


def _example(document: dict[str, Any], method: str, path: str, schema: dict[str, Any]) -> str:
    """A command that can be pasted into a shell."""
    address = path.replace("{network_id}", "smoker").replace("{node_id}", "angina")
    if method == "get":
        query = "?q=chest" if path.endswith("/search") else ""
        return f"curl '{address}{query}'"
    examples = _resolved(document, schema).get("examples", [])
    if not examples:
        return ""
    text = json.dumps(examples[0])
    return f"curl '{address}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{text}'"


def _parameter(document: dict[str, Any], parameter: dict[str, Any]) -> Field:
    """A path or query parameter."""
    schema = parameter.get("schema", {})
    about = parameter.get("description", "") or schema.get("description", "")
    return Field(parameter["name"], _type(document, schema), parameter["required"], about, 0)


def _fields(document: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> list[Field]:
    """The fields of a schema, those of nested objects indented below their own."""
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        return _fields(document, schema.get("items", {}), depth)
    found = []
    for name, inner in schema.get("properties", {}).items():
        required = name in schema.get("required", [])
        about = inner.get("description", "")
        found.append(Field(name, _type(document, inner), required, about, depth))
        if depth < 2:
            found += _fields(document, _nested(inner), depth + 1)
    return found


def _nested(schema: dict[str, Any]) -> dict[str, Any]:
    """The object inside an optional field or a list."""
    for choice in schema.get("anyOf", []):
        if "$ref" in choice:
            return dict(choice)
    return dict(schema.get("items", schema))


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that a reference points to."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return dict(document["components"]["schemas"][name])
    return schema


def _type(document: dict[str, Any], schema: dict[str, Any]) -> str:
    """A type in words."""
    if "enum" in schema:
        return " | ".join(repr(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(document, choice) for choice in schema["anyOf"])
    if "$ref" in schema:
        return "object"
    if "prefixItems" in schema:
        return f"list of {', '.join(_type(document, each) for each in schema['prefixItems'])}"
    if schema.get("type") == "array":
        return f"list of {_type(document, schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(document, schema['additionalProperties'])}"
    return str(schema.get("type", "any"))
