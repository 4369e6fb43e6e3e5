"""What both kinds of model are to the rest of the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hickam.model.network import About, Category, Entry, Floats, Links


class Described(Protocol):
    """The layers of a model, what is said about their members, and the direct links to show.

    A `Network` is all of this and a `SCM` answers to it, so that cases are located, differentials
    ranked and reports written in one way. The links and leaks describe; only a `Network` can be
    computed with by them alone.
    """

    @property
    def about(self) -> About:
        """Where the model comes from."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def risk_factors(self) -> tuple[str, ...]:
        """The ids of the risk factors."""

    @property
    def diseases(self) -> tuple[str, ...]:
        """The ids of the diseases: the first axis of beliefs."""

    @property
    def findings(self) -> tuple[str, ...]:
        """The ids of the findings."""

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Id → what is said about it."""

    @property
    def categories(self) -> tuple[Category, ...]:
        """The categorical observations."""

    @property
    def index(self) -> Mapping[str, int]:
        """Position of every id within its own layer."""

    @property
    def hash(self) -> str:
        """A digest of the whole content."""

    @property
    def causes(self) -> Links:
        """The direct links from risk factors to diseases."""

    @property
    def effects(self) -> Links:
        """The direct links from diseases to findings."""

    @property
    def risk_prior(self) -> Floats:
        """[risk factor] P(on) with every parent off."""

    @property
    def disease_leak(self) -> Floats:
        """[disease] P(on) with every parent off."""

    @property
    def finding_leak(self) -> Floats:
        """[finding] P(on) with every parent off."""

    def label(self, node: str) -> str:
        """The display name of a node."""

    def __hash__(self) -> int: ...
