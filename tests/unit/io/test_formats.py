"""A file format is one record, and everything else follows from it."""

import json
from pathlib import Path

import pytest

import hickam
from hickam.cli.main import main
from hickam.io import formats
from hickam.io.form import Format
from hickam.io.network_text import read_text
from hickam.io.save import save


def run(capsys, *args):
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    said = capsys.readouterr()
    return ended.value.code or 0, said.out + said.err


def _read(path, warnings):
    return read_text(path.read_text()[::-1], "x.json", warnings=warnings)


def _write(model, path):
    other = path.with_suffix(".json")
    save(model, other)
    path.write_text(other.read_text()[::-1])


@pytest.fixture
def reversed_json(monkeypatch):
    monkeypatch.setattr(formats, "FORMATS", list(formats.FORMATS))
    formats.register(Format("reversed", (".rev",), "JSON from right to left", _read, _write))


@pytest.mark.usefixtures("reversed_json")
def test_a_registered_format_can_be_loaded_saved_converted_and_uploaded(tmp_path, capsys):
    smoker = hickam.load("smoker")
    save(smoker, tmp_path / "a.rev")
    assert (tmp_path / "a.rev").read_text().startswith("}")
    assert hickam.load(tmp_path / "a.rev").hash == smoker.hash
    code, said = run(capsys, "convert", "smoker", str(tmp_path / "b.rev"))
    assert (code, said) == (0, f"wrote {tmp_path}/b.rev, JSON from right to left\n")
    code, _ = run(capsys, "convert", str(tmp_path / "b.rev"), str(tmp_path / "c.yaml"))
    assert code == 0
    assert hickam.load(tmp_path / "c.yaml").hash == smoker.hash
    assert ".rev" in formats.upload_suffixes()
    assert formats.upload_suffix("mine.REV") == ".rev"


@pytest.mark.usefixtures("reversed_json")
def test_a_registered_format_is_named_where_others_are_refused(tmp_path):
    (tmp_path / "a.doc").write_text("x")
    for call in (
        lambda: hickam.load(tmp_path / "a.doc"),
        lambda: save(hickam.load("smoker"), tmp_path / "a.doc"),
        lambda: formats.upload_suffix("a.doc"),
    ):
        with pytest.raises(hickam.InvalidInput, match=r"has the ending '\.doc'; use .*\.rev"):
            call()


@pytest.mark.usefixtures("reversed_json")
def test_a_registered_format_is_in_the_help_of_the_command_line():
    from hickam.cli import convert

    assert ".rev" in convert._help()


def test_a_format_is_not_known_before_it_is_registered(tmp_path):
    (tmp_path / "a.rev").write_text("x")
    with pytest.raises(
        hickam.InvalidInput, match=r"use \.yaml, \.yml, \.json, .*\.xlsx or a folder of CSV"
    ):
        hickam.load(tmp_path / "a.rev")


@pytest.mark.parametrize(
    "file", ["x", "x.", ".yaml", "x.ya\0ml", "x." + "y" * 5000, "../x.docx", "", ".", "..", "a/b"]
)
def test_an_odd_file_name_is_refused_as_an_upload_with_the_known_endings(file):
    with pytest.raises(hickam.InvalidInput, match=r"use \.yaml, \.yml, \.json, .* or \.xlsx$"):
        formats.upload_suffix(file)


@pytest.mark.parametrize("name", ["x" * 5000, "x\0.yaml", "", "/dev/null", "nowhere.yaml/x.yaml"])
def test_an_odd_name_of_a_network_is_refused(name):
    with pytest.raises(hickam.InvalidInput):
        hickam.load(name)


def test_converting_does_not_overwrite_unless_told(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    code, said = run(capsys, "convert", "smoker", str(path))
    assert code == 3
    assert "is there already; give --force" in said
    assert path.read_text() == "precious"
    assert run(capsys, "convert", "smoker", str(path), "--force")[0] == 0
    assert hickam.load(path).name == "Elderly smoker"


def test_converting_to_sheets_spares_other_files_and_leaves_no_stale_sheet(tmp_path, capsys):
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert run(capsys, "convert", "clinic", str(folder))[0] == 0
    assert (folder / "prevalence.csv").exists()
    code, said = run(capsys, "convert", "smoker", str(folder))
    assert code == 3
    assert "is there already" in said
    assert run(capsys, "convert", "smoker", str(folder), "--force")[0] == 0
    assert not (folder / "prevalence.csv").exists()
    assert (folder / "notes.txt").read_text() == "mine"
    assert hickam.load(folder).hash == hickam.load("smoker").hash


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    smoker = hickam.load("smoker")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file").write_text("x")
    for place in ("missing/x.yaml", "file/x.json", "file/sheets"):
        with pytest.raises(hickam.InvalidInput):
            save(smoker, tmp_path / place)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder.json"]


def test_a_saved_json_file_holds_only_what_json_has(tmp_path):
    save(hickam.load("clinic"), tmp_path / "n.json")

    def refuse(word):
        raise AssertionError(word)

    json.loads((tmp_path / "n.json").read_text(), parse_constant=refuse)


def test_the_documentation_lists_every_format():
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for form in formats.FORMATS:
        row = next(line for line in rows if line.startswith(f"| {form.name} |"))
        assert all(f"`{suffix}`" in row for suffix in form.suffixes)
        assert ("yes" in row.split("|")[3]) == bool(form.read)
        assert ("yes" in row.split("|")[4]) == bool(form.write)
