"""What every route shares: the networks, the desk that infers, and the settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from hickam.evidence.case import Case
from hickam.infer import infer
from hickam.issues import InvalidInput
from hickam.model.kinds import Model
from hickam.web.consult import Memory
from hickam.web.desk import Desk
from hickam.web.settings import Settings
from hickam.web.shelf import Offer, Shelf

T = TypeVar("T")
REMEMBERED = 32


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """The parts of a running service."""

    settings: Settings
    shelf: Shelf
    desk: Desk
    memory: Memory

    async def offer(self, network_id: str) -> Offer:
        """The network with this id; one that must be read from disk is read off the event loop."""
        if network_id in self.shelf.offers:
            return self.shelf.offers[network_id]
        return await self.run(lambda: self.shelf.get(network_id))

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result from the desk."""
        return await self.desk.run(job)


def open_service(settings: Settings) -> Service:
    """The service with its networks loaded."""
    shelf = Shelf(settings.networks, settings.uploads_folder, kept=settings.uploads_kept)
    patience = 2.0 * settings.deadline + 8.0
    for offer in shelf.offers.values():
        rehearse(offer.network)
    desk = Desk(settings.running, settings.waiting, patience)
    return Service(settings, shelf, desk, Memory(REMEMBERED))


def rehearse(network: Model) -> None:
    """Answer one question before anyone asks, so that the first user does not wait for loading."""
    with suppress(InvalidInput):
        infer(network, Case(present=network.findings[:1]), deadline=1.0)


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


ServiceOf = Annotated[Service, Depends(_service)]
