"""Prometheus metrics: requests, refusals and inference times; no patient data."""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
    multiprocess,
)

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
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


def observe_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one answered request."""
    REQUESTS.labels(route, method, str(status)).inc()
    SECONDS.labels(route).observe(seconds)


def observe_inference(engine: str, seconds: float) -> None:
    """Count one inference."""
    INFERENCE.labels(engine).observe(seconds)


def exposition() -> tuple[bytes, str]:
    """The metrics of all workers in the text format, and its media type."""
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
