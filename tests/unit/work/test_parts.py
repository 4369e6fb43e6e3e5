"""Parts are whole, carry their checksum, and are done again when they are not what was written."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hickam.issues import InvalidInput
from hickam.work import parts, run
from hickam.work.folder import MANIFEST, alone, claim, finish
from hickam.work.task import Product, digest, fingerprint

pa = pytest.importorskip("pyarrow")


@dataclass(frozen=True)
class Square:
    """A task that squares a number and remembers that it did."""

    number: int
    log: list = field(default_factory=list, compare=False)

    @property
    def key(self):
        return digest("square", self.number)

    @property
    def name(self):
        return f"square-{self.number}"

    def do(self):
        self.log.append(self.number)
        return Product(pa.table({"square": [self.number**2]}), {"numbers": 1})


def tasks(log, count=4):
    return [Square(number, log) for number in range(count)]


def done_again(folder):
    """The numbers squared when everything is asked for once more."""
    log = []
    found = run.run(tasks(log), folder)
    assert [part.read()["square"].to_pylist() for part in found] == [[0], [1], [4], [9]]
    return log


def test_what_is_finished_is_not_done_again(tmp_path):
    log = []
    run.run(tasks(log), tmp_path)
    assert log == [0, 1, 2, 3]
    assert done_again(tmp_path) == []


def spoil_a_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("spoil", [spoil_a_byte, cut_short, Path.unlink])
def test_a_part_that_is_not_what_was_written_is_done_again(tmp_path, spoil):
    run.run(tasks([]), tmp_path)
    spoil(tmp_path / "square-2.parquet")
    assert done_again(tmp_path) == [2]


@pytest.mark.parametrize("spoil", [cut_short, Path.unlink, lambda path: path.write_text("{}")])
def test_a_part_whose_note_is_lost_or_damaged_is_done_again(tmp_path, spoil):
    run.run(tasks([]), tmp_path)
    spoil(tmp_path / parts.NOTES / "square-1.json")
    assert done_again(tmp_path) == [1]


def test_a_part_damaged_after_it_was_checked_is_not_read(tmp_path):
    found = run.run(tasks([]), tmp_path)
    spoil_a_byte(tmp_path / "square-3.parquet")
    with pytest.raises(InvalidInput, match="checksum"):
        found[3].read()


def test_parts_of_another_version_are_done_again(tmp_path, monkeypatch):
    run.run(tasks([]), tmp_path)
    for module in (parts, run):
        monkeypatch.setattr(module, "version", lambda: "99.0")
    assert done_again(tmp_path) == [0, 1, 2, 3]


def test_a_worker_of_another_version_refuses(tmp_path):
    errand = parts.Errand(Square(1), str(tmp_path), "0.0.1")
    with pytest.raises(InvalidInput, match=r"planned with 0\.0\.1"):
        parts.fulfil(errand)


def test_a_folder_that_cannot_be_written_is_an_issue_and_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written"):
        parts.write_whole(tmp_path / "file" / "x", b"x")
    target = tmp_path / "taken"
    target.mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        parts.write_whole(target, b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


def test_the_manifest_holds_counts_and_checksums_and_litter_is_gone(tmp_path):
    claim(tmp_path, "squares", 4, {"name": "mine"}, "square-*.parquet")
    (tmp_path / "square-1.parquet.dead.tmp").write_text("half")
    found = run.run(tasks([]), tmp_path)
    assert finish(tmp_path, found) == {"numbers": 4, "parts": 4}
    said = json.loads((tmp_path / MANIFEST).read_text())
    for part in found:
        path = Path(part.path)
        assert said["sha256"][path.name] == fingerprint(path)
    assert not list(tmp_path.glob("*.tmp"))


def test_a_folder_belongs_to_one_work(tmp_path):
    claim(tmp_path, "squares", 4, {"name": "mine"}, "square-*.parquet")
    claim(tmp_path, "squares", 4, {"name": "mine"}, "square-*.parquet")
    with pytest.raises(InvalidInput, match="another squares: mine"):
        claim(tmp_path, "squares", 5, {}, "square-*.parquet")
    with pytest.raises(InvalidInput, match="another cubes: mine"):
        claim(tmp_path, "cubes", 4, {}, "square-*.parquet")


def test_parts_without_a_manifest_are_not_taken_over(tmp_path):
    (tmp_path / "square-1.parquet").write_text("somebody's")
    with pytest.raises(InvalidInput, match="without a manifest"):
        claim(tmp_path, "squares", 4, {}, "square-*.parquet")


def test_an_edit_in_the_middle_of_a_large_file_changes_its_fingerprint(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(bytes(5_000_000))
    before = fingerprint(path)
    with path.open("r+b") as file:
        file.seek(2_500_000)
        file.write(b"x")
    assert path.stat().st_size == 5_000_000
    assert fingerprint(path) != before


@pytest.mark.parametrize("ended", ["returned", "raised"])
def test_a_folder_belongs_to_one_run_at_a_time(ended, tmp_path):
    def second():
        with alone(tmp_path / "deeper"):
            return "in"

    with suppress(KeyError), alone(tmp_path / "deeper"):
        with pytest.raises(InvalidInput, match="in use by another run"):
            second()
        if ended == "raised":
            raise KeyError
    assert second() == "in"
