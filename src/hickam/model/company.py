"""What a finding needs beside it: to be an alarm, and before anybody asks about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hickam.issues import Issue, did_you_mean, error
from hickam.model.network import Entry

Path = tuple[str | int, ...]


def check_company(
    entries: Mapping[str, Entry],
    known: Collection[str],
    paths: Mapping[str, Path],
    issues: list[Issue],
) -> None:
    """What alarms go with and questions come after must be `known` findings and risk factors."""
    for node, entry in entries.items():
        for named, key, what in _named(entry):
            if named not in known or named == node:
                fix = did_you_mean(named, known) or "name another finding or a risk factor"
                path = (*paths.get(node, ()), key)
                issues.append(error(f"finding '{node}'", f"{what} '{named}'", fix, path))


def _named(entry: Entry) -> Iterator[tuple[str, str, str]]:
    """(id, key of the document, in words) of each node that an entry names."""
    for beside in dict.fromkeys(b for alarm in entry.alarms for b in alarm.beside):
        yield beside, "alarm", "has an alarm with"
    for bearer in dict.fromkeys(entry.asked_after):
        yield bearer, "asked_after", "is asked after"
