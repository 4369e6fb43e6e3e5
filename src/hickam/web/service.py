"""What every route shares: the networks, the desk that infers, and the settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Response
from pydantic_core import to_json

from hickam.beliefs.deadline import LEAST
from hickam.evidence.case import Case
from hickam.infer import infer
from hickam.issues import InvalidInput
from hickam.model.kinds import Model
from hickam.web.consult import Memory
from hickam.web.desk import ENDS, Desk, Place
from hickam.web.settings import Settings
from hickam.web.shelf import Offer, Shelf
from hickam.web.uploads import uploads_of

T = TypeVar("T")
JSON = "application/json"
REMEMBERED = 32


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """The parts of a running service."""

    settings: Settings
    shelf: Shelf
    desk: Place
    memory: Memory

    async def offer(self, network_id: str) -> Offer:
        """The network with this id; one that must be read from disk is read off the event loop."""
        if network_id in self.shelf.offers:
            return self.shelf.offers[network_id]
        return await self.run(lambda: self.shelf.get(network_id))

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result from the desk."""
        return await self.desk.run(job)

    async def answer(self, job: Callable[[], dict[str, Any]]) -> Response:
        """The job's answer, plain values, as JSON that is written where the job runs."""
        return await self.desk.run(lambda: Response(_as_json(job()), media_type=JSON))

    @property
    def seconds(self) -> float:
        """Seconds that the next inference of the request being answered may take."""
        left = ENDS.get().left
        most = self.settings.deadline
        return most if left is None or left > most else max(left, LEAST)


def open_service(settings: Settings, desk: Place | None = None) -> Service:
    """The service with its networks loaded; without a desk it gets one with threads."""
    shelf = Shelf(settings.networks, uploads_of(settings))
    for offer in shelf.offers.values():
        rehearse(offer.network)
    desk = desk or Desk(settings.running, settings.waiting, settings.request_seconds)
    return Service(settings, shelf, desk, Memory(REMEMBERED))


def _as_json(answer: dict[str, Any]) -> bytes:
    """Plain values as JSON; a number that JSON does not have is null."""
    return to_json(answer, inf_nan_mode="null")


def rehearse(network: Model) -> None:
    """Answer one question before anyone asks, so that the first user does not wait for loading."""
    with suppress(InvalidInput):
        infer(network, Case(present=network.findings[:1]), deadline=1.0)


async def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


ServiceOf = Annotated[Service, Depends(_service)]
