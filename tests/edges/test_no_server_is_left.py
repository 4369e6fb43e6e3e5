"""The servers that tests start end with the test, also when it fails."""

import socket

import pytest
from browser import Server, serving


def answers(server):
    """Whether anything still listens on the server's port."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", server.port)) == 0


def failing(folder, seen):
    """A test that fails while its server runs."""
    with serving(folder, workers=2) as server:
        seen.append((server, server.process))
        assert not answers(server), "the test fails here, because the server answers"


def test_a_test_that_fails_leaves_no_server_behind(tmp_path):
    seen = []
    with pytest.raises(AssertionError):
        failing(tmp_path, seen)
    ((server, process),) = seen
    assert process.returncode is not None
    assert not answers(server)


def test_a_server_that_never_gets_ready_is_not_left_behind(tmp_path, monkeypatch):
    seen = []
    start = Server.start

    def fail(server):
        start(server)
        seen.append((server, server.process))
        raise RuntimeError("the server did not answer within 30 seconds")

    monkeypatch.setattr(Server, "start", fail)
    with pytest.raises(RuntimeError), serving(tmp_path):
        pass
    ((server, process),) = seen
    assert process.returncode is not None
    assert not answers(server)
