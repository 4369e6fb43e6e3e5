"""One case as a YAML or JSON file."""

from __future__ import annotations

from pathlib import Path

from hickam.evidence.case import Case
from hickam.io.case_document import case_from
from hickam.io.documents import locate_issues, parse
from hickam.issues import InvalidInput, invalid


def read_case(path: str | Path) -> Case:
    """The case in a file; every problem with its form at once."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise invalid(f"case file '{path}'", f"cannot be read: {bad}") from None
    document, issues = parse(text, str(path), as_json=str(path).lower().endswith(".json"))
    try:
        case = case_from(document)
    except InvalidInput as bad:
        raise InvalidInput(locate_issues([*issues, *bad.issues], text, str(path))) from None
    if issues:
        raise InvalidInput(issues)
    return case
