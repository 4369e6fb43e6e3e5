"""One case as a YAML or JSON file, in our own form or as a phenopacket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hickam.evidence.case import Case
from hickam.io.bounds import MOST_CHARACTERS
from hickam.io.case_document import case_from
from hickam.io.case_files import UNREADABLE, is_document, opened
from hickam.io.documents import locate_issues, parse
from hickam.io.phenopackets import case_for, is_phenopacket, read_packet
from hickam.issues import InvalidInput, Issue, invalid
from hickam.model.described import Described

T = TypeVar("T")
WIDEST = 4  # bytes of one character


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file that has been read but not yet understood."""

    path: str
    text: str
    document: object

    def for_network(self, network: Described) -> tuple[Case, list[Issue]]:
        """The case for one network, and the warnings of a phenopacket.

        Terms of a phenopacket that the network does not know are left out and named in the
        warnings; in our own form they stay, and are errors once the case is located.
        """
        return self.understood(lambda: case_for(network, self.document))

    def understood(self, read: Callable[[], T]) -> T:
        """What a reader makes of the document; its issues get their lines."""
        try:
            return read()
        except InvalidInput as bad:
            raise InvalidInput(locate_issues(bad.issues, self.text, self.path)) from None


def open_case(path: str | Path) -> CaseFile:
    """The document in a case file; text that is not YAML or JSON is an `InvalidInput`."""
    try:
        with opened(Path(path)) as file:
            text = file.read(WIDEST * MOST_CHARACTERS).decode("utf-8-sig")
    except (*UNREADABLE, ValueError) as bad:
        raise invalid(f"case file '{str(path)[:200]}'", f"cannot be read: {bad}") from None
    document, issues = parse(text, str(path), as_json=is_document(Path(path)))
    found = CaseFile(str(path), text, document)
    if issues:
        found.understood(lambda: _plain_case(document, issues))
        raise InvalidInput(issues)
    return found


def read_case(path: str | Path) -> Case:
    """The case in a file, by its own names; every problem with its form at once."""
    found = open_case(path)
    return found.understood(lambda: _plain_case(found.document))


def _plain_case(document: object, issues: list[Issue] | None = None) -> Case:
    """The case in a document; its issues come after those that are known already."""
    try:
        if is_phenopacket(document):
            return read_packet(document)[0].to_case()
        return case_from(document)
    except InvalidInput as bad:
        raise InvalidInput([*(issues or []), *bad.issues]) from None
