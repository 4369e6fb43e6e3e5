"""Problems in the user's input, each with its place and its way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    """How serious an issue is: an error stops the work, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem: what is wrong, where, and how to fix it.

    `path` is the position inside the document (keys and list indices); `file` and `line` are
    filled in by whoever read the document from a file.
    """

    level: Level
    where: str
    what: str
    fix: str = ""
    path: tuple[str | int, ...] = ()
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        """One line of text, as the command line prints it.

        >>> str(Issue(Level.ERROR, "finding 'fevr'", "is unknown", "did you mean 'fever'?"))
        "finding 'fevr' is unknown; did you mean 'fever'?"
        """
        text = f"{self.where} {self.what}"
        if self.fix:
            text += f"; {self.fix}"
        if self.file and self.line:
            return f"{self.file}:{self.line}: {text}"
        return f"{self.file}: {text}" if self.file else text

    def as_dict(self) -> dict[str, object]:
        """The issue as plain values, for JSON."""
        return {**asdict(self), "level": str(self.level), "path": list(self.path)}


class InvalidInput(ValueError):
    """The input cannot be used; `issues` holds every problem that was found."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = list(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[list[Issue]]]:
        """Rebuild from the issues, so that the error survives a trip between processes."""
        return (type(self), (self.issues,))


class ImpossibleEvidence(InvalidInput):
    """The evidence has probability zero under the network."""


class TooHard(InvalidInput):
    """No engine can answer within the limits that were given."""


class LostPrecision(ArithmeticError):
    """An engine cannot vouch for its digits; another engine must be asked."""


def error(where: str, what: str, fix: str = "", path: tuple[str | int, ...] = ()) -> Issue:
    """An issue that stops the work."""
    return Issue(Level.ERROR, where, what, fix, path)


def warning(where: str, what: str, fix: str = "", path: tuple[str | int, ...] = ()) -> Issue:
    """An issue worth knowing that does not stop the work."""
    return Issue(Level.WARNING, where, what, fix, path)


def errors(issues: Iterable[Issue]) -> list[Issue]:
    """Only the issues that stop the work."""
    return [issue for issue in issues if issue.level is Level.ERROR]


def raise_errors(issues: Iterable[Issue]) -> None:
    """Raise `InvalidInput` with all errors among the issues, if there are any."""
    found = errors(issues)
    if found:
        raise InvalidInput(found)


def invalid(where: str, what: str, fix: str = "") -> InvalidInput:
    """The exception for a single problem."""
    return InvalidInput([error(where, what, fix)])


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """A fix that names the nearest valid choices.

    >>> did_you_mean("fevr", ["fever", "cough"])
    "did you mean 'fever'?"
    >>> did_you_mean("chst", ["chest pain", "cough"])
    "did you mean 'chest pain'?"
    """
    options = list(choices)
    folded: dict[str, str] = {}
    for option in options:
        folded.setdefault(option.casefold(), option)
    wanted = word.casefold()
    close = difflib.get_close_matches(wanted, list(folded), n=3, cutoff=0.6)
    if not close:  # one word of a longer name may be meant
        parts: dict[str, str] = {}
        for option in folded:
            for part in option.replace("_", " ").split():
                parts.setdefault(part, option)
        close = [parts[p] for p in difflib.get_close_matches(wanted, list(parts), 3, 0.7)]
    if close:
        return "did you mean " + " or ".join(f"'{folded[c]}'" for c in dict.fromkeys(close)) + "?"
    if 0 < len(options) <= 8:
        return "choose one of " + ", ".join(f"'{option}'" for option in options)
    nearest = difflib.get_close_matches(wanted, list(folded), n=1, cutoff=0.0)
    return f"the nearest is '{folded[nearest[0]]}'" if nearest else ""
