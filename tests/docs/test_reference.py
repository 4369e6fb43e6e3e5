"""The Python reference is what the docstrings say now."""

import importlib.util
from pathlib import Path

import hickam

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("build_reference", DOCS / "build_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == module.page(), (
        "run python docs/build_reference.py"
    )


def test_every_public_name_has_a_docstring():
    for name in hickam.__all__:
        assert (getattr(hickam, name).__doc__ or "").strip(), name
