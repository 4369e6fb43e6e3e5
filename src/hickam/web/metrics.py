"""Prometheus metrics: requests, refusals, workers and inference times; no patient data."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
REGISTRY = CollectorRegistry()
REQUESTS = Counter(
    "hickam_requests_total", "Requests answered", ("route", "method", "status"), registry=REGISTRY
)
SECONDS = Histogram(
    "hickam_request_seconds", "Time to answer", ("route",), buckets=BUCKETS, registry=REGISTRY
)
INFERENCE = Histogram(
    "hickam_inference_seconds", "Time to infer", ("engine",), buckets=BUCKETS, registry=REGISTRY
)
REFUSED = Counter(
    "hickam_refused_total", "Requests refused to protect the service", ("why",), registry=REGISTRY
)
DEATHS = Counter("hickam_worker_deaths_total", "Workers that ended by a fault", registry=REGISTRY)
_reported: list[tuple[str, float]] | None = None


def observe_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one answered request; what a client may invent is one label."""
    REQUESTS.labels(route, method if method in METHODS else "other", str(status)).inc()
    SECONDS.labels(route).observe(seconds)


def observe_inference(engine: str, seconds: float) -> None:
    """Count one inference, here or in the process that asked for reports."""
    if _reported is not None:
        _reported.append((engine, seconds))
    else:
        INFERENCE.labels(engine).observe(seconds)


def report_to(inferences: list[tuple[str, float]]) -> None:
    """From now on, list inferences for another process to count."""
    global _reported  # noqa: PLW0603
    _reported = inferences


def exposition() -> tuple[bytes, str]:
    """The metrics in the text format, and its media type."""
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
