"""How long a large network takes to load, in each form, against the bare parser.

python benchmarks/loading.py
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ryaml

import hickam
from hickam.io.save import save


def large_document(diseases=10_000, findings=20_000, links=250_000, seed=0):
    draw = random.Random(seed)
    nodes = [
        {"id": f"f{i}", "name": f"Finding {i}", "leak": 0.01, "causes": {}} for i in range(findings)
    ]
    made = 0
    while made < links:
        causes = draw.choice(nodes)["causes"]
        cause = f"d{draw.randrange(diseases)}"
        if cause not in causes:
            causes[cause] = draw.randint(1, 999) / 1000
            made += 1
    return {
        "hickam": 1,
        "name": "large",
        "diseases": [
            {"id": f"d{i}", "name": f"Disease {i}", "leak": 0.001} for i in range(diseases)
        ],
        "findings": nodes,
    }


def seconds(call, repeat=3):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_text(json.dumps(large_document()))
        network = hickam.load(path)
        save(network, Path(folder) / "large.yaml")
        save(network, Path(folder) / "large")
        bare = seconds(lambda: json.loads(path.read_text()))
        yaml_text = (Path(folder) / "large.yaml").read_text()
        bare_yaml = seconds(lambda: ryaml.loads(yaml_text))
        print(f"{network!r}")
        print(f"{'form':10} {'seconds':>8} {'x bare parser':>14}")
        for name, parser in (("large.json", bare), ("large.yaml", bare_yaml), ("large", None)):
            taken = seconds(lambda name=name: hickam.load(Path(folder) / name))
            ratio = f"{taken / parser:14.1f}" if parser else ""
            print(f"{name:10} {taken:8.2f} {ratio}")
    python = processor([sys.executable, "-c", "import numpy"])
    command = [sys.executable, "-m", "hickam", "diagnose", "-n", "clinic", "-p", "chest pain"]
    cold = processor(command)
    with tempfile.TemporaryDirectory() as folder:
        first = processor(command, once=True, XDG_CACHE_HOME=folder)
    print(f"processor time of a cold hickam diagnose: {cold:.2f} s, {cold / python:.1f} x that of")
    print(f"'import numpy' ({python:.2f} s); {first:.2f} s where no network is kept ready-made")


def processor(command, once=False, **environment):
    """The least processor time of a command, in seconds."""
    best = float("inf")
    for _ in range(1 if once else 5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


if __name__ == "__main__":
    main()
