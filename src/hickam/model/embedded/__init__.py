"""The example networks that come with Hickam; each is a demonstration, not for clinical use."""

from __future__ import annotations

from pathlib import Path

NAMES = ("clinic", "smoker", "confounding", "car")


def embedded_text(name: str) -> str:
    """The YAML text of an embedded network."""
    return (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
