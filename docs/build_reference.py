"""Writes docs/reference.md: the public names of `hickam` from their own docstrings.

python docs/build_reference.py
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path

import hickam

PAGE = Path(__file__).parent / "reference.md"
HEAD = """# Python reference

Every public name of `hickam`, from its docstring (written by `python docs/build_reference.py`).
"""


def page() -> str:
    """The whole page."""
    values = {name: getattr(hickam, name) for name in hickam.__all__}
    functions = {n: v for n, v in values.items() if inspect.isfunction(v)}
    errors = {n: v for n, v in values.items() if inspect.isclass(v) and issubclass(v, Exception)}
    types = {n: v for n, v in values.items() if n not in functions and n not in errors}
    parts = [HEAD]
    for title, group in (("Functions", functions), ("Values", types), ("Errors", errors)):
        parts.append(f"## {title}\n")
        parts += [entry(name, value) for name, value in group.items()]
    return "\n".join(parts).rstrip() + "\n"


def entry(name: str, value: object) -> str:
    """One name: its signature or fields, and its docstring."""
    lines = [f"### `hickam.{name}`\n"]
    if inspect.isfunction(value):
        lines.append(f"```python\n{name}{signature(value)}\n```\n")
    lines.append(inspect.getdoc(value) or "")
    if inspect.isclass(value) and not issubclass(value, Exception):
        lines += ["", *members(value)]
    return "\n".join(lines) + "\n"


def signature(function: Callable[..., object]) -> str:
    """The signature as it is written, one parameter a line where it is long."""
    found = inspect.signature(function)
    parameters = []
    keywords = False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not keywords:
            parameters.append("*")
            keywords = True
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        default = "" if one.default is one.empty else f" = {one.default!r}"
        parameters.append(f"{stars}{one.name}: {one.annotation}{default}")
    text = f"({', '.join(parameters)}) -> {found.return_annotation}"
    if len(text) < 80:
        return text
    inside = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"(\n{inside}) -> {found.return_annotation}"


def members(kind: type) -> list[str]:
    """The fields and public methods of a class, a line each."""
    lines = []
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            if not field.name.startswith("_"):
                lines.append(f"- `{field.name}: {field.type}`")
    for name, value in vars(kind).items():
        if name.startswith("_") or not (doc := inspect.getdoc(value)) or name in annotations(kind):
            continue
        call = "()" if inspect.isfunction(value) or isinstance(value, classmethod) else ""
        lines.append(f"- `{name}{call}`: {doc.splitlines()[0]}")
    return lines


def annotations(kind: type) -> set[str]:
    """The names of the annotated fields."""
    return set(vars(kind).get("__annotations__", {}))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
