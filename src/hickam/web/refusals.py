"""Why a request gets no answer, besides mistakes in what it asks."""

from __future__ import annotations

from hickam.issues import InvalidInput


class UnknownNetwork(InvalidInput):
    """No network has the id asked for."""

    title = "No such network"


class UnknownNode(UnknownNetwork):
    """No node of the network has the id asked for."""

    title = "Not in this network"


class Refused(Exception):
    """A request that is refused before the application sees it."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        retry_after: int | None = None,
        *,
        close: bool = False,
    ) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        if close:
            self.headers["Connection"] = "close"


class Fault(Exception):
    """A fault of ours that is no exception in this process."""
