import small_hpo
from hickam.cli.main import hickam, run


def call(*arguments):
    return run(lambda: hickam.main(args=[*arguments], standalone_mode=False))


def test_a_network_is_built_asked_and_looked_into(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HICKAM_CACHE", str(tmp_path / "cache"))
    folder, file = str(small_hpo.write(tmp_path / "data")), str(tmp_path / "hpo.npz")
    assert call("hpo", "build", "--hpo", folder, "--out", file) == 0
    said = capsys.readouterr().out
    assert "4 diseases, 8 findings" in said
    assert "2  Orphanet entries read into an OMIM disease" in said
    assert call("diagnose", "--network", file, "--present", "HP:0000099", "Cataract") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Alpha syndrome" in said
    assert "version 2030-01-01" in said
    assert call("hpo", "term", "HP:0000099", "--hpo", folder) == 0
    said = capsys.readouterr().out
    assert "is today HP:0000021" in said
    assert "below: HP:0000022 Eye seizure" in said


def test_mistakes_end_in_a_message(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HICKAM_CACHE", str(tmp_path / "cache"))
    folder = str(small_hpo.write(tmp_path / "data"))
    assert call("hpo", "build", "--hpo", str(tmp_path / "none")) == 3
    assert call("hpo", "build", "--hpo", folder, "--out", str(tmp_path / "hpo.yaml")) == 3
    assert call("hpo", "term", "qqqq", "--hpo", folder) == 3
    assert "qqqq" in capsys.readouterr().err
    (tmp_path / "bad.npz").write_bytes(b"PK")
    assert call("diagnose", "--network", str(tmp_path / "bad.npz"), "-p", "x") == 3
