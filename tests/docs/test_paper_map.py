"""The documentation cannot lie: keys, functions and laws of the paper map exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`" in line
]


def cited_keys():
    return {
        key
        for path in (ROOT / "src").rglob("*.py")
        for key in re.findall(r"\[CD ([a-z-]+)\]", path.read_text(encoding="utf-8"))
    }


def test_every_key_cited_in_the_code_is_in_the_map():
    assert cited_keys() <= {row[0] for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_row_points_to_a_function_and_a_law_that_exist(row):
    module, name = row[2].strip("`").split(":")
    assert hasattr(importlib.import_module(module), name)
    path, law = row[3].strip("`").split("::")
    assert f"def {law}(" in (ROOT / path).read_text(encoding="utf-8")
