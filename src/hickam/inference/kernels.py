"""The compiled kernels as the engines of layered networks take them."""

from __future__ import annotations

from hickam.kernels import compiled, describe

__all__ = ["compiled", "describe"]
