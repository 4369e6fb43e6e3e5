"""Networks kept ready-made: the same as read, never stale, never trusted without reason."""

import os
import pickle
import stat
from dataclasses import fields

import numpy as np
import pytest

import hickam
from hickam import keep
from hickam.io import kept as room
from hickam.io.kept import Hashed, kept
from hickam.io.load import read_network
from hickam.keep import cache_folder, find, is_private

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def files():
    return list(cache_folder().iterdir())


def never():
    raise AssertionError("it was read again")


@pytest.fixture
def smoker():
    return kept("smoker", lambda: read_network("smoker")[0])


def test_a_kept_network_is_the_one_that_was_read(smoker):
    again = kept("smoker", never)
    assert again is not smoker
    assert {**vars(again)}.keys() >= {"hash"}
    del again.__dict__["hash"]
    assert again.hash == smoker.hash == read_network("smoker")[0].hash
    assert again.entries == smoker.entries
    assert again.categories == smoker.categories


def test_the_arrays_of_a_kept_network_are_read_only(smoker):
    again = kept("smoker", never)
    for part in (again, again.causes, again.effects):
        values = [getattr(part, field.name) for field in fields(part)]
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        assert arrays
        assert not any(array.flags.writeable for array in arrays)


def test_other_text_is_read_anew(smoker):
    car = read_network("car")[0]
    assert kept("smoker\n", lambda: car) is car
    assert kept("smoker", never).hash == smoker.hash


def test_other_code_reads_anew(smoker, monkeypatch):
    monkeypatch.setattr(room, "code_of", lambda *rooms: "a later version")
    car = read_network("car")[0]
    assert kept("smoker", lambda: car) is car


@pytest.mark.parametrize("harm", [lambda data: data[:-1], lambda data: b"x" + data, lambda _: b""])
def test_a_damaged_file_is_not_used(smoker, harm):
    (file,) = files()
    file.write_bytes(harm(file.read_bytes()))
    assert kept("smoker", lambda: smoker) is smoker
    assert kept("smoker", never).hash == smoker.hash


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_file_that_others_can_write_is_never_opened(smoker, mode):
    (file,) = files()
    file.write_bytes(b"")
    file.chmod(mode)
    assert find(file, Hashed) is None
    assert kept("smoker", lambda: smoker) is smoker


def test_a_folder_that_others_can_write_is_not_trusted(smoker):
    cache_folder().chmod(0o777)
    assert kept("smoker", lambda: smoker) is smoker


def test_a_folder_below_one_that_others_can_write_is_not_trusted(smoker, tmp_path):
    cache_folder().parent.chmod(0o777)
    assert kept("smoker", lambda: smoker) is smoker
    cache_folder().parent.chmod(0o1777)  # like /tmp: nobody takes another user's names away
    assert kept("smoker", never).hash == smoker.hash


def test_a_link_in_place_of_the_folder_or_file_is_not_followed(smoker, tmp_path):
    (file,) = files()
    elsewhere = file.rename(tmp_path / "elsewhere")
    file.symlink_to(elsewhere)
    assert find(file, Hashed) is None
    linked = tmp_path / "linked"
    linked.symlink_to(cache_folder())
    assert is_private(cache_folder())
    assert not is_private(linked)


def test_a_file_that_would_run_code_when_unpickled_runs_nothing(smoker, tmp_path):
    class Runs:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    (file,) = files()
    content = pickle.dumps(Runs())
    file.write_bytes(keep.blake2b(content, digest_size=keep.DIGEST).digest() + content)
    assert kept("smoker", lambda: smoker) is smoker
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["clinic", "car", "smoker"])
def test_every_part_of_a_network_is_kept(name):
    made = read_network(name)[0]
    kept(name, lambda: made)
    again = kept(name, never)
    for field in fields(made):
        value, read = getattr(made, field.name), getattr(again, field.name)
        if isinstance(value, np.ndarray):
            assert value.dtype == read.dtype
            assert (value == read).all()
        elif field.name not in ("causes", "effects"):
            assert type(value) is type(read)
            assert value == read
    for one, other in ((made.causes, again.causes), (made.effects, again.effects)):
        assert all((getattr(one, f.name) == getattr(other, f.name)).all() for f in fields(one))


def test_the_folder_is_the_users_alone(smoker):
    assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700


def test_a_cache_that_cannot_be_written_is_no_problem(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert hickam.load("smoker").name == "Elderly smoker"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert hickam.load("smoker").name == "Elderly smoker"


def test_only_the_latest_networks_are_kept():
    smoker = read_network("smoker")[0]
    for number in range(keep.KEPT + 3):
        kept(f"text {number}", lambda: smoker)
    assert len(files()) == keep.KEPT
    assert kept(f"text {keep.KEPT + 2}", never).hash == smoker.hash
