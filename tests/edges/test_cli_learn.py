"""Learning from the command line, from simulated records to a network that can be used."""

from __future__ import annotations

import json

import pytest

import hickam
from hickam.cli.main import hickam as command
from hickam.cli.main import run


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def called(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(lambda: command.main(args=list(words), standalone_mode=False))
        said = capsys.readouterr()
        return code, said.out, said.err

    return called


def simulate(call, *words: str, name: str = "records.csv") -> None:
    code, _, err = call("simulate", "smoker", "--records", "400", "--missing", "0.3",
                        "--out", name, *words)  # fmt: skip
    assert code == 0, err


def test_simulated_records_are_learnt_and_used(call):
    simulate(call)
    code, out, err = call("learn", "smoker", "records.csv", "--hold-out", "0.2", "--out", "n.yaml")
    assert code == 0, err
    assert "Held out" in out
    assert "95 % interval" in out
    assert "step 2: log posterior" in err
    learnt = hickam.load("n.yaml")
    assert learnt.hash != hickam.load("smoker").hash
    assert any("records.csv" in source for source in learnt.link_sources.values())
    code, out, _ = call("diagnose", "--network", "n.yaml", "--present", "chest pain")
    assert code == 0
    code, _, err = call("learn", "smoker", "records.csv", "--out", "n.yaml")
    assert code == 3
    assert "--force" in err


def test_work_that_was_stopped_goes_on_to_the_same_end(call):
    simulate(call)
    assert call("learn", "smoker", "records.csv", "--out", "whole.yaml")[0] == 0
    call("learn", "smoker", "records.csv", "--out", "part.yaml", "--work", "w", "--steps", "3")
    code, _, err = call("learn", "smoker", "records.csv", "--out", "rest.yaml", "--work", "w")
    assert code == 0
    assert "going on from step 3" in err
    assert hickam.load("rest.yaml").hash == hickam.load("whole.yaml").hash
    simulate(call, "--seed", "1", name="other.csv")
    code, _, err = call("learn", "smoker", "other.csv", "--out", "x.yaml", "--work", "w")
    assert code == 3
    assert "another learning" in err


def test_steps_spread_as_tasks_come_to_the_same(call, tmp_path):
    import numpy as np

    from hickam.learn.batch import batches
    from hickam.learn.numbers import numbers_of
    from hickam.learn.run import local
    from hickam.learn.simulate import simulate_records
    from hickam.learn.spread import spread_look
    from hickam.work.spread import one_by_one

    pytest.importorskip("pyarrow")
    numbers = numbers_of(hickam.load("smoker"))
    records = simulate_records(numbers, 200, np.random.default_rng(0), missing=0.3)
    parts = batches(numbers, records, size=50)
    here = local(numbers, parts, 1)(numbers.values)
    there = spread_look(numbers, parts, tmp_path, one_by_one)(numbers.values)
    np.testing.assert_allclose(there.acted, here.acted, rtol=1e-12)
    assert there.log_evidence == pytest.approx(here.log_evidence)
    assert not list(tmp_path.rglob("*.parquet"))


def test_bad_records_stop_unless_they_may_be_left_out(call, tmp_path):
    (tmp_path / "bad.csv").write_text("smoker,chest pain\n1,0\n7,1\n0,1\n")
    code, _, err = call("learn", "smoker", "bad.csv", "--out", "n.yaml")
    assert code == 3
    assert "bad.csv:3:" in err
    assert "1 records of 3 cannot be" in err
    assert not (tmp_path / "n.yaml").exists()
    code, out, err = call("learn", "smoker", "bad.csv", "--dry-run", "--exclude-impossible")
    assert code == 0
    assert out.startswith("2 records can be used")
    assert "left out" in err


def test_records_of_probability_zero_are_impossible(call, tmp_path):
    (tmp_path / "n.yaml").write_text(
        "hickam: 1\nname: n\ndiseases: [{id: a, leak: 0.1}]\n"
        "findings: [{id: s, leak: 0, causes: {a: 0.5}}]\n"
    )
    (tmp_path / "r.csv").write_text("a,s\n1,1\n0,1\n")
    code, _, err = call("learn", "n.yaml", "r.csv", "--dry-run")
    assert code == 3
    assert "r.csv:3:" in err
    assert "probability zero" in err


def test_criticism_is_said_in_words_and_json(call, tmp_path):
    simulate(call)
    code, out, _ = call("criticise", "smoker", "records.csv")
    assert code == 0
    assert "Missing links" in out
    code, out, _ = call("criticise", "smoker", "records.csv", "--json")
    found = json.loads(out)
    assert found["patients"] == 400
    assert found["tested_pairs"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("learn", "smoker", "nosuch.csv", "--out", "n.yaml"), "does not exist"),
        (("learn", "smoker", "records.csv"), "--out"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--trust", "x"), "estimate=10"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--trust", "x=3"), "not one of"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--dask"), "--work"),
        (("simulate", "smoker", "--out", "r.doc"), "ending '.doc'"),
    ],
)
def test_mistakes_are_said_in_one_line(call, words, said):
    simulate(call)
    code, _, err = call(*words)
    assert code == 3
    assert said in err
    assert "Traceback" not in err
