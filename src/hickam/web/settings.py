"""What the service is started with."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from hickam.model.embedded import NAMES

VARIABLE = "HICKAM_SERVE"
LISTS = ("networks", "hosts", "proxies")


@dataclass(frozen=True, slots=True)
class Settings:
    """The networks on offer, the folders in use and the limits in force."""

    networks: tuple[str, ...] = NAMES  # embedded names or paths; the first is the default
    studies: str = ""  # folder of study report folders; empty: none
    hosts: tuple[str, ...] = ()  # names that requests may be addressed to; empty: any
    proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For is believed

    hide_case: bool = False  # keep the case out of the addresses of pages, which proxies log

    uploads: str = ""  # folder that keeps uploaded networks; empty: one in the user's cache
    uploads_allowed: bool = True
    uploads_kept: int = 1000  # of all clients; those unused for long make room first
    uploads_each: int = 20  # of one client; its own least recently used make room
    uploads_each_bytes: int = 100_000_000
    uploads_days: float = 30.0  # an upload unused for so long may be dropped for another

    url_bytes: int = 8_000
    header_bytes: int = 32_000
    body_bytes: int = 1_000_000
    upload_bytes: int = 20_000_000
    bodies_bytes: int = 64_000_000  # all bodies together, the first 16,000 bytes of each apart
    unsent_bytes: int = 32_000_000  # of all answers; beyond, the largest of them is cut
    header_seconds: float = 10.0  # from a connection, or the answer before, to the end of a head
    body_seconds: float = 30.0
    stalled_seconds: float = 20.0  # a client that takes nothing of its answer for so long is cut
    connections: int = 1000  # at once; fewer if the system allows fewer open files
    grace: float = 5.0  # seconds that running requests get when the service is asked to end

    findings: int = 60  # present and absent findings in one case
    batch: int = 200  # cases in one batch request
    deadline: float = 2.0  # seconds that one inference may take
    rate: float = 50.0  # requests a second for one client; 0: no limit
    burst: int = 200  # requests that one client may make at once
    workers: int = 0  # processes in the quick and in the slow lane, each; 0: one for each core
    running: int = 2  # inferences at the same time where the application runs in one process
    waiting: int = 32  # questions that may wait for those; more are refused at once
    slow_each: int = 6  # long questions of one client at a time
    memory_bytes: int = 800_000_000  # that a worker may allocate beyond what it is born with
    recycle_bytes: int = 500_000_000  # a worker that ever grew beyond is replaced after its answer

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings that `hickam serve` left for its processes, or the defaults."""
        stored = json.loads(os.environ.get(VARIABLE, "{}"))
        stored.update({name: tuple(stored[name]) for name in LISTS if name in stored})
        return cls(**stored)

    def to_json(self) -> str:
        """The settings as `from_environment` reads them."""
        return json.dumps(asdict(self))

    @property
    def request_seconds(self) -> float:
        """Seconds that a request may take in all, whatever inferences it needs."""
        return 2.0 * self.deadline + 1.0

    @property
    def uploads_folder(self) -> Path | None:
        """The folder that keeps uploaded networks between restarts; None without a home folder."""
        if self.uploads:
            return Path(self.uploads)
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return Path(cache) / "hickam" / "networks" if os.path.isabs(cache) else None
