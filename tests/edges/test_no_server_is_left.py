"""The servers that tests start end with the test, also when it fails."""

import os

import pytest
from browser import Server, serving


def gone(pid):
    """Whether no process of the server's group is left."""
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_test_that_fails_leaves_no_server_behind(tmp_path):
    seen = []
    with pytest.raises(AssertionError), serving(tmp_path, workers=2) as server:
        seen.append(server.process.pid)
        assert not gone(seen[0])
        raise AssertionError("the test fails")
    assert gone(seen[0])


def test_a_server_that_never_answers_is_not_left_behind(tmp_path, monkeypatch):
    seen = []
    start = Server.start

    def fail(server):
        start(server)
        seen.append(server.process.pid)
        raise RuntimeError("the server did not answer within 30 seconds")

    monkeypatch.setattr(Server, "start", fail)
    with pytest.raises(RuntimeError), serving(tmp_path):
        pass
    assert gone(seen[0])
