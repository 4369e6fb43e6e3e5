"""Results as JSON text that every reader of JSON accepts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from hickam.issues import is_printable

UNSEEN = re.compile(r"[^\n -~]")  # what may not be printable


def to_json(values: Mapping[str, Any]) -> str:
    """The plain values of a result as JSON; a number that JSON does not have becomes null.

    >>> print(to_json({"odds": float("inf")}))
    {
      "odds": null
    }
    """
    text = json.dumps(_plain(values), indent=2, ensure_ascii=False, allow_nan=False)
    return UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """A mark that no terminal should be sent, as JSON escapes it."""
    mark: str = found[0]
    return mark if is_printable(mark) else json.dumps(mark)[1:-1]


def _plain(value: Any) -> Any:
    """The value with null for infinities and what is not a number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
