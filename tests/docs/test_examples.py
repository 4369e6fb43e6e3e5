"""Every example runs, every link leads somewhere, and the README shows what the demo prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_says_something(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_page_that_the_documentation_links_to_exists():
    pages = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_in_the_documentation_of_the_command_line():
    from hickam.cli.main import COMMANDS

    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `hickam ([a-z-]+)`", text, flags=re.MULTILINE))
    assert documented == set(COMMANDS)


def test_what_the_readme_shows_is_what_the_demo_prints():
    command = re.search(r"hickam (diagnose.*?)\n\n", (ROOT / "Makefile").read_text(), re.DOTALL)
    args = command[1].replace("\\\n", " ")
    done = subprocess.run(
        [sys.executable, "-m", "hickam", *shlex.split(args)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```\n(Primary care clinic: .*?)```", readme, flags=re.DOTALL)
    # how far off message passing is may differ in the last digit from machine to machine
    shown = re.sub(r"^engine .*\n", "", shown, flags=re.MULTILINE)
    before, after = shown.split("…\n")
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("engine ")]
    printed = "\n".join(lines) + "\n"
    assert printed.startswith(before.strip("\n"))
    assert printed.endswith(after.lstrip("\n"))
