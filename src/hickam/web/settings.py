"""What the service is started with."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hickam.model.embedded import NAMES

VARIABLE = "HICKAM_SERVE"


@dataclass(frozen=True, slots=True)
class Settings:
    """The networks on offer, the folders in use and the limits in force."""

    networks: tuple[str, ...] = NAMES  # embedded names or paths; the first is the default
    uploads: str = ""  # folder that keeps uploaded networks; empty: one in the user's cache
    studies: str = ""  # folder of study report folders; empty: none
    body_bytes: int = 1_000_000
    upload_bytes: int = 20_000_000
    uploads_kept: int = 50
    findings: int = 60  # present and absent findings in one case
    batch: int = 200  # cases in one batch request
    deadline: float = 2.0  # seconds that one inference may take
    rate: float = 50.0  # requests a second for one client and worker; 0: no limit
    burst: int = 200  # requests that one client may make at once
    running: int = 2  # inferences at the same time in one worker
    waiting: int = 32  # inferences that may wait for those; more are refused at once

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings that `hickam serve` left for its workers, or the defaults."""
        stored = json.loads(os.environ.get(VARIABLE, "{}"))
        if "networks" in stored:
            stored["networks"] = tuple(stored["networks"])
        return cls(**stored)

    @property
    def uploads_folder(self) -> Path:
        """The folder that keeps uploaded networks between restarts and workers."""
        if self.uploads:
            return Path(self.uploads)
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        base = Path(cache) if os.path.isabs(cache) else Path(tempfile.gettempdir())
        return base / "hickam" / "networks"
