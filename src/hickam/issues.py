"""Problems in the user's input, each with its place and its way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import ParamSpec, TypeVar
from unicodedata import category

from hickam.nearest import LONGEST, Nearest, shortened

P = ParamSpec("P")
T = TypeVar("T")
MOST_HINTS = 50  # unknown names of one list that are answered with the nearest known ones
MOST_LISTED = 1000  # problems of one file that are listed one by one


class Level(StrEnum):
    """How serious an issue is: an error stops the work, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Kind(StrEnum):
    """What sort of problem an issue is, for code that must tell them apart."""

    OTHER = "other"
    UNKNOWN_NAME = "unknown name"
    AMBIGUOUS_NAME = "ambiguous name"
    WRONG_LAYER = "wrong layer"
    UNKNOWN_KEY = "unknown key"
    TOO_LARGE = "too large"


# kinds of a word that means nothing, several things or something of another sort
NOT_UNDERSTOOD = (Kind.UNKNOWN_NAME, Kind.AMBIGUOUS_NAME, Kind.WRONG_LAYER)


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem: what is wrong, where, and how to fix it.

    `path` is the position inside the document (keys and list indices); `file` and `line` are
    filled in by whoever read the document from a file. Text that no terminal should be sent is
    escaped.
    """

    level: Level
    where: str
    what: str
    fix: str = ""
    path: tuple[str | int, ...] = ()
    file: str | None = None
    line: int | None = None
    kind: Kind = Kind.OTHER

    def __post_init__(self) -> None:
        for name in ("where", "what", "fix"):
            object.__setattr__(self, name, printable(getattr(self, name)))

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
        plain = {"level": str(self.level), "path": list(self.path), "kind": str(self.kind)}
        return {**asdict(self), **plain}


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


class NotClear(InvalidInput):
    """What a model means must be said first; `template` is a roles file to fill in."""

    template = ""


class TooHard(InvalidInput):
    """No engine can answer within the limits that were given."""


class LostPrecision(ArithmeticError):
    """An engine cannot vouch for its digits; another engine must be asked."""


def error(
    where: str,
    what: str,
    fix: str = "",
    path: tuple[str | int, ...] = (),
    kind: Kind = Kind.OTHER,
) -> Issue:
    """An issue that stops the work."""
    return Issue(Level.ERROR, where, what, fix, path, kind=kind)


def warning(
    where: str,
    what: str,
    fix: str = "",
    path: tuple[str | int, ...] = (),
    kind: Kind = Kind.OTHER,
) -> Issue:
    """An issue worth knowing that does not stop the work."""
    return Issue(Level.WARNING, where, what, fix, path, kind=kind)


def errors(issues: Iterable[Issue]) -> list[Issue]:
    """Only the issues that stop the work."""
    return [issue for issue in issues if issue.level is Level.ERROR]


def abridged(issues: Sequence[Issue]) -> list[Issue]:
    """The issues, or the first of very many with one that counts the others."""
    kept, rest = list(issues[:MOST_LISTED]), issues[MOST_LISTED:]
    if rest:
        serious = errors(rest)
        what = f"{len(rest)} more problems, of which {len(serious)} are errors"
        kept.append((error if serious else warning)("and", what))
    return kept


def raise_errors(issues: Iterable[Issue]) -> None:
    """Raise `InvalidInput` with all errors among the issues, if there are any."""
    found = errors(issues)
    if found:
        raise InvalidInput(found)


def invalid(where: str, what: str, fix: str = "") -> InvalidInput:
    """The exception for a single problem."""
    return InvalidInput([error(where, what, fix)])


def answered(answer: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | InvalidInput:
    """What a function returns, or the problems for which it cannot."""
    try:
        return answer(*args, **kwargs)
    except InvalidInput as bad:
        return bad


def printable(text: str, keep: str = "") -> str:
    """Text on one line without control characters and halves of characters, but those to keep.

    >>> printable("a\\x1b[2Jb\\n")
    'a\\\\x1b[2Jb\\\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        c if is_printable(c) or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def is_printable(mark: str) -> bool:
    """Whether a terminal only shows a mark; spaces of any width are shown."""
    return mark.isprintable() or category(mark) == "Zs"


def did_you_mean(word: str, choices: Iterable[str] | Nearest) -> str:
    """A fix that names the nearest valid choices; give an index to ask for many words.

    >>> did_you_mean("fevr", ["fever", "cough"])
    "did you mean 'fever'?"
    >>> did_you_mean("chst", ["chest pain", "cough"])
    "did you mean 'chest pain'?"
    """
    index = choices if isinstance(choices, Nearest) else Nearest(choices)
    word = word[:LONGEST]
    close = index.close(word)
    if close:
        return "did you mean " + " or ".join(f"'{shortened(name)}'" for name in close) + "?"
    if 0 < len(index.choices) <= 8:
        listed = (f"'{shortened(option)}'" for option in index.choices)
        return "choose one of " + ", ".join(listed)
    nearest = index.nearest(word)
    return f"the nearest is '{shortened(nearest)}'" if nearest else ""


class Hints:
    """Fixes for the first unknown names of a long list; the others get none, and cost nothing.

    >>> Hints(["fever", "cough"]).fix("fevr")
    "did you mean 'fever'?"
    """

    def __init__(self, choices: Iterable[str], most: int = MOST_HINTS) -> None:
        self._choices: Iterable[str] | Nearest = choices
        self._left = most

    def fix(self, word: str) -> str:
        """The fix for one more unknown name."""
        if self._left <= 0:
            return ""
        self._left -= 1
        if not isinstance(self._choices, Nearest):
            self._choices = Nearest(self._choices)
        return did_you_mean(word, self._choices)
