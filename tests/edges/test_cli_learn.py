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


def test_the_same_records_do_not_teach_a_network_twice(call, tmp_path):
    simulate(call)
    assert call("learn", "smoker", "records.csv", "--out", "n.yaml")[0] == 0
    (tmp_path / "other.csv").write_bytes((tmp_path / "records.csv").read_bytes())
    for more in ((), ("--ignore", "fatigue")):
        code, _, err = call("learn", "n.yaml", "other.csv", "--out", "m.yaml", *more)
        assert code == 3
        assert "records 'other.csv' have taught this network already" in err
    assert call("criticise", "n.yaml", "records.csv")[0] == 0
    simulate(call, "--seed", "1", name="next.csv")
    assert call("learn", "n.yaml", "next.csv", "--out", "m.yaml")[0] == 0
    document = (tmp_path / "m.yaml").read_text()
    assert "records.csv (400 patients," in document
    assert "next.csv (400 patients," in document


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


NETWORK = """hickam: 1
name: n
risk_factors: [{id: r, prior: 0.3}]
diseases: [{id: d1, leak: 0.1, causes: {r: 0.3}}]
findings: [{id: f1, leak: 0.05, causes: {d1: 0.6}}]
"""


@pytest.mark.parametrize(
    ("text", "share", "said"),
    [
        ("r,d1\n1,1\n", "0.99", "of 1 record leaves none to learn from; learn without"),
        ("r,d1\n1,1\n", "0.01", "of 1 record leaves none to judge by; learn without"),
        ("r,d1\n1,1\n0,1\n0,0\n1,0\n", "0.9999", "of 4 records leaves none to learn"),
    ],
)  # fmt: skip
def test_neither_part_of_the_records_may_be_empty(call, tmp_path, text, share, said):
    (tmp_path / "n.yaml").write_text(NETWORK)
    (tmp_path / "r.csv").write_text(text)
    code, _, err = call("learn", "n.yaml", "r.csv", "--hold-out", share, "--out", "x.yaml")
    assert code == 3
    assert said in err
    assert not (tmp_path / "x.yaml").exists()


@pytest.mark.parametrize("text", ["r,d1\n1,\n0,\n", "sex,f1\nf,\nm,\n", "id,f1\n1,\n2,\n3,\n"])
def test_held_out_records_may_hold_nothing_to_predict(call, tmp_path, text):
    (tmp_path / "n.yaml").write_text(NETWORK)
    (tmp_path / "r.csv").write_text(text)
    words = ("learn", "n.yaml", "r.csv", "--hold-out", "0.5")
    code, out, err = call(*words, "--out", "x.yaml")
    assert code == 0, err
    assert "no finding that can be hidden and predicted" in out
    code, out, _ = call(*words, "--json")
    judged = json.loads(out)["held_out"]
    assert (judged["predicted"], judged["after"]["brier"], judged["after"]["bins"]) == (
        "",
        None,
        [],
    )
    assert call("criticise", "n.yaml", "r.csv")[0] == 0


def test_records_that_are_all_left_out_leave_nothing(call, tmp_path):
    (tmp_path / "n.yaml").write_text(NETWORK.replace("leak: 0.05", "leak: 0"))
    (tmp_path / "r.csv").write_text("d1,f1\n0,1\n")
    for word in ("learn", "criticise"):
        code, _, err = call(word, "n.yaml", "r.csv", "--exclude-impossible")
        assert code == 3
        assert "no record that can be used" in err


def test_empty_cells_of_columns_that_never_say_no_must_be_spoken_of(call, tmp_path):
    simulate(call, "--missing", "0")
    rows = (tmp_path / "records.csv").read_text().splitlines()
    at = rows[0].split(",").index("fatigue")
    cells = [row.split(",") for row in rows]
    for row in cells[1:]:
        row[at:] = ["" if cell == "0" else cell for cell in row[at:]]
    (tmp_path / "r.csv").write_text("\n".join(map(",".join, cells)))
    for word in ("learn", "criticise"):
        code, _, err = call(word, "smoker", "r.csv")
        assert code == 3
        assert "column 'fatigue' says yes in" in err
        assert "--unmentioned absent" in err
    words = ("learn", "smoker", "r.csv", "--unmentioned", "fatigue=absent")
    code, _, err = call(*words, "--dry-run")
    assert code == 3
    assert "'fatigue'" not in err
    words = ("learn", "smoker", "r.csv", "--unmentioned", "unknown", "--out", "n.yaml")
    code, out, err = call(*words, "--hold-out", "0.3")
    assert code == 0
    assert "warning: column 'fatigue' never says no" in err
    assert "Not judged" in out  # two of the five columns of findings say both
    words = ("learn", "smoker", "r.csv", "--unmentioned", "absent:0.9", "--json")
    code, out, _ = call(*words, "--hold-out", "records.csv")
    found = json.loads(out)
    assert found["held_out"]["patients"] == 400
    assert {(one["column"], one["word"], one["share"]) for one in found["written_down"]} >= {
        ("fatigue", "yes", 0.9),
        ("fatigue", "no", 0.0),
    }
    code, _, err = call(*words, "--hold-out", "nosuch.csv")
    assert code == 3
    assert "neither a share nor a file" in err


def damage(path, how: str) -> None:
    import numpy as np

    whole = path.read_bytes()
    if how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif how == "one array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        with np.load(path) as kept:
            arrays = dict(kept)
        if how == "no values":
            del arrays["values"]
        elif how == "too few":
            arrays["values"] = arrays["values"][:-1]
        elif how == "not finite":
            arrays["values"] = arrays["values"] * np.nan
        elif how == "no steps":
            arrays["history"] = np.zeros(0)
        np.savez(path, **arrays)


@pytest.mark.parametrize(
    "how", ["empty", "cut", "one array", "no values", "too few", "not finite", "no steps"]
)
def test_a_damaged_state_is_named(call, tmp_path, how):
    simulate(call)
    words = ("learn", "smoker", "records.csv", "--out", "x.yaml", "--work", "w")
    call(*words, "--steps", "3")
    (tmp_path / "x.yaml").unlink()
    damage(tmp_path / "w" / "state.npz", how)
    code, _, err = call(*words)
    assert code == 3
    assert "state.npz' is damaged" in err
    assert "remove it" in err
    (tmp_path / "w" / "state.npz").unlink()
    assert call(*words)[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("learn", "smoker", "nosuch.csv", "--out", "n.yaml"), "does not exist"),
        (("learn", "smoker", "records.csv"), "--out"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--trust", "x"), "estimate=10"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--trust", "x=3"), "not one of"),
        (("learn", "smoker", "records.csv", "--out", "n.yaml", "--dask"), "--work"),
        (("simulate", "smoker", "--out", "r.doc"), "'r.doc' has an unknown ending"),
    ],
)
def test_mistakes_are_said_in_one_line(call, words, said):
    simulate(call)
    code, _, err = call(*words)
    assert code == 3
    assert said in err
    assert "Traceback" not in err
