"""Columns of a table of records: which node of a network each one speaks of, and its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hickam.evidence.case import SEX_WORDS
from hickam.evidence.locate import OLDEST
from hickam.issues import Hints, Issue, Kind, error, warning
from hickam.language.fold import fold
from hickam.language.vocabulary import vocabularies
from hickam.model.network import Network

LAYERS = ("risk factor", "disease", "finding")
LISTS = ("present", "absent", "risks", "diseases")  # the form of a case
PERSON = ("sex", "age")
UNREAD = ("id", "notes")
YES = ("1", "1.0", "yes", "y", "true", "t", "present", "positive", "pos", "+", "x")
NO = ("0", "0.0", "no", "n", "false", "f", "absent", "negative", "neg", "-")
NOTHING = ("", "na", "n/a", "nan", "null", "none", "unknown", "?", ".")
MISSING, UNREADABLE = 255, 2


class States(dict[Any, int]):
    """A value as it is written → 1, 0, `MISSING` or `UNREADABLE`; what was read is kept."""

    def __init__(self) -> None:
        super().__init__({True: 1, False: 0, None: MISSING})

    def __missing__(self, value: Any) -> int:
        text = str(value).strip().casefold()
        code = 1 if text in YES else 0 if text in NO else MISSING if text in NOTHING else UNREADABLE
        if len(self) < 10_000:
            self[value] = code
        return code

    def code(self, value: Any) -> int:
        """The code of any value, also of one that cannot be kept."""
        try:
            return self[value]
        except TypeError:
            return UNREADABLE


@dataclass
class Columns:
    """What the columns of a file stand for; nodes are counted over the three layers in turn."""

    network: Network
    ignored: Sequence[str] = ()
    places: dict[str, int | None] = field(default_factory=dict)  # None: it is not read
    issues: list[Issue] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = self.network
        sizes = (len(own.risk_factors), len(own.diseases), len(own.findings))
        self.starts = {
            "risk factor": 0,
            "disease": sizes[0],
            "finding": sizes[0] + sizes[1],
        }
        self.size = sum(sizes)
        self.ids = (*own.risk_factors, *own.diseases, *own.findings)
        self._words = vocabularies(own)
        names = (name for layer in LAYERS for name in self._words[layer].spelled.values())
        self._hints = Hints([*names, *PERSON])
        self._ignored = {fold(name) for name in self.ignored}

    def place(self, name: str, layer: str | None = None) -> int | None:
        """The node of a name, or None where it has none that is read; that is said once."""
        key = f"{layer}:{name}" if layer else name
        if key not in self.places:
            self.places[key] = self._find(name, layer)
        return self.places[key]

    def is_ignored(self, name: str) -> bool:
        """Whether a column is to be left out."""
        return fold(name) in self._ignored

    def refuse_twice(self, keys: Sequence[str], first: int, second: int) -> None:
        """An issue: two columns say the same thing, perhaps not alike."""
        where = f"column {second + 1}, '{keys[second]:.60}',"
        what = f"is the same as column {first + 1}, '{keys[first]:.60}'"
        self.issues.append(error(where, what, "keep one of them"))

    def _find(self, name: str, layer: str | None) -> int | None:
        folded = fold(name)
        if not folded or folded in self._ignored:
            return None
        layers = (layer,) if layer else LAYERS
        exact = [self.starts[one] + at for one in layers
                 if (at := self._words[one].places.get(name)) is not None]  # fmt: skip
        found = exact or [
            self.starts[one] + at for one in layers for at in self._words[one].words.get(folded, ())
        ]
        where = f"{layer or 'column'} '{name:.60}'"
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(f"'{self.ids[place]}'" for place in found)
            self.issues.append(error(where, f"may be any of {listed}", "name it by its id"))
        elif folded in self._words["category"].words:
            what = "is an observation with values: those are held as they are and not learnt from"
            self.issues.append(warning(where, what, "it is left out"))
        else:
            hint = self._hints.fix(name)
            fix = (
                f"{hint}{' ' if hint.endswith('?') else '; ' if hint else ''}--ignore leaves it out"
            )
            what = "is neither a risk factor, a disease nor a finding of the network"
            if layer:
                what = f"is no {layer} of the network"
            self.issues.append(error(where, what, fix, kind=Kind.UNKNOWN_NAME))
        return None


def read_sex(value: Any) -> str | None:
    """The sex that a value stands for; ValueError if none."""
    text = str("" if value is None else value).strip().casefold()
    if text in NOTHING:
        return None
    if text not in SEX_WORDS:
        raise ValueError(f"sex '{value!s:.40}' is not known; write 'female' or 'male'")
    return SEX_WORDS[text]


def read_age(value: Any) -> float | None:
    """The age in years that a value stands for; ValueError if none."""
    text = str("" if value is None else value).strip().casefold()
    if text in NOTHING:
        return None
    try:
        age = float(text.replace(",", "."))
    except ValueError:
        age = -1.0
    if not 0.0 <= age <= OLDEST:
        raise ValueError(f"age '{value!s:.40}' is not an age in years; write 0 to {OLDEST:g}")
    return age
