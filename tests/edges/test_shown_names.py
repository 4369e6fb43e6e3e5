"""No name moves a cursor or starts a line, whatever command shows it; a full disk is a message."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hickam.cli.main import hickam as command
from hickam.cli.main import run

BAD = "\x1b[31m\n!INJECTED\r\x07\u202e\x9b\tz"


def bad(text: str) -> str:
    return text + BAD


R, A, B, F, P = map(bad, ("r", "a", "b", "f", "p"))
NETWORK = {
    "hickam": 1, "name": bad("net"), "version": bad("1"), "description": "d\x1b[31m",
    "disclaimer": "dis\x1b[31m", "notice": "n\u202e", "source": bad("source"),
    "risk_factors": [{"id": R, "name": bad("risk"), "prior": {"probability": 0.3,
                      "source": bad("s")}, "synonyms": [bad("rs")], "group": bad("g")}],
    "diseases": [
        {"id": A, "name": bad("alpha"), "leak": 0.2, "causes": {R: 0.4}, "group": bad("g"),
         "synonyms": [bad("as")], "urgency": "emergency"},
        {"id": B, "name": bad("beta"), "leak": 0.1},
    ],
    "findings": [
        {"id": F, "name": bad("fever"), "leak": 0.05, "group": bad("g"), "synonyms": [bad("fs")],
         "causes": {A: {"probability": 0.6, "source": bad("q")}, B: 0.3}},
        {"id": P, "name": bad("pain"), "leak": 0.03, "causes": {A: 0.3, B: 0.8}},
        {"id": bad("k"), "name": bad("sharp"), "is_a": P, "leak": 0.01, "causes": {A: 0.1}},
    ],
}  # fmt: skip
GENERAL = {
    "hickam": 1, "name": bad("scm"),
    "nodes": [
        {"id": A, "name": bad("ex"), "role": "disease", "states": [bad("off"), bad("on")],
         "table": [0.7, 0.3]},
        {"id": F, "name": bad("why"), "role": "finding", "states": [bad("off"), bad("on")],
         "parents": [A], "table": [[0.9, 0.1], [0.2, 0.8]]},
    ],
}  # fmt: skip
N, S = ("-n", "n.json"), ("-n", "s.json")
COMMANDS = [
    ("check", "n.json"), ("check", "n.json", "--review"), ("check", "n.json", "--json"),
    ("check", "s.json"), ("check", bad("no.json")), ("networks",), (bad("word"),),
    ("show", *N), ("show", *N, F), ("show", *N, A), ("show", *N, R), ("show", *N, "fe"),
    ("show", *N, bad("nosuch")), ("show", *S), ("show", *S, A), ("show", "-n", bad("no")),
    ("diagnose", *N, "-p", F), ("diagnose", *N, "-p", F, "--explain", "--pairs", "--robust"),
    ("diagnose", *N, "-p", F, "--json"), ("diagnose", *N, "-p", bad("nosuch")),
    ("diagnose", *N, "-p", F, "--measure", bad("x")), ("diagnose", *S, "-p", F),
    ("diagnose", bad("--option")), ("diagnose", *N, "-p", F, "--out", bad("o") + ".tsv"),
    ("ask", *N), ("cure", *N, "-p", F, "-d", A), ("cure", *N, "-p", F, "--at-least", "1"),
    ("sensitivity", *N, "-p", F), ("second-opinion", *N, "-p", F, "-d", A, bad("no")),
    ("pool", "n.json", "e.json"), ("upgrade", "n.json"), ("upgrade", "s.json"),
    ("query", *N, "--given", f"{F}=on", "--target", f"{A}=on"),
    ("causation", *N, "--cause", A, "--finding", F), ("twin", *N, "-p", F, "--out", "t.svg"),
    ("simulate", "n.json", "--out", bad("q") + ".csv", "--force"),
    ("simulate", "n.json", "--records", "300", "--out", "r.csv", "--force"),
    ("learn", "n.json", "r.csv", "--out", bad("l") + ".yaml", "--all", "--hold-out", "0.2"),
    ("learn", "n.json", "r.csv", "--out", "x.yaml", "--unmentioned", bad("x")),
    ("criticise", "n.json", "r.csv", "--all"), ("convert", "n.json", bad("c") + ".yaml"),
]  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "n.json").write_text(json.dumps(NETWORK))
    (folder / "s.json").write_text(json.dumps(GENERAL))
    said = {"numbers": [{"cause": A, "effect": F, bad("Ann"): 0.75, "Bo": 0.2}]}
    (folder / "e.json").write_text(json.dumps(said))
    return folder


def test_every_command_shows_names_on_their_line(desk, monkeypatch, capsys):
    monkeypatch.chdir(desk)
    ended = {}
    for words in COMMANDS:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{F.strip()}\ny\nwhy\nn\n?\nstop\n"))
        code = run(lambda words=words: command.main(args=list(words), standalone_mode=False))
        said = capsys.readouterr()
        ended[words] = code
        for line in (said.out + said.err).split("\n"):
            assert not line.lstrip().startswith("!INJECTED"), words
            assert not any(mark in line for mark in "\r\t\x07\x1b\x9b\u202e"), (words, line)
    assert sum(code == 0 for code in ended.values()) >= 30, ended
    assert all(code in (0, 2, 3) for code in ended.values()), ended


def hickam(*words: str, out: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from hickam.cli.main import main; main()", *words],
        stdout=out, stderr=subprocess.PIPE, text=True, cwd=folder, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("words", [("show",), ("diagnose", "-p", "fever", "--json"), ("--help",)])
def test_a_full_disk_is_a_message(words, tmp_path):
    with Path("/dev/full").open("w") as full:
        done = hickam(*words, out=full, folder=tmp_path)
    assert done.returncode == 3
    assert done.stderr == "error: the output cannot be written or read: No space left on device\n"


def test_a_pipe_that_nobody_reads_ends_the_work_in_silence(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    done = hickam("diagnose", "-p", "fever", "--explain", out=writing, folder=tmp_path)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_for_which_there_is_no_room_is_named(tmp_path):
    script = (
        "import resource, signal; from hickam.cli.main import main; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); main()"
    )
    for name in ("r.csv", "r.parquet"):
        words = ("simulate", "smoker", "--records", "5000", "--out", name)
        done = subprocess.run([sys.executable, "-B", "-c", script, *words], capture_output=True,
                              text=True, cwd=tmp_path, check=False, timeout=120)  # fmt: skip
        assert done.returncode == 3, done.stderr
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr
        assert "File too large" in done.stderr
    assert not list(tmp_path.glob("r.*"))
