"""Results as JSON text that every reader of JSON accepts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def to_json(values: Mapping[str, Any]) -> str:
    """The plain values of a result as JSON; a number that JSON does not have becomes null.

    >>> print(to_json({"odds": float("inf")}))
    {
      "odds": null
    }
    """
    return json.dumps(_plain(values), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """The value with null for infinities and what is not a number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
