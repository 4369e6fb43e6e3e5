"""Notes in plain text: read from a file or the standard input, and added to a case."""

from __future__ import annotations

import sys
from dataclasses import replace

from hickam.cli.lines import say
from hickam.evidence.case import Case, joined
from hickam.issues import InvalidInput, Issue, Level, invalid
from hickam.model.kinds import Model


def with_note(case: Case, file: str, network: Model, *, lenient: bool) -> tuple[Case, list[Issue]]:
    """The case with what a note says, and warnings of what is left out of it.

    How it was read is told on the side. Without `lenient`, a note of which something is not
    understood that may be a finding is refused.
    """
    from hickam.evidence.heard import lost, noted
    from hickam.language.note import read_note

    note = read_note(network, read_text(file))
    said, sentences = noted(network, note)
    for sentence in sentences:
        say(sentence, err=True)
    issues = lost(note)
    if issues and not lenient:
        raise InvalidInput(issues)
    left = [replace(issue, fix="it is left out", level=Level.WARNING) for issue in issues]
    for issue in left:
        say(f"{issue.level}: {issue}", err=True)
    return joined(case, said), left


def read_text(file: str) -> str:
    """The text of a file, or of the standard input for `-`."""
    try:
        if file == "-":
            return sys.stdin.read()
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as bad:
        what = f"cannot be read: {bad}"
        raise invalid(f"note '{file}'", what, "give a file of plain text") from None
