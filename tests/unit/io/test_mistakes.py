"""What newcomers get wrong with files of other programs: every message names item and way out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from foreign_texts import BIF, NET, PGMX, XDSL, XMLBIF
from hickam.cli.main import hickam as command
from hickam.issues import InvalidInput

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><BIF>&b;</BIF>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF>&a;</BIF>'


def refused(*words: str) -> str:
    done = CliRunner().invoke(command, list(words))
    assert isinstance(done.exception, InvalidInput), done.output
    return str(done.exception)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.bif", "hello world", "b.bif:1: the file has 'hello' where a block should begin"),
        ("c.bif", BIF[:300], "c.bif:6: variable 'smok' is not declared; did you mean 'smoke'?"),
        ("d.bif", BIF.replace("0.1, 0.9", "0.1, 0.8"), "row 1 (smoke = yes) sums to 0.9"),
        ("e.bif", BIF.replace("0.3, 0.7", "0,3, 0,7"), "write 0.3, not 0,3"),
        ("f.bif.gz", gzip.compress(BIF.encode(), mtime=0)[:80], "is it complete?"),
        ("g.bif.gz", BIF, "take '.gz' off its name"),
        ("h.bif", XMLBIF, "it is XML: end its name in .xmlbif"),
        ("i.xml", BOMB, "i.xml:1: the file declares the entity 'a'"),
        ("j.xml", OUTSIDE, "j.xml:1: the file declares the entity 'a'"),
        ("k.uai", "BAYES\n1\n1000000000\n1\n1 0\n", "k.uai:3: the file has 1,000,000,000"),
        ("l.uai", "BAYES\n100000\n2 2 2", "the file ends too early"),
        ("m.uai", "BAYES\n1\n0\n1\n1 0\n0\n", "variable 'X0' has no states"),
        ("n.bif", BIF.encode("utf-16"), "is UTF-16 text, not UTF-8"),
        ("o.bif", BIF.replace("lung", "grö").encode("latin-1"), "not UTF-8 text (line 3)"),
        ("p.net", NET.replace("lung smoke)", "lung smok)"), "did you mean 'smoke'?"),
        ("q.pgmx", PGMX.replace("BayesianNetwork", "InfluenceDiagram"), "not BayesianNetwork"),
        ("r.xdsl", XDSL.replace("0.01 0.99", "0.01"), "node 'lung' has 3 numbers where 4"),
        ("s.bif", "", "the file has no variables"),
        ("t.xml", "<a>" * 60, "nested more than 50 levels"),
        ("u.bif", BIF.replace("[ 2 ]", "[ 1000000000 ]"), "announces 1e+09 states and lists 2"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    name: str, content: str | bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert said in refused("upgrade", str(path))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.yaml", "lung: diseas\nsiz: finding\n", "did you mean 'disease'?"),
        ("r.yaml", "lung: diseas\nsiz: finding\n", "did you mean 'size'?"),
        ("r.yaml", "size: {role: finding, normal: non}\n", "did you mean 'none'?"),
        ("r.yaml", "- lung\n", "write 'NODE: disease' lines"),
        ("r.yaml", "lung:\n  rolle: disease\n", "a node has 'role' and 'normal'"),
        ("r.yaml", "size: ignored\n", "has no finding"),
        ("r.csv", "name;role\nlung;disease\n", "but name;role; name them in the first line"),
    ],
)
def test_a_wrong_roles_file_is_refused_with_the_nearest(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.bif").write_text(BIF)
    (tmp_path / name).write_text(content)
    words = ("upgrade", str(tmp_path / "a.bif"), "--roles", str(tmp_path / name))
    assert said in refused(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--disease", "lungs"), "did you mean 'lung'?"),
        (("--disease", "size", "--finding", "size"), "as disease and as finding"),
        (("--roles", "{folder}/role.yaml"), "did you mean '{folder}/roles.yaml'?"),
        (("--out", "{folder}/report.txt"), "use .htm, .html"),
    ],
)
def test_a_wrong_option_is_refused_with_the_nearest(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.bif").write_text(BIF)
    (tmp_path / "roles.yaml").write_text("lung: disease\n")
    filled = [word.format(folder=tmp_path) for word in words]
    assert said.format(folder=tmp_path) in refused("upgrade", str(tmp_path / "a.bif"), *filled)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bif", "roles.yaml"]


def test_a_misspelt_file_is_answered_with_the_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "asia.bif").write_text(BIF)
    said = refused("upgrade", str(tmp_path / "asia.biff"))
    assert f"did you mean '{tmp_path / 'asia.bif'}'?" in said
