"""The OpenAPI document as a contract: requests made from its schemas, and requests that break them.

    python benchmarks/contract.py [--cases 20000]

Half of the requests satisfy the schemas, half break them on purpose. No answer may be a fault of
ours (5xx), have a status or media type that the document does not name, or a body that breaks its
schema. Prints the requests and statuses by operation; exits with 1 when an operation broke a
promise or the library raised what it should not (which the service answers as a problem, and logs).
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from typing import Any

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, checks

import hickam
from hickam.web.app import create_app
from hickam.web.logs import JsonLines
from hickam.web.settings import Settings

PROMISES = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
OWN = """
hickam: 1
name: Rain
nodes:
  - {id: smoker, role: risk factor, p: 0.3}
  - {id: flu, role: disease, p: 0.1}
  - {id: copd, role: disease, given: {smoker: 0.3}, leak: 0.02}
  - {id: fever, role: finding, given: {flu: 0.8}, leak: 0.01}
"""
ROUND = 250


class Faults(logging.Handler):
    """Counts the faults that the service logs, by place."""

    def __init__(self) -> None:
        super().__init__()
        self.places: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "fault":
            line = json.loads(JsonLines().format(record))
            self.places[f"{line.get('exception')} at {line.get('place')}"] += 1


def name_known(body: dict[str, Any], rng: random.Random) -> None:
    """Put names of the smoker network in place of most invented ones: deeper code is reached."""
    network = hickam.load("smoker")
    for case in (body.get("case"), *(body.get("cases") or [])):
        if isinstance(case, dict) and rng.random() < 0.8:
            for key in ("present", "absent"):
                if case.get(key):
                    case[key] = rng.sample(network.findings, min(len(case[key]), 2))
            if case.get("risks"):
                case["risks"] = {rng.choice(network.risk_factors): rng.choice([True, False, None])}
            if case.get("likelihoods"):
                values = list(case["likelihoods"].values())
                case["likelihoods"] = {rng.choice(network.diseases): rng.choice(values)}
            for key in ("sex", "age", "categories"):
                if rng.random() < 0.7:
                    case.pop(key, None)
    for key in ("disease", "only"):
        if body.get(key):
            body[key] = rng.choice(network.diseases)
    for key in ("cure", "differential"):
        if body.get(key):
            body[key] = rng.sample(network.diseases, min(len(body[key]), 3))
    if isinstance(body.get("options"), dict) and rng.random() < 0.7:
        body["options"] = {k: v for k, v in body["options"].items() if rng.random() < 0.3}


def check(operation: Any, mode: Any, networks: list[str], count: int, seed: int) -> Counter[int]:
    """Statuses of so many requests of one operation; raises on a broken promise."""
    seen: Counter[int] = Counter()
    rng = random.Random(seed)

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if "network_id" in (case.path_parameters or {}) and rng.random() < 0.9:
            case.path_parameters["network_id"] = rng.choice(["smoker", *networks])
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            name_known(case.body, rng)
        answer = case.call()
        seen[answer.status_code] += 1
        case.validate_response(answer, checks=PROMISES)

    ask()
    return seen


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=20_000)
    given_options = options.parse_args()
    warnings.simplefilter("ignore")
    faults = Faults()
    logging.getLogger("hickam.web").addHandler(faults)
    logging.getLogger("hickam.web").propagate = False
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            Settings(networks=("smoker", "confounding", "car"), uploads=folder, rate=0.0)
        )
        networks = ["smoker", "confounding", "car"]
        brought = TestClient(app).post("/api/v1/networks", json={"file": "o.yaml", "text": OWN})
        if brought.status_code == 201:
            networks.append(brought.json()["id"])
        schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
        operations = [found.ok() for found in schema.get_all_operations()]
        tallies: dict[str, Counter[int]] = {}
        broken: dict[str, str] = {}
        total, turn = 0, 0
        while total < given_options.cases and len(broken) < len(operations):
            for operation in operations:
                name = f"{operation.method.upper()} {operation.path}"
                mode = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)[turn % 2]
                if name in broken or total >= given_options.cases:
                    continue
                try:
                    seen = check(operation, mode, networks, ROUND, turn)
                except Exception as bad:  # schemathesis raises groups of its own
                    text = "\n".join(str(one) for one in getattr(bad, "exceptions", [bad]))
                    if "Unsatisfiable" not in type(bad).__name__:
                        broken[name] = text
                    seen = Counter()
                tallies.setdefault(name, Counter()).update(seen)
                total += sum(seen.values())
            turn += 1
            if turn > 4 * given_options.cases / ROUND:
                break
    print(f"{total} requests in {time.perf_counter() - begun:.0f} s")
    for name, seen in tallies.items():
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(seen.items()))
        print(f"{name:55} {statuses}")
    for place, count in faults.places.items():
        print(f"a fault inside the library, answered as a problem: {count} x {place}")
    for name, text in broken.items():
        print(f"\nBROKEN {name}\n{text[:1500]}")
    sys.exit(1 if broken or faults.places else 0)


if __name__ == "__main__":
    main()
