"""No text can exhaust the parsers: depth, size, aliases and digits are bounded first."""

import json
import random
import re
import subprocess
import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.io import bounds, text
from hickam.io.bounds import DEEPEST, is_shallow
from hickam.io.case_file import read_case
from hickam.io.load import read_network
from hickam.io.network_text import read_text
from hickam.model.embedded import NAMES, embedded_text

N = 30_000
DEEP = {
    "brackets": "[" * N,
    "closed brackets": "[" * N + "]" * N,
    "braces": "{a: " * N + "}" * N,
    "brackets on lines": "\n".join(["["] * N),
    "dashes": "- " * N + "a",
    "dashes with tabs": "-\t" * N + "a",
    "question marks": "? " * N + "a",
    "mixed": "- ? " * N + "a",
    "indentation": "\n".join(" " * i + "a:" for i in range(2000)),
    "closers in comments": "\n".join(["[ a, # ]"] * N),
    "closers in texts": "\n".join(['[ a, "]",'] * N),
    "closers in texts over lines": "\n".join(["[it's, 'a', ']", "', b"] * N),
    "closers in tags": "\n".join(["[ !<]> a,"] * N),
    "another line break": "# a\x85" + "[" * N,
    "after an anchor": "a: &x 1\nb: " + "[" * N,
    "json": '{"a":' * N + "1" + "}" * N,
    "json lists": "[" * N + "]" * N,
}


@pytest.mark.parametrize("file", ["x.yaml", "x.json"])
@pytest.mark.parametrize("kind", DEEP)
def test_deeply_nested_text_is_refused(kind, file):
    network, issues = read_text(DEEP[kind], file)
    assert network is None
    assert len(issues) == 1


@pytest.mark.parametrize("kind", ["dashes", "braces", "question marks", "closers in comments"])
def test_the_depth_that_is_allowed_is_named(kind, tmp_path):
    path = tmp_path / "deep.yaml"
    path.write_text(DEEP[kind])
    with pytest.raises(hickam.InvalidInput, match=f"nested more than {DEEPEST} levels deep"):
        hickam.load(path)
    with pytest.raises(hickam.InvalidInput, match=f"nested more than {DEEPEST} levels deep"):
        read_case(path)


@pytest.mark.parametrize("name", NAMES)
def test_the_embedded_networks_need_no_second_look(name):
    assert is_shallow(embedded_text(name))


