"""From click to update on a network of 8,000 diseases: the Diagnose page, finding by finding.

    python benchmarks/page_large.py

Writes a random network of 8,000 diseases, 4,000 findings, 96,000 links to them and 300 unobserved
risk factors that couple the diseases, serves it, and adds findings one by one as a user would,
timing each page on the wire. The goal is under 300 ms.
"""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

DISEASES, FINDINGS, RISKS, EFFECTS = 8000, 4000, 300, 12
CLICKS = 8
GOAL = 0.3


def large_document(seed: int = 1) -> dict[str, object]:
    draw = random.Random(seed)
    risks = [
        {"id": f"r{i}", "name": f"Risk {i}", "prior": round(draw.uniform(0.02, 0.4), 3)}
        for i in range(RISKS)
    ]
    diseases = [
        {
            "id": f"d{i}",
            "name": f"Disease {i}",
            "leak": round(10 ** draw.uniform(-5, -2), 7),
            "urgency": draw.choice(["routine", "urgent", "emergency", "self-care"]),
            "causes": {
                f"r{j}": round(draw.uniform(0.001, 0.02), 4)
                for j in draw.sample(range(RISKS), draw.randint(0, 2))
            },
        }
        for i in range(DISEASES)
    ]
    causes: list[dict[str, float]] = [{} for _ in range(FINDINGS)]
    for disease in range(DISEASES):
        for finding in draw.sample(range(FINDINGS), EFFECTS):
            causes[finding][f"d{disease}"] = round(draw.uniform(0.05, 0.9), 3)
    findings = [
        {"id": f"f{i}", "name": f"Finding {i}", "leak": 0.01, "causes": causes[i]}
        for i in range(FINDINGS)
    ]
    return {
        "hickam": 1,
        "name": "Large",
        "risk_factors": risks,
        "diseases": diseases,
        "findings": findings,
    }


def seconds(address: str) -> float:
    begun = time.perf_counter()
    with urllib.request.urlopen(address) as answer:
        answer.read()
    return time.perf_counter() - begun


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_text(json.dumps(large_document()))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        code = "from hickam.cli.main import main; import sys; main(sys.argv[1:])"
        command = [sys.executable, "-c", code, "serve", "--port", str(port), "--network", str(path)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            here = f"http://127.0.0.1:{port}"
            for _ in range(600):
                try:
                    seconds(f"{here}/health")
                    break
                except OSError:
                    time.sleep(0.1)
            worst = 0.0
            for count in range(1, CLICKS + 1):
                case = "&".join(f"p=f{i}" for i in range(count))
                page = seconds(f"{here}/?{case}&w=%2Bp:f{count - 1}")
                typed = seconds(f"{here}/matches?{case}&q=finding+{count}")
                worst = max(worst, page)
                shown = f"page {1000 * page:4.0f} ms, type-ahead {1000 * typed:4.0f} ms"
                print(f"{count} findings: {shown}")
            advice = seconds(f"{here}/next?{case}")
            print(f"what to ask next, loaded after the page: {1000 * advice:.0f} ms")
            print(f"worst click {1000 * worst:.0f} ms, goal {1000 * GOAL:.0f} ms")
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    main()
