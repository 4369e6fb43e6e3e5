"""The nginx example of the documentation: encrypted, for whom it knows, and without a trace."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_connections import ASK, served

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
PAGE = Path(__file__).parents[2] / "docs" / "security.md"
HOST = "diagnosis.example"
PERSON = {"Authorization": "Basic " + base64.b64encode(b"ada:secret").decode()}
PROGRAM = {"Authorization": "Bearer 5c7d"}
CASE = json.dumps({"case": {"present": ["nausea"]}})
CERTIFICATE = (
    f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={HOST} "
    "-keyout key.pem -out certificate.pem"
)

pytestmark = pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None, reason="nginx or openssl is not installed"
)


@dataclass
class Proxy:
    port: int
    folder: Path

    def ask(
        self, method: str, path: str, body: str | bytes = b"", **headers: str
    ) -> tuple[int, str]:
        """Status and text of an answer."""
        trusted = ssl.create_default_context(cafile=str(self.folder / "certificate.pem"))
        trusted.check_hostname = False
        line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=trusted)
        try:
            line.request(method, path, body, {"Host": HOST, **headers})
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()

    def post(self, **headers: str) -> int:
        return self.ask("POST", ASK, CASE, **{"Content-Type": "application/json", **headers})[0]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The example with other folders and ports, before a service."""
    folder = tmp_path_factory.mktemp("nginx")
    (example,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (folder / "users").write_text("ada:{PLAIN}secret\n")
    (folder / "tokens").write_text('"Bearer 5c7d" 1;\n')
    subprocess.run(CERTIFICATE.split(), cwd=folder, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    limits = {"rate": 0.01, "burst": 30, "body_bytes": 200_000}
    with served(folder, hosts=(HOST,), proxies=("127.0.0.1",), **limits) as server:
        changed = example.replace("listen 443", f"listen 127.0.0.1:{port}")
        changed = changed.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        changed = re.sub(r"/etc/nginx/hickam|/var/log/nginx", str(folder), changed)
        places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{name}_temp_path {folder}/{name};\n" for name in places)
        user = "user root;" if os.geteuid() == 0 else ""  # else it could not read the folder
        (folder / "nginx.conf").write_text(
            f"{user}daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\n{temporary}{changed}}}\n"
        )
        command = [str(NGINX), "-p", str(folder), "-e", "errors", "-c", f"{folder}/nginx.conf"]
        process = subprocess.Popen(command)
        try:
            for _ in range(300):
                assert process.poll() is None, "nginx refuses the example"
                with socket.socket() as line:
                    if line.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield Proxy(port, folder)
        finally:
            process.terminate()
            process.wait(20)


def test_only_those_who_are_known_are_let_in(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/")[0] == 401
    assert proxy.ask("GET", "/", **PERSON)[0] == 200
    assert proxy.post() == 401
    assert proxy.post(Authorization="Bearer 5c7") == 401
    assert proxy.post(**PROGRAM) == 200
    assert proxy.ask("GET", "/metrics", **PERSON)[0] == 403


def test_another_name_is_misdirected(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/", **PERSON, Host="elsewhere.example")[0] == 421


def test_the_service_says_itself_what_is_too_large(proxy: Proxy) -> None:
    status, told = proxy.ask("POST", ASK, b" " * 300_000, **PROGRAM)
    assert status == 413
    assert json.loads(told)["detail"] == "send at most 200000 bytes"


def test_no_log_tells_the_case(proxy: Proxy) -> None:
    page = proxy.ask("GET", "/?n=smoker&p=nausea&age=61", **PERSON)
    assert "Nausea" in page[1]
    told = "".join(
        (proxy.folder / name).read_text() for name in ("hickam.log", "hickam-errors.log", "log")
    )
    assert " GET 200 " in told
    assert "nausea" not in told.lower()


def test_a_client_cannot_pass_for_others(proxy: Proxy) -> None:
    sent = [proxy.post(**PROGRAM, **{"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(40)]
    assert set(sent) == {200, 429}
