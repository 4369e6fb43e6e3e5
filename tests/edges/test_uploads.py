"""Uploads belong to whoever made them."""

from __future__ import annotations

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from web_app import OWN, application, client

from hickam.web.refusals import Refused
from hickam.web.uploads import Uploads


def bring(api: TestClient, name: str = "Tiny") -> Any:
    text = OWN.replace("Tiny", name)
    answer = api.post("/api/v1/networks", json={"file": "t.yaml", "text": text})
    assert answer.status_code == 201, answer.text
    return answer.json()


def shelf(folder: Path, **changes: Any) -> Uploads:
    rules = {"kept": 100, "each": 50, "each_bytes": 10**6, "days": 30.0, "allowed": True}
    return Uploads(folder, **{**rules, **changes})


def test_the_same_content_has_an_id_of_its_own_each_time(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        assert bring(api)["id"] != bring(api)["id"]


def test_uploads_are_listed_to_nobody(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        mine = bring(api)
        assert mine["id"] not in api.get("/api/v1/networks").text
        assert mine["key"] not in api.get(f"/api/v1/networks/{mine['id']}").text


def test_only_the_key_deletes(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        mine, other = bring(api), bring(api)
        address = f"/api/v1/networks/{mine['id']}"
        assert api.delete(address).status_code == 422
        assert api.delete(address, headers={"X-Network-Key": other["key"]}).status_code == 403
        assert api.get(address).status_code == 200
        assert api.delete(address, headers={"X-Network-Key": mine["key"]}).status_code == 204
        assert api.get(address).status_code == 404
        assert api.delete(address, headers={"X-Network-Key": mine["key"]}).status_code == 404
        smoker = api.delete("/api/v1/networks/smoker", headers={"X-Network-Key": "x"})
        assert smoker.status_code == 404


def test_a_deleted_upload_is_gone_from_every_process(tmp_path: Path) -> None:
    with client(tmp_path) as one, client(tmp_path) as other:
        mine = bring(one)
        address = f"/api/v1/networks/{mine['id']}"
        assert other.get(address).status_code == 200
        one.delete(address, headers={"X-Network-Key": mine["key"]})
        assert other.get(address).status_code == 404


def test_uploads_can_be_switched_off(tmp_path: Path) -> None:
    with client(tmp_path, uploads_allowed=False) as api:
        answer = api.post("/api/v1/networks", json={"file": "t.yaml", "text": OWN})
        assert answer.status_code == 403
        page = api.post("/network", files={"file": ("t.yaml", OWN)})
        assert page.status_code == 403


def test_a_flood_evicts_only_its_own(tmp_path: Path) -> None:
    uploads = shelf(tmp_path, each=3)
    mine, _ = uploads.keep(b"mine", ".yaml", "me")
    for n in range(50):
        uploads.keep(b"%d" % n, ".yaml", "them")
    assert uploads.find(mine) is not None
    assert len(list(tmp_path.glob("own-*.json"))) == 4


def test_the_bytes_of_one_client_are_bounded_too(tmp_path: Path) -> None:
    uploads = shelf(tmp_path, each_bytes=250)
    names = [uploads.keep(b"x" * 100, ".yaml", "me")[0] for _ in range(4)]
    assert [uploads.find(name) is not None for name in names] == [False, False, True, True]


def test_a_full_shelf_refuses_newcomers_until_something_is_old(tmp_path: Path) -> None:
    uploads = shelf(tmp_path, kept=2)
    old, _ = uploads.keep(b"a", ".yaml", "one")
    uploads.keep(b"b", ".yaml", "two")
    with pytest.raises(Refused) as refused:
        uploads.keep(b"c", ".yaml", "three")
    assert refused.value.status == 429
    month = time.time() - 31 * 86_400
    os.utime(tmp_path / f"{old}.json", (month, month))
    uploads.keep(b"c", ".yaml", "three")
    assert uploads.find(old) is None


def test_use_counts_as_use(tmp_path: Path) -> None:
    uploads = shelf(tmp_path, each=2)
    first, _ = uploads.keep(b"a", ".yaml", "me")
    second, _ = uploads.keep(b"b", ".yaml", "me")
    for age, name in ((900, first), (800, second)):
        then = time.time() - age
        os.utime(tmp_path / f"{name}.json", (then, then))
    assert uploads.find(first) is not None
    uploads.keep(b"c", ".yaml", "me")
    assert uploads.find(first) is not None
    assert uploads.find(second) is None


def test_a_file_that_was_changed_is_refused_by_old_and_new_processes_alike(tmp_path: Path) -> None:
    with client(tmp_path) as one:
        mine = bring(one)
        address = f"/api/v1/networks/{mine['id']}"
        assert one.get(address).json()["hash"] == mine["hash"]
        changed = OWN.replace("0.9", "0.8")
        (tmp_path / f"{mine['id']}.data").write_text(changed, encoding="utf-8")
        with client(tmp_path) as other:
            assert one.get(address).status_code == other.get(address).status_code == 404


def test_two_hundred_uploads_at_once_all_arrive(tmp_path: Path) -> None:
    uploads = shelf(tmp_path, each=20, kept=1000)
    gate = threading.Barrier(16)

    def many(n: int) -> list[str]:
        gate.wait()
        return [uploads.keep(b"%d" % n, ".yaml", f"client {n % 4}")[0] for _ in range(13)]

    with ThreadPoolExecutor(16) as pool:
        names = [name for found in pool.map(many, range(16)) for name in found]
    assert len(set(names)) == 208
    assert sum(uploads.find(name) is not None for name in names) == 80
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_full_disk_is_a_problem_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with client(tmp_path) as api:
        monkeypatch.setattr("hickam.web.uploads.os.replace", full)
        answer = api.post("/api/v1/networks", json={"file": "t.yaml", "text": OWN})
    assert answer.status_code == 503
    assert "No space left" in answer.json()["detail"]
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_folder_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder", encoding="utf-8")
    with client(place / "uploads") as api:
        answer = api.post("/api/v1/networks", json={"file": "t.yaml", "text": OWN})
        assert answer.status_code == 503
        assert api.get("/api/v1/networks/own-" + 32 * "0").status_code == 404


def test_what_was_never_finished_is_swept_away(tmp_path: Path) -> None:
    uploads = shelf(tmp_path)
    uploads.keep(b"a", ".yaml", "me")
    for name in (".abc.tmp", "own-" + 32 * "a" + ".data"):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (0, 0))
    kept, _ = uploads.keep(b"b", ".yaml", "me")
    assert uploads.find(kept) is not None
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("file", ["a.zip", "a", ".yaml/..", "a.yaml.exe", "a\x00.zip", "." * 90])
def test_odd_file_names_are_mistakes(tmp_path: Path, file: str) -> None:
    with client(tmp_path) as api:
        answer = api.post("/api/v1/networks", json={"file": file, "text": OWN})
    assert answer.status_code == 422


def test_two_networks_of_one_name_are_a_mistake_at_the_start(tmp_path: Path) -> None:
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "tiny.yaml")
        paths[-1].write_text(OWN, encoding="utf-8")
    with pytest.raises(Exception, match="two networks"):
        application(tmp_path, networks=tuple(map(str, paths)))


def test_what_is_kept_holds_no_address_and_no_key(tmp_path: Path) -> None:
    _, key = shelf(tmp_path).keep(b"a", ".yaml", "192.0.2.1")
    stored = json.dumps([path.read_text() for path in tmp_path.glob("own-*")])
    assert "192.0.2.1" not in stored
    assert key not in stored
