"""YAML and JSON text → plain documents, with duplicate keys reported and line numbers on demand."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from hickam.io.bounds import (
    DEEPEST,
    SURROGATE,
    check_depth,
    check_digits,
    check_text,
    check_yaml,
    too_deep,
)
from hickam.issues import InvalidInput, Issue, Kind, error

Path = tuple[str | int, ...]

ANCHOR = re.compile(r"(?m)(^|[\s\[{,:-])&[^\s,\]}&]")
TAB = re.compile(r"(?m)^[ ]*\t")
WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{f"{sign}{word}": math.inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **{f"-{word}": -math.inf for word in (".inf", ".Inf", ".INF")},
}
INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)")
FLOAT = re.compile(r"(?![-+]?0[0-9]+$)[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# Without aliases a text of n characters holds fewer than n values.
EXPANSION = 4


def parse(text: str, file: str, *, as_json: bool = False) -> tuple[Any, list[Issue]]:
    """The document in the text; text that is not YAML or JSON raises `InvalidInput`.

    Duplicate keys are issues, not silent overwrites; the first entry stays in the document.
    """
    try:
        check_text(text)
        document, issues = _parse_json(text, file) if as_json else _parse_yaml(text, file)
        check_depth(document)
        if SURROGATE.search(text):
            _check_characters(document)
    except InvalidInput as bad:
        raise InvalidInput([replace(issue, file=file) for issue in bad.issues]) from None
    return document, issues


def _parse_json(text: str, file: str) -> tuple[Any, list[Issue]]:
    """The document in JSON text."""
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer
        ), []
    except json.JSONDecodeError as bad:
        issue = error("the text", f"is not JSON: {bad.msg}", "check quotes, commas and brackets")
        raise InvalidInput([replace(issue, line=bad.lineno)]) from None
    except RecursionError:
        raise too_deep() from None
    except InvalidInput:
        raise
    except ValueError:
        return _parse_slowly(text, file)


def _parse_yaml(text: str, file: str) -> tuple[Any, list[Issue]]:
    """The document in YAML text."""
    check_yaml(text)
    if ANCHOR.search(text):  # aliases can multiply without end: count while expanding
        return _parse_slowly(text, file)
    import ryaml

    try:
        return ryaml.loads(text), []  # type: ignore[attr-defined]
    except (ValueError, TypeError, RecursionError):
        return _parse_slowly(text, file)


def _check_characters(document: object) -> None:
    """Refuse halves of characters, which no file and no answer can hold."""
    try:
        json.dumps(document, ensure_ascii=False, default=str).encode("utf-8")
    except UnicodeEncodeError:
        what = "holds half of a character (an escape from \\ud800 to \\udfff)"
        raise InvalidInput([error("the text", what, "write the character itself")]) from None


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


def _integer(digits: str) -> int:
    """A whole number of bounded length."""
    check_digits(digits)
    return int(digits)


def _no_constant(name: str) -> float:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not JSON")


def _parse_slowly(text: str, file: str) -> tuple[Any, list[Issue]]:
    """The document by way of marked nodes: slower, but it can say where and what is repeated."""
    import yaml

    check_yaml(text)
    issues: list[Issue] = []
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
        return (
            None
            if node is None
            else _Expansion(file, issues, EXPANSION * len(text)).value(node, (), 0)
        ), issues
    except yaml.YAMLError as bad:
        raise InvalidInput([_unreadable(bad, text)]) from None


def _unreadable(bad: Any, text: str) -> Issue:
    """What is wrong with text that is not YAML, and where."""
    mark = getattr(bad, "problem_mark", None) or getattr(bad, "context_mark", None)
    line = mark.line + 1 if mark else None
    tab = TAB.search(text)
    if tab and line and text.count("\n", 0, tab.end()) < line:
        line = text.count("\n", 0, tab.end()) + 1
        return replace(error("the line", "is indented with a tab", "indent with spaces"), line=line)
    what = getattr(bad, "problem", None) or (str(bad).splitlines() or ["broken"])[0]
    issue = error("the text", f"is not readable: {what}", "check quotes, brackets and indentation")
    return replace(issue, line=line)


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
            what = "has aliases that expand to far more than is written"
            raise InvalidInput([error("the text", what, kind=Kind.TOO_LARGE)])
        if depth > DEEPEST:
            raise too_deep()
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
        import yaml

        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                issue = error("a key", "is a list or a mapping", "write a name", path)
                line = key_node.start_mark.line + 1
                self.issues.append(replace(issue, file=self.file, line=line))
                continue
            key = str(key_node.value)
            if key in found:
                issue = error(f"key '{key}'", "is given twice", "keep one of them", (*path, key))
                line = key_node.start_mark.line + 1
                self.issues.append(replace(issue, file=self.file, line=line))
                continue
            found[key] = self.value(value_node, (*path, key), depth + 1)
        return found


def _scalar(text: str, *, plain: bool) -> Any:
    """A plain scalar by the YAML 1.2 core rules, as the fast parser reads it; quoted stays text."""
    if not plain:
        return text
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        check_digits(text)
        return int(text, 0)
    if FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
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
        pairs = ((k, v) for k, v in reversed(node.value) if isinstance(k, yaml.ScalarNode))
        return {str(k.value): (k, v) for k, v in pairs}

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
