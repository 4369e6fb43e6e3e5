"""The frame of every question about a case: the network, the case inferred, and where from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from hickam.beliefs.beliefs import Accuracy
from hickam.evidence.case import Case
from hickam.issues import Issue
from hickam.model.kinds import Model
from hickam.web.answers import Provenance
from hickam.web.bodies import Question
from hickam.web.consult import Consultation, check_size
from hickam.web.service import Service
from hickam.web.shelf import Offer

B = TypeVar("B", bound=Question)
T = TypeVar("T")


class Inferred(Protocol):
    """What says how it was inferred: beliefs, a differential."""

    @property
    def engine(self) -> str:
        """The name of the engine."""

    @property
    def accuracy(self) -> Accuracy:
        """How far the numbers can be trusted."""

    @property
    def in_force(self) -> tuple[str, ...]:
        """The assumptions that they rest on."""


@dataclass(frozen=True)
class Asked(Generic[B]):
    """One question that is being answered."""

    service: Service
    offer: Offer
    body: B
    begun: float = field(default_factory=time.perf_counter)

    @property
    def network(self) -> Model:
        """The network that is asked."""
        return self.offer.network

    @cached_property
    def _read(self) -> tuple[Case, list[Issue]]:
        """The case as the library takes it, and what of a phenopacket could not be used."""
        return self.body.case.to_case(self.network)

    def case(self) -> Case:
        """The case as the library takes it, if it is not too large."""
        case, _ = self._read
        check_size(case, self.service.settings.findings)
        return case

    def left_out(self) -> list[Issue]:
        """What of a phenopacket could not be used."""
        return self._read[1]

    def consult(self, engine: str = "auto") -> Consultation:
        """The case inferred under the service's limits."""
        options = self.body.options.to_options(self.service.seconds)
        findings = self.service.settings.findings
        return self.service.memory.consult(self.network, self._read[0], options, findings, engine)

    @property
    def seconds(self) -> float:
        """How long the answer has taken so far."""
        return time.perf_counter() - self.begun

    def provenance(self, of: Inferred, accuracy: Accuracy | None = None) -> Provenance:
        """Where an answer comes from that was inferred like this, or with another accuracy."""
        best = accuracy or of.accuracy
        return Provenance.of(self.offer, of.engine, best, of.in_force, self.seconds)


async def answered(
    service: Service, network_id: str, body: B, answer: Callable[[Asked[B]], T]
) -> T:
    """The answer to a question, computed at the desk."""
    offer = await service.offer(network_id)
    return await service.run(lambda: answer(Asked(service, offer, body)))
