"""An application on small networks, for the tests of the API and the pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from hickam.web.app import create_app
from hickam.web.settings import Settings


def application(folder: Path, **changes: object) -> FastAPI:
    """A fresh service on small networks that keeps uploads in a folder."""
    settings = Settings(networks=("smoker", "confounding", "car"), uploads=str(folder), rate=0.0)
    return create_app(replace(settings, **changes))  # type: ignore[arg-type]


def client(folder: Path, **changes: object) -> TestClient:
    """A client of a fresh service."""
    return TestClient(application(folder, **changes), raise_server_exceptions=False)


OWN = """
hickam: 1
name: Tiny
diseases:
  - {id: flu, name: Influenza, leak: 0.1}
findings:
  - {id: fever, name: Fever, synonyms: [pyrexia], leak: 0.01, causes: {flu: 0.9}}
"""