def depth_of(source):
    depth = deepest = 0
    for event in yaml.parse(source, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        deepest = max(deepest, depth)
    return deepest


PIECES = (
    *("[", "]", "{", "}", ",", ": ", ":", "- ", "? ", "'", '"', "#", " #", "\n", "\n  ", " "),
    *("a", "it's", "''", '\\"', "!", "&a ", "*a", "|", ">", "%", "\r", "\t", "\x85", "'x'", '"y"'),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_text_whose_lines_look_shallow_keeps_no_bracket_open(pieces):
    """A line after it cannot be inside brackets: whatever looks shallow is so when repeated."""
    source = "".join(pieces)
    if not is_shallow(source):
        return
    repeated = "\n".join([source] * 60)
    try:
        deepest = depth_of(repeated)
    except yaml.YAMLError:
        return
    # Indentation alone nests no deeper than its columns allow.
    columns = max((len(re.match(r"[ \t?:-]*", line)[0]) for line in source.split("\n")), default=0)
    assert deepest <= 2 * columns + source.count("[") + source.count("{") + 2


def test_a_text_that_is_too_large_is_refused_with_the_number(monkeypatch, tmp_path):
    monkeypatch.setattr(text, "MOST_BYTES", 1000)
    monkeypatch.setattr(bounds, "MOST_CHARACTERS", 900)
    path = tmp_path / "large.yaml"
    path.write_text("#" * 1001)
    with pytest.raises(hickam.InvalidInput, match="has 1,001 bytes, more than the 1,000"):
        hickam.load(path)
    _, issues = read_text("#" * 901, "x.yaml")
    assert "has 901 characters, more than the 900" in str(issues[0])


def test_an_endless_file_is_not_read_to_its_end(monkeypatch, tmp_path):
    monkeypatch.setattr(text, "MOST_BYTES", 1000)
    (tmp_path / "endless.yaml").symlink_to("/dev/zero")
    with pytest.raises(hickam.InvalidInput, match="has 1,001 bytes"):
        hickam.load(tmp_path / "endless.yaml")


@pytest.mark.parametrize("file", ["x.yaml", "x.json"])
@pytest.mark.parametrize("number", ["9" * 301, "9" * 5000, "-" + "9" * 400, "1e999", "1e-999"])
def test_a_number_that_no_float_can_hold_is_refused_or_rounded_to_zero(file, number):
    document = (
        '{"hickam": 1, "diseases": [{"id": "d", "leak": NUMBER}], '
        '"findings": [{"id": "f", "leak": 0.1, "causes": {"d": 0.5}}]}'
    )
    network, issues = read_text(document.replace("NUMBER", number), file)
    assert (network is None) == (number != "1e-999")
    assert len([issue for issue in issues if issue.level == "error"]) == (network is None)


def test_many_directives_are_refused():
    _, issues = read_text("%TAG !a! b\n" * 100_000 + "--- a", "x.yaml")
    assert "lines that start with '%'" in str(issues[0])


def test_aliases_in_keys_are_refused():
    bomb = "a: &a [x, x]\n" + "".join(
        f"k{i}: &k{i} [*{'a' if i == 0 else f'k{i - 1}'}, *{'a' if i == 0 else f'k{i - 1}'}]\n"
        for i in range(3)
    )
    network, issues = read_text(bomb + "? [*k2]\n: 1\n", "x.yaml")
    assert network is None
    assert any("a key is a list or a mapping" in str(issue) for issue in issues)


def test_half_of_a_character_is_refused():
    _, issues = read_text('{"hickam": 1, "name": "\\ud800"}', "x.json")
    assert "half of a character" in str(issues[0])
    assert read_text('{"hickam": 1, "name": "\\ud83d\\ude00"}', "x.json")[1][0].where != "the text"


def test_thousands_of_problems_are_counted_not_listed(tmp_path):
    path = tmp_path / "n.json"
    causes = {f"x{i}": 0.5 for i in range(20_000)}
    findings = [{"id": "f", "leak": 0.1, "causes": causes}]
    diseases = [{"id": f"d{i}", "leak": 0.1} for i in range(1000)]
    path.write_text(json.dumps({"hickam": 1, "diseases": diseases, "findings": findings}))
    network, issues = read_network(path)
    assert network is None
    assert len(issues) <= 1001
    assert "more problems" in str(issues[-1])


def test_the_same_text_means_the_same_with_and_without_an_anchor():
    draw = random.Random(5)
    words = [
        "nan",
        "inf",
        ".5",
        "1.",
        "017",
        "00",
        "1_000",
        "0x1f",
        "0o17",
        "0b1",
        "+5",
        "-5",
        "1e3",
        "1e400",
        "~",
        "Null",
        "yes",
        "True",
        "tRue",
        "12:30",
        "9",
    ]
    for _ in range(200):
        listed = ", ".join(draw.choice(words) for _ in range(5))
        plain = read_plain(f"a: [{listed}]")
        anchored = read_plain(f"a: &x [{listed}]")
        assert repr(plain) == repr(anchored)


def read_plain(source):
    from hickam.io.documents import parse

    return parse(source, "x.yaml")[0]


IN_LITTLE_ROOM = """
import resource, sys
from hickam.io.documents import parse
from hickam.issues import InvalidInput
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (pages + 300_000_000,) * 2)
for lines in map(int, sys.argv[1:]):
    try:
        parse("findings:\\n" + "  - {id: f, name: F}\\n" * lines, "big.yaml")
        print("read")
    except InvalidInput as refused:
        print(refused.issues[0].what)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux")
def test_text_that_may_take_more_memory_than_there_is_is_refused_and_ends_no_process():
    sizes = ["1000", "100000", "200000", "300000", "600000"]
    run = subprocess.run(
        [sys.executable, "-c", IN_LITTLE_ROOM, *sizes], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[:500]
    refused = "would take more memory to read than there is"
    assert run.stdout.splitlines() == ["read", "read", refused, refused, refused]
