"""Connections of a real server: none rests, drips or stalls for ever, and the end comes in time."""

from __future__ import annotations

import json
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hickam.web.serving.joined import JOINED, Joined
from hickam.web.settings import VARIABLE, Settings

CODE = """
import resource, sys
from hickam.web.serving.server import run
from hickam.web.settings import Settings
files = int(sys.argv[2])
if files:
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
run(Settings.from_environment(), "127.0.0.1", int(sys.argv[1]), "ready")
"""
ASK = "/api/v1/networks/smoker/diagnose"


class Server:
    def __init__(self, port: int, process: subprocess.Popen[bytes], log: Path) -> None:
        self.port = port
        self.process = process
        self.log = log

    def connect(self, sent: bytes = b"") -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), 30)
        line.sendall(sent)
        return line

    def get(self, path: str, *headers: str) -> bytes:
        head = "\r\n".join((f"GET {path} HTTP/1.1", *headers, "Connection: close", "", ""))
        with self.connect(head.encode()) as line:
            return read_all(line)


@contextmanager
def served(folder: Path, files: int = 0, **changes: Any) -> Iterator[Server]:
    """A server with these settings, and perhaps few open files."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"networks": ("smoker",), "workers": 1, "rate": 0.0, "uploads": str(folder)}
    stored = Settings(**{**settings, **changes}).to_json()
    log = folder / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, str(port), str(files)],
            env={VARIABLE: stored},
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield Server(port, process, log)
    finally:
        process.kill()
        process.wait(20)
        process.stdout.close()


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that waits a second for whatever a client owes it."""
    folder = tmp_path_factory.mktemp("hasty")
    study = folder / "studies" / "s"
    study.mkdir(parents=True)
    (study / "report.html").write_bytes(b"x" * 30_000_000)
    waits = {"header_seconds": 1.0, "body_seconds": 1.0, "stalled_seconds": 1.0}
    with served(folder, studies=str(folder / "studies"), **waits) as server:
        yield server


