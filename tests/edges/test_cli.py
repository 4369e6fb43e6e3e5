"""The command line, end to end in a process of its own where exit codes matter."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from hickam.cli.main import COMMANDS, hickam, run


def call(*args):
    """(exit code, output) of a command, in this process."""
    outcome = {}

    def invoke():
        result = CliRunner().invoke(hickam, args, standalone_mode=False)
        outcome["output"] = result.output
        if result.exception:
            raise result.exception
        return result.return_value

    code = run(invoke)
    return code, outcome["output"]


SMOKER = ("diagnose", "--network", "smoker", "--present", "chest pain", "nausea", "fatigue")


def test_diagnose_puts_angina_first_and_shows_both_rankings():
    code, output = call(*SMOKER, "--risk", "smoker", "--risk", "elderly", "--explain")
    assert code == 0
    ranked = [line for line in output.splitlines() if line.strip()[:2] in ("1 ", "2 ", "3 ")]
    assert "Angina" in ranked[0]
    assert "posterior (rank)" in output
    assert "goes away if cured" in output
    assert "explaining none of the findings: Emphysema" in output
    assert "not for clinical use" in output


def test_diagnose_json_holds_the_whole_answer():
    code, output = call(*SMOKER, "--json", "--measure", "sufficiency", "--top", "3")
    answer = json.loads(output)
    assert code == 0
    assert answer["measure"] == "sufficiency"
    assert len(answer["candidates"]) == 3


def test_a_case_file_and_options_add_up(tmp_path):
    case = tmp_path / "case.yaml"
    case.write_text("present: [chest pain]\nrisks: {smoker: true}\n", encoding="utf-8")
    code, output = call("diagnose", "-n", "smoker", "--case", str(case), "-p", "nausea", "--json")
    assert code == 0
    assert json.loads(output)["present"] == ["chest_pain", "nausea"]


def test_options_in_force_are_stated():
    code, output = call(*SMOKER, "--dial", "0.1", "--case-mix", "0.5", "--json")
    assert code == 0
    assert json.loads(output)["options"] == ["case mix β = 0.5", "Occam–Hickam dial γ = 0.1"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("diagnose", "-n", "smoker", "-p", "chst"), 3, "did you mean"),
        (("diagnose", "-n", "smokr"), 3, "did you mean 'smoker'"),
        (("diagnose", "-n", "smoker", "-r", "smoker=perhaps"), 3, "write yes, no or unknown"),
        (("diagnose", "-n", "smoker", "--likelihood", "angina=lots"), 3, "not a number"),
        (("diagnose", "-n", "smoker", "--case", "nowhere.yaml"), 3, "cannot be read"),
        (("diagnose", "--measure", "vibes"), 2, "vibes"),
        (("diagnoze",), 2, "did you mean 'diagnose'"),
        (("check", "nowhere.yaml"), 3, "neither an embedded network nor a file"),
        (("show", "-n", "smoker", "xyzzy"), 3, "nowhere in the network"),
        (("cure", "-n", "smoker", "-p", "nausea"), 2, "either --disease or --at-least"),
    ],
)
def test_a_mistake_ends_in_a_message_and_its_exit_code(args, code, message):
    done = subprocess.run(
        [sys.executable, "-m", "hickam", *args], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_impossible_evidence_has_its_own_exit_code(tmp_path):
    network = tmp_path / "n.yaml"
    network.write_text(
        "hickam: 1\ndiseases: [{id: d, leak: 0.1}]\n"
        "findings: [{id: f, causes: {d: 1.0}}, {id: g, causes: {d: 1.0}}]\n",
        encoding="utf-8",
    )
    code, _ = call("diagnose", "-n", str(network), "-p", "f", "-a", "g")
    assert code == 4


def test_words_that_are_not_understood_are_all_named_and_can_be_left_out(capsys):
    words = ("diagnose", "-p", "cough", "blue sky", "-r", "zork")
    code, _ = call(*words)
    said = capsys.readouterr().err
    assert code == 3
    assert "'blue sky'" in said
    assert "'zork'" in said
    assert "--lenient" in said
    code, output = call(*words, "--lenient")
    assert code == 0
    assert "finding 'blue sky' is left out" in output
    code, output = call("diagnose", "-p", "cough", "free gas under diaphragm on CXR", "--lenient")
    assert code == 0
    assert "is taken without “CXR”" in output


def test_check_prints_every_issue_and_fails(tmp_path):
    network = tmp_path / "n.yaml"
    network.write_text(
        "hickam: 1\ndiseases: [{id: d, leak: 2}]\nfindings: [{id: f, causes: {e: 0.5}}]\n",
        encoding="utf-8",
    )
    code, output = call("check", str(network))
    assert code == 3
    assert "leak is 2, outside [0, 1]" in output
    assert "cause 'e' is not in the network" in output
    assert "errors" in output


@pytest.mark.parametrize("name", ["clinic", "smoker", "confounding", "car"])
def test_every_embedded_network_passes_its_check_without_warnings(name):
    code, output = call("check", name, "--strict")
    assert code == 0, output
    assert "0 errors, 0 warnings" in output


def test_show_describes_a_disease_and_searches():
    assert "caused by" in call("show", "-n", "smoker", "emphysema")[1]
    assert "chest_pain" in call("show", "-n", "smoker", "chest")[1]
    assert "risk factors" in call("show", "-n", "smoker")[1]


def test_networks_and_version_answer():
    assert "clinic" in call("networks")[1]
    assert call("version")[1].startswith("hickam ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell):
    code, output = call("completion", shell)
    assert code == 0
    assert "_HICKAM_COMPLETE" in output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    code, output = call(command, "--help")
    assert code == 0
    assert "Usage:" in output


def test_cure_answers_in_words_and_json():
    args = ("cure", "-n", "smoker", "-p", "chest pain", "nausea")
    assert "would be expected to remove" in call(*args, "-d", "angina")[1]
    answer = json.loads(call(*args, "--at-least", "0.5", "--json")[1])
    assert answer["expected"] >= 0.5


def test_the_version_is_an_option_and_a_command():
    code, output = call("--version")
    assert (code, output.split()) == (0, ["hickam", version("hickam")])
    assert call("version")[1].startswith(output)


@pytest.mark.parametrize(
    "args", [("diagnose", "-p", "cough"), ("diagnose", "-p", "cough", "--json"), ("--help",)]
)
def test_a_reader_that_leaves_early_is_no_failure(args):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "hickam", *args],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_diagnosis_without_findings_says_so():
    assert "No finding is given" in call("diagnose", "-n", "smoker")[1]
    assert "No finding is present" in call("diagnose", "-n", "smoker", "-a", "nausea")[1]
    assert "No finding" not in call(*SMOKER)[1]


def test_a_factor_that_is_infinite_is_null_in_the_json(tmp_path):
    network = tmp_path / "n.yaml"
    network.write_text(
        "hickam: 1\nrisk_factors: [{id: r, prior: 0.5}]\n"
        "diseases: [{id: d, causes: {r: 0.5}}]\nfindings: [{id: f, leak: 0.1, causes: {d: 0.5}}]\n",
        encoding="utf-8",
    )
    _, output = call("diagnose", "-n", str(network), "-p", "f", "-r", "r", "--json")

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    answer = json.loads(output, parse_constant=refuse)
    assert answer["candidates"][0]["raised_by"] == {"r": None}
    assert (
        "odds certain" in call("diagnose", "-n", str(network), "-p", "f", "-r", "r", "--explain")[1]
    )


def interviewed(*args, answers):
    """The output of `hickam ask` with answers piped in, one a line."""
    result = CliRunner().invoke(hickam, ["ask", *args], input="\n".join(answers) + "\n")
    assert result.exit_code == 0, result.output
    return result.output


def test_an_interview_can_be_piped_and_ends_with_a_summary():
    output = interviewed("-n", "smoker", "-p", "chest pain", answers=["why", "n", "undo", "?", "n"])
    assert output.count("1. ") >= 3  # asked, explained and asked again, taken back and asked again
    assert " % now, " in output
    assert "Not known: " in output
    assert "No more answers." in output or "Nothing" in output or "No answer" in output


def test_an_interview_without_a_complaint_asks_for_it_and_says_what_is_misspelt():
    output = interviewed("-n", "smoker", answers=["chest pian", "chest pain", "stop"])
    assert "did you mean" in output
    assert "Stopped." in output


def test_an_answer_that_is_none_is_asked_again():
    output = interviewed("-n", "smoker", "-p", "chest pain", answers=["perhaps", "stop"])
    assert "is not understood" in output
    assert output.count("1. ") >= 2


def test_an_interview_as_json_is_only_json_on_the_output():
    args = ["ask", "-n", "clinic", "-p", "chest pain", "--age", "60", "--sex", "male", "--json"]
    result = CliRunner().invoke(hickam, args, input="?\nstop\n")
    answer = json.loads(result.stdout)
    assert [turn["answer"] for turn in answer["turns"]] == ["?"]
    assert answer["triage"]["level"] in ("emergency", "urgent", "routine", "self-care")


def test_diagnose_states_red_flags_and_triage_where_the_network_has_urgencies():
    code, output = call("diagnose", "-p", "chest pain", "sweating", "--age", "60")
    assert code == 0
    assert "Red flags: " in output
    assert "Heart attack (emergency)" in output
    assert "Triage: emergency" in output
    assert "Triage" not in call("diagnose", "-n", "confounding", "-p", "symptom_a")[1]
