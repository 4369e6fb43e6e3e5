"""YAML and JSON text → plain documents, with duplicate keys reported and line numbers on demand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from hickam.issues import InvalidInput, Issue, error

Path = tuple[str | int, ...]

ANCHOR = re.compile(r"(?m)(^|[\s\[{,:-])&[^\s,\]}&]")
# Without aliases a text of n characters holds fewer than n values.
EXPANSION = 4
DEEPEST = 50


def parse(text: str, file: str, *, as_json: bool = False) -> tuple[Any, list[Issue]]:
    """The document in the text; text that is not YAML or JSON raises `InvalidInput`.

    Duplicate keys are issues, not silent overwrites; the first entry stays in the document.
    """
    try:
        if as_json:
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant), []
        if ANCHOR.search(text):  # aliases can multiply without end: count while expanding
            return _parse_slowly(text, file)
        import ryaml

        return ryaml.loads(text), []  # type: ignore[attr-defined]
    except (ValueError, RecursionError):
        return _parse_slowly(text, file)


def locate_issues(issues: Iterable[Issue], text: str, file: str) -> list[Issue]:
    """The issues with file and line filled in from their paths."""
    found = list(issues)
    if not found:
        return found
    line_of = _line_finder(text)
    return [
        issue if issue.line else replace(issue, file=file, line=line_of(issue.path) or None)
        for issue in found
    ]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refusing a repeated key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("duplicate key")
    return found


def _no_constant(name: str) -> float:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not JSON")


def _parse_slowly(text: str, file: str) -> tuple[Any, list[Issue]]:
    """The document by way of marked nodes: slower, but it can say where and what is repeated."""
    import yaml

    issues: list[Issue] = []
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
        return (
            None
            if node is None
            else _Expansion(file, issues, EXPANSION * len(text)).value(node, (), 0)
        ), issues
    except yaml.YAMLError as bad:
        mark = getattr(bad, "problem_mark", None) or getattr(bad, "context_mark", None)
        what = getattr(bad, "problem", None) or str(bad).splitlines()[0]
        line = mark.line + 1 if mark else None
    except (RecursionError, ValueError) as bad:
        what, line = (str(bad) or "nested too deeply").splitlines()[0], None
    issue = error("the text", f"is not readable: {what}", "check quotes, brackets and indentation")
    raise InvalidInput([replace(issue, file=file, line=line)])


class _Expansion:
    """Marked nodes as plain values, within a budget and with repeated keys reported."""

    def __init__(self, file: str, issues: list[Issue], budget: int) -> None:
        self.file = file
        self.issues = issues
        self.left = budget

    def value(self, node: Any, path: Path, depth: int) -> Any:
        """A marked node as a plain value."""
        import yaml

        self.left -= 1
        if self.left < 0:
            raise ValueError("its aliases expand to far more than is written")
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            return [
                self.value(item, (*path, position), depth + 1)
                for position, item in enumerate(node.value)
            ]
        return _scalar(node.value, plain=not node.style)

    def mapping(self, node: Any, path: Path, depth: int) -> dict[str, Any]:
        """A marked mapping; the first of two equal keys stays."""
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(getattr(key_node, "value", ""))
            if key in found:
                issue = error(f"key '{key}'", "is given twice", "keep one of them", (*path, key))
                line = key_node.start_mark.line + 1
                self.issues.append(replace(issue, file=self.file, line=line))
                continue
            found[key] = self.value(value_node, (*path, key), depth + 1)
        return found


def _scalar(text: str, *, plain: bool) -> Any:
    """A plain scalar by the YAML 1.2 core rules; quoted text stays text."""
    if not plain:
        return text
    words = {"": None, "~": None, "null": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _line_finder(text: str) -> Callable[[Path], int]:
    """A function from a document path to the 1-based line of its nearest enclosing node."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError):
        root = None

    @cache
    def keys(node_id: int, node: Any) -> dict[str, tuple[Any, Any]]:
        return {str(getattr(k, "value", "")): (k, v) for k, v in reversed(node.value)}

    def line_of(path: Path) -> int:
        node, line = root, 0
        for step in path:
            if isinstance(node, yaml.MappingNode) and str(step) in (by_key := keys(id(node), node)):
                key, node = by_key[str(step)]
                line = key.start_mark.line + 1
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                if step >= len(node.value):
                    break
                node = node.value[step]
                line = node.start_mark.line + 1
            else:
                break
        return line

    return line_of