def read_all(line: socket.socket) -> bytes:
    """Everything until the other side closes or cuts."""
    found = b""
    try:
        while piece := line.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def until(true: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    for _ in range(300):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("it never came true")


def post(size: int) -> bytes:
    return f"POST {ASK} HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n".encode()


def test_connections_that_send_no_head_are_cut(hasty: Server) -> None:
    silent = hasty.connect()
    dripping = hasty.connect(b"GET / HTTP/1.1\r\nX-A: ")
    used = hasty.connect(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    with silent, dripping, used:
        assert read_all(silent) == b""
        assert read_all(dripping) == b""
        assert read_all(used).startswith(b"HTTP/1.1 200")


def test_a_body_that_does_not_come_is_answered_and_closed(hasty: Server) -> None:
    with hasty.connect(post(1000) + b"{") as line:
        answer = read_all(line)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in answer


def test_a_client_that_takes_no_answer_is_cut(hasty: Server) -> None:
    with hasty.connect(b"GET /studies/s/report.html HTTP/1.1\r\nHost: a\r\n\r\n"):
        until(lambda: b'why="connection stalled"' in hasty.get("/metrics", "Host: a"))


def test_a_whole_file_of_a_study_arrives(tmp_path: Path) -> None:
    study = tmp_path / "studies" / "s"
    study.mkdir(parents=True)
    content = bytes(range(256)) * 4000
    (study / "data.parquet").write_bytes(content)
    with served(tmp_path, studies=str(tmp_path / "studies")) as server:
        head, _, body = server.get("/studies/s/data.parquet", "Host: a").partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert body == content
        for path in ("/studies/s/%00", "/studies/%00/x", "/studies/s/..%2f..%2flog"):
            assert server.get(path, "Host: a").startswith(b"HTTP/1.1 404")


def test_with_few_open_files_resting_connections_make_room(tmp_path: Path) -> None:
    with served(tmp_path, files=96, header_seconds=600.0) as server:
        resting = [server.connect() for _ in range(120)]
        assert server.get("/health", "Host: a").startswith(b"HTTP/1.1 200")
        for line in resting:
            line.close()


def test_with_few_open_files_busy_connections_are_refused_not_dropped(tmp_path: Path) -> None:
    with served(tmp_path, files=96, body_seconds=600.0) as server:
        busy = [server.connect(post(1000)) for _ in range(120)]
        answer = server.get("/health", "Host: a")
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"Retry-After" in answer
        for line in busy:
            line.close()
        until(lambda: server.get("/health", "Host: a").startswith(b"HTTP/1.1 200"))


def test_an_endless_head_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, header_bytes=4000) as server:
        with server.connect(b"GET / HTTP/1.1\r\n") as line:
            try:
                for _ in range(100_000):
                    line.sendall(b"X-A: " + b"a" * 200 + b"\r\n")
            except OSError:
                pass
            assert read_all(line)[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
        assert server.get("/health", "Host: a").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_the_end_comes_whatever_clients_do(tmp_path: Path, asked: signal.Signals) -> None:
    with served(tmp_path, grace=1.0) as server:
        held = [
            server.connect(),
            server.connect(b"GET / HTTP/1.1\r\nX: "),
            server.connect(post(1000)),
            server.connect(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        ]
        server.process.send_signal(asked)
        assert server.process.wait(20) == 0
        for line in held:
            line.close()


def test_every_line_of_the_log_is_json(tmp_path: Path) -> None:
    with served(tmp_path, grace=1.0) as server:
        server.get("/", "Host: a")
        with server.connect(b"\x00\x01 nonsense\r\n\r\n") as line:
            assert read_all(line).startswith(b"HTTP/1.1 400")
        held = server.connect(post(1000))
        server.process.terminate()
        server.process.wait(20)
        held.close()
    lines = server.log.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 3
    for line in lines:
        assert "event" in json.loads(line)


def test_this_machine_allows_as_many_files_as_the_tests_need() -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 256


class Sent:
    """A transport that keeps what is written, each write apart."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        self.writes.append(data)

    def close(self) -> None:
        self.closed = True


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ([HEAD, b"body", b"more"], [HEAD + b"body", b"more"]),
        ([HEAD, b""], [HEAD]),
        ([HEAD, b"x" * (JOINED + 1)], [HEAD, b"x" * (JOINED + 1)]),
        ([b"HTTP/1.1 100 Continue\r\n\r\n"], [b"HTTP/1.1 100 Continue\r\n\r\n"]),
    ],
)
def test_a_head_goes_out_with_what_follows_it(written: list[bytes], sent: list[bytes]) -> None:
    line: Any = Sent()
    joined = Joined(line)
    for data in written:
        joined.write(data)
    assert line.writes == sent


def test_a_head_that_nothing_follows_goes_out_at_the_end() -> None:
    line: Any = Sent()
    joined = Joined(line)
    joined.write(HEAD)
    joined.flush()
    joined.write(HEAD)
    joined.close()
    assert line.writes == [HEAD, HEAD]
    assert line.closed


def test_an_answer_without_a_body_arrives(tmp_path: Path) -> None:
    asked = b"HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n"
    with served(tmp_path) as server, server.connect(asked) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 200")


KEPT = b"POST " + ASK.encode() + b" HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
CHUNKED = KEPT + b"Transfer-Encoding: chunked\r\n\r\n"
CASE = b'{"case": {"present": ["nausea"]}}'


def chunks(body: bytes, size: int, extension: bytes = b"") -> bytes:
    """A body in chunks of a size, without the end."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts)


def send_until_refused(line: socket.socket, piece: bytes, times: int) -> int:
    """How many pieces the other side took before it ended the connection."""
    line.settimeout(30)
    for n in range(times):
        try:
            line.sendall(piece)
        except OSError:
            return n
    return times


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes short heads only, and waits long for what a client owes it."""
    folder = tmp_path_factory.mktemp("strict")
    waits = {"header_seconds": 600.0, "body_seconds": 600.0, "upload_bytes": 1_000_000}
    with served(folder, header_bytes=4000, body_bytes=200_000, **waits) as server:
        yield server


def test_a_trailer_is_no_header(strict: Server) -> None:
    text = "hickam: 1\nname: N\ndiseases: [{id: a, name: A, leak: 0.1}]\n"
    text += "findings: [{id: f, name: F, leak: 0.1, causes: {a: 0.5}}]\n"
    body = json.dumps({"file": "n.yaml", "text": text}).encode()
    head = "POST /api/v1/networks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    head += f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    with strict.connect(head.encode() + body) as line:
        kept = json.loads(read_all(line).partition(b"\r\n\r\n")[2])
    key = f"X-Network-Key: {kept['key']}\r\n".encode()
    asked = f"DELETE /api/v1/networks/{kept['id']} HTTP/1.1\r\nHost: a\r\n".encode()
    asked += b"Connection: close\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n"
    with strict.connect(asked + chunked + b"\r\n0\r\n" + key + b"\r\n") as line:
        assert not read_all(line).startswith(b"HTTP/1.1 204")
    with strict.connect(asked + key + b"\r\n") as line:
        assert read_all(line).startswith(b"HTTP/1.1 204")


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (CHUNKED + chunks(CASE, 40) + b"0\r\n", b"X-Trailer: " + b"a" * 100 + b"\r\n"),
        (CHUNKED + chunks(CASE, 40) + b"0\r\nX-Trailer: ", b"a" * 100),
        (CHUNKED, chunks(b" " * 100, 1)),
        (CHUNKED, chunks(b" " * 10, 10, b";a=" + b"b" * 100)),
        (CHUNKED + b"1;a=", b"b" * 100),
        (KEPT, b"X-A: " + b"a" * 100 + b"\r\n"),
        (KEPT, b"X: \r\n" * 20),
        (b"", b"\r\n" * 50),
    ],
    ids=["trailers", "trailer", "chunks", "extensions", "extension", "headers", "many", "empty"],
)
def test_what_is_no_body_ends_the_connection_past_the_limit_of_a_head(
    strict: Server, begin: bytes, piece: bytes
) -> None:
    most = 400_000
    with strict.connect(begin) as line:
        line.settimeout(30)
        for _ in range(most // len(piece)):
            try:
                line.sendall(piece)
            except OSError:  # it has been read away for a while, then cut
                break
        assert read_all(line)[:12] == b"HTTP/1.1 431"
    assert strict.get("/health", "Host: a").startswith(b"HTTP/1.1 200")


def test_a_body_in_chunks_of_a_usual_size_arrives(strict: Server) -> None:
    padded = CASE + b" " * 150_000
    for size in (500, 4096, 65_536):
        sent = CHUNKED.replace(b"Host: a", b"Host: a\r\nConnection: close")
        with strict.connect(sent + chunks(padded, size) + b"0\r\nX-Sum: 1\r\n\r\n") as line:
            assert read_all(line).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "behind",
    [
        b"GET / HTTP/1.1\r\nX-A: " + b"a" * 400_000,
        b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n" * 9000,
    ],
    ids=["long", "many"],
)
def test_what_comes_behind_a_request_is_limited_too(strict: Server, behind: bytes) -> None:
    with strict.connect(post(1000) + b" " * 999) as line:
        send_until_refused(line, b" " + behind, 1)
        assert read_all(line).count(b"HTTP/1.1") < 20  # and the connection has ended
    assert strict.get("/health", "Host: a").startswith(b"HTTP/1.1 200")


def test_a_few_requests_in_a_row_are_answered_in_their_order(strict: Server) -> None:
    asked = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n" + KEPT
    asked += b"Content-Length: %d\r\n\r\n%s" % (len(CASE), CASE)
    asked += b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    with strict.connect(asked) as line:
        answer = read_all(line)
    told = [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert told == [b"200", b"200", b"404"]


@pytest.mark.parametrize("size", [250_000, 1_500_000])
def test_a_client_that_sends_too_large_a_body_reads_why(strict: Server, size: int) -> None:
    declared = KEPT + b"Content-Length: %d\r\n\r\n%s" % (size, b" " * size)
    for sent in (declared, CHUNKED + chunks(b" " * size, 4096)):
        with strict.connect() as line:
            line.sendall(sent)
            assert read_all(line).startswith(b"HTTP/1.1 413")


def test_a_body_without_end_is_not_read_away_without_end(strict: Server) -> None:
    with strict.connect(KEPT + b"Content-Length: 900000000\r\n\r\n") as line:
        assert send_until_refused(line, b" " * 100_000, 1000) < 1000


def test_untaken_answers_together_have_a_limit(tmp_path: Path) -> None:
    study = tmp_path / "studies" / "s"
    study.mkdir(parents=True)
    (study / "report.html").write_bytes(b"x" * 30_000_000)
    limits = {"unsent_bytes": 50_000, "stalled_seconds": 600.0}
    asked = b"GET /studies/s/report.html HTTP/1.1\r\nHost: a\r\n\r\n"
    studies = str(tmp_path / "studies")
    with served(tmp_path, studies=studies, **limits) as server, server.connect(asked):
        until(lambda: b'why="connection stalled"' in server.get("/metrics", "Host: a"))
