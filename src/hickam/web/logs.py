"""Structured logs, one JSON object a line; addresses are logged without their query strings."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from types import TracebackType

LOG = logging.getLogger("hickam.web")
_as_json = json.JSONEncoder().encode


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object with the fields given in `extra={"fields": …}`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            # The message of an exception may quote the case; its type and place do not.
            trace = record.exc_info[2]
            while trace and trace.tb_next:
                trace = trace.tb_next
            line["exception"] = record.exc_info[0].__name__
            if trace:
                line["place"] = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return _as_json(line)


def start_logging(level: str = "info") -> None:
    """Send every log line, warning and uncaught exception of this process to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel("WARNING")
    LOG.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
        logger.setLevel("WARNING")
    # what a line does not show need not be looked up for each
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught


def _log_uncaught(
    kind: type[BaseException], raised: BaseException, trace: TracebackType | None
) -> None:
    LOG.critical("ended by an exception", exc_info=(kind, raised, trace))


def log_request(fields: dict[str, object]) -> None:
    """One line for one answered request."""
    LOG.info("request", extra={"fields": fields})


def log_fault(fields: dict[str, object]) -> None:
    """One line for a fault of ours, with the place of the exception being handled."""
    LOG.error("fault", exc_info=True, extra={"fields": fields})
