"""The search of the service: that of the library, over the three layers."""

from hickam.language.search import LAYERS as KINDS
from hickam.language.search import Match, search

__all__ = ["KINDS", "Match", "search"]
