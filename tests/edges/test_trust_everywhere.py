"""Sensitivity, robustness and pooled experts: on the command line, over HTTP and on the page."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from web_app import client

import hickam
from hickam.cli.main import hickam as command
from hickam.issues import InvalidInput
from hickam.report.portrait import portrait
from hickam.report.sensitivity import sensitivity_text
from hickam.report.terminal import Terminal

SMOKER = ["-n", "smoker", "-p", "chest pain", "nausea", "-r", "smoker"]
EXPERTS = Path(__file__).parents[2] / "examples" / "experts.csv"
CASE = {"present": ["chest pain", "nausea"], "risks": {"smoker": True}}


def run(*args: str) -> str:
    """What a command prints; it must end well."""
    done = CliRunner().invoke(command, args)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_says_what_the_library_finds(tmp_path: Path) -> None:
    picture = tmp_path / "tornado.svg"
    text = run("sensitivity", *SMOKER, "--out", str(picture))
    plain = json.loads(run("sensitivity", *SMOKER, "--json"))
    found = hickam.sensitivity(hickam.load("smoker"), hickam.Case(**CASE))
    assert plain["candidate"] == found.candidate == found.leader
    assert [e["slope"] for e in plain["effects"]] == [e.slope for e in found.effects]
    first = found.effects[0].number.in_words(found.network)
    assert first in text
    drawn = "".join(ElementTree.parse(picture).getroot().itertext())
    assert first in drawn


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_picture_in_the_terminal_is_no_wider_than_it(width: int) -> None:
    found = hickam.sensitivity(hickam.load("smoker"), hickam.Case(**CASE))
    lines = sensitivity_text(found, 10, Terminal(width)).splitlines()
    assert max(map(len, lines)) <= max(width, 56)


def test_robustness_is_a_statement_below_the_differential() -> None:
    args = ["diagnose", *SMOKER, "--robust", "--draws", "12", "--seed", "4"]
    text = run(*args)
    plain = json.loads(run(*args, "--json"))["robustness"]
    again = json.loads(run(*args, "--json"))["robustness"]
    assert plain == again
    assert plain["draws"] == 12
    assert f"stays first in {plain['first_stays']} of 12 draws" in text
    assert plain["first_stays"] == plain["candidates"][0]["first"]
    assert sum(plain["firsts"].values()) == 12
    wider = json.loads(run(*args, "--json", "--factor", "20"))["robustness"]
    low, high = (r["candidates"][0]["score_quantiles"] for r in (plain, wider))
    assert high["95%"] - high["5%"] > low["95%"] - low["5%"]


def test_the_report_of_a_case_holds_the_statement(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    run("diagnose", *SMOKER, "--robust", "--draws", "8", "--out", str(out))
    assert "of 8 draws" in out.read_text(encoding="utf-8")
    run("diagnose", *SMOKER, "--out", str(out))
    assert "draws" not in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [{}, {"dial": 0.1}, {"cruelty": True, "treatment": True}, {"measure": "single_fault"}],
)
def test_robustness_is_about_the_differential_that_was_asked_for(options) -> None:
    network, case = hickam.load("clinic"), hickam.Case(present=["cough", "fever"], age=30)
    stands = hickam.robust(network, case, draws=2, **options)
    dx = hickam.diagnose(network, case, top=10, **options)
    assert [one.disease for one in stands.standings] == [c.disease for c in dx]
    assert [one.score for one in stands.standings] == pytest.approx([c.score for c in dx])


def test_where_nothing_is_explained_no_first_place_is_vouched_for() -> None:
    with pytest.raises(InvalidInput, match="no first place"):
        hickam.robust(hickam.load("smoker"), hickam.Case(), draws=2)


def test_cited_numbers_are_held() -> None:
    document = {
        "hickam": 1,
        "name": "cited",
        "source": "estimate",
        "diseases": [{"id": "a", "leak": {"probability": 0.1, "source": "Smith 2020"}}],
        "findings": [
            {"id": "s", "leak": {"probability": 0.1, "source": "Smith 2020"},
             "causes": {"a": {"probability": 0.5, "source": "Smith 2020"}}},
        ],
    }  # fmt: skip
    stands = hickam.robust(hickam.from_dict(document), hickam.Case(present=["s"]), draws=5)
    assert (stands.drawn, stands.held) == (0, 3)
    low, _, high = stands.leader.scores
    assert low == high == stands.leader.score


def test_a_pooled_network_can_be_read_again(tmp_path: Path) -> None:
    out = tmp_path / "pooled.yaml"
    text = run("pool", "smoker", str(EXPERTS), "--out", str(out), "--add")
    assert "Worth discussing first" in text
    network = hickam.load(out)
    assert isinstance(network, hickam.Network)
    assert len(network.effects) == len(hickam.load("smoker").effects) + 1  # type: ignore[union-attr]
    assert "Ann" in network.link_sources["angina", "chest_pain"]
    refused = CliRunner().invoke(command, ["pool", "smoker", str(EXPERTS), "--out", str(out)])
    assert refused.exit_code != 0


def test_the_histograms_of_a_network_count_everything_once() -> None:
    network = hickam.load("clinic")
    assert isinstance(network, hickam.Network)
    counted = {one.what: sum(one.counts) + one.zeros for one in portrait(network)}
    assert counted["findings of a disease"] == len(network.diseases)
    assert counted["leak of a finding"] == len(network.findings)
    assert counted["strength, disease to finding"] == len(network.effects)
    text = run("check", "clinic")
    assert all(one.what in text for one in portrait(network))


def test_over_http(tmp_path: Path) -> None:
    web = client(tmp_path)
    at = "/api/v1/networks/smoker"
    answer = web.post(f"{at}/sensitivity", json={"case": CASE, "top": 3}).json()
    found = hickam.sensitivity(hickam.load("smoker"), hickam.Case(**CASE))
    assert answer["candidate"] == found.candidate
    assert len(answer["effects"]) == 3
    assert answer["effects"][0]["slope"] == pytest.approx(found.effects[0].slope)
    stands = web.post(f"{at}/robust", json={"case": CASE, "draws": 10}).json()
    assert stands["draws"] == 10
    assert stands["statement"]
    wrong = web.post(f"{at}/sensitivity", json={"case": CASE, "candidate": "angna"})
    assert wrong.status_code == 422
    assert "Angina" in wrong.text
    assert web.post(f"{at}/robust", json={"case": CASE, "factor": 1.0}).status_code == 422


def test_on_the_page(tmp_path: Path) -> None:
    web = client(tmp_path)
    case = "n=smoker&p=chest_pain&p=nausea&y=smoker"
    assert "How sure is this order?" in web.get(f"/?{case}").text
    page = web.get(f"/trust?{case}").text
    assert "stays first in" in page
    assert 'data-load="/trust/numbers' in page
    assert "hangs on" in web.get(f"/trust/numbers?{case}&f=4&of=reflux").text
    assert 'class="half left"' in web.get(f"/trust?{case}&numbers=1").text
    assert web.get("/trust?n=smoker").status_code == 200
    assert "disablement" in web.get(f"/trust?{case}&m=single_fault").text
