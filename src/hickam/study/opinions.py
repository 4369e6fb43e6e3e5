"""Doctors' lists in the network's words, by stated rules; whatever a rule changes is reported.

- A listed disease that the network does not know, or does not know by that spelling: "keep" it, so
  that it takes its place on the list and cannot be right, "drop" it from the list, or "refuse".
- A disease listed twice, by whatever names: its first place counts.
- Two opinions of one doctor on one vignette: the last counts.
- An opinion with nothing left on its list is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hickam.evidence.vignette import Opinion
from hickam.issues import Issue, error, warning
from hickam.language.fold import fold
from hickam.language.vocabulary import Vocabulary, vocabularies
from hickam.model.network import Network

OUTSIDE = ("keep", "drop", "refuse")
DONE = {
    "keep": "it stays on the list and counts as wrong",
    "drop": "it is dropped from the list",
    "refuse": "correct it, or choose 'outside: keep' or 'outside: drop'",
}


@dataclass(slots=True)
class Settler:
    """Reads opinions for one network and keeps count of what its rules changed."""

    words: Vocabulary
    outside: str = "keep"
    counts: Counter[str] = field(default_factory=Counter)
    known: dict[str, int | Issue] = field(default_factory=dict)

    @classmethod
    def of(cls, network: Network, outside: str) -> Settler:
        """A settler with the diseases of a network."""
        return cls(vocabularies(network)["disease"], outside)

    def settle(
        self, opinions: Sequence[Opinion], where: str, issues: list[Issue]
    ) -> tuple[Opinion, ...]:
        """One opinion per doctor, its diseases by id and each once."""
        last: dict[str, Opinion] = {}
        for opinion in opinions:
            if opinion.doctor in last:
                self.counts["repeated"] += 1
                what = f"doctor '{opinion.doctor}' answered twice"
                issues.append(warning(where, what, "the last answer counts"))
                del last[opinion.doctor]
            last[opinion.doctor] = opinion
        found = []
        for opinion in last.values():
            settled = self._list(opinion, where, issues)
            if settled.differential:
                found.append(settled)
                continue
            self.counts["empty"] += 1
            what = f"doctor '{opinion.doctor}' names no disease of the network"
            issues.append(warning(where, what, "the opinion is left out"))
        return tuple(found)

    def _list(self, opinion: Opinion, where: str, issues: list[Issue]) -> Opinion:
        """The opinion with its diseases by id; groups of ties stay groups."""
        seen: set[str] = set()
        groups, dropped = [], 0
        for group in opinion.differential:
            kept = []
            for name in group:
                found = self._find(name)
                if isinstance(found, Issue):
                    self._report(opinion.doctor, found, where, issues)
                    if self.outside != "keep":
                        dropped += 1
                        continue
                disease = fold(name) if isinstance(found, Issue) else self.words.ids[found]
                if disease in seen:
                    self.counts["twice"] += 1
                    what = f"doctor '{opinion.doctor}' lists '{disease}' again as '{name}'"
                    issues.append(warning(where, what, "its first place counts"))
                    continue
                seen.add(disease)
                kept.append(name if isinstance(found, Issue) else disease)
            if kept:
                groups.append(tuple(kept))
        return replace(opinion, differential=tuple(groups), outside=opinion.outside + dropped)

    def _find(self, name: str) -> int | Issue:
        """The position of a disease, looked up once per name."""
        if name not in self.known:
            self.known[name] = self.words.find(name)
        return self.known[name]

    def _report(self, doctor: str, found: Issue, where: str, issues: list[Issue]) -> None:
        """Note a listed disease that the network does not know."""
        self.counts["unknown"] += 1
        say = error if self.outside == "refuse" else warning
        issues.append(say(where, f"doctor '{doctor}': {found}", DONE[self.outside]))


def in_words(counts: Counter[str], outside: str) -> str:
    """What the rules changed, as sentences; nothing if they changed nothing.

    >>> from collections import Counter
    >>> in_words(Counter(unknown=2), "drop")
    'Listed diseases that the network does not know: 2, dropped from the list.'
    """
    done = {"keep": "kept on the list and counted as wrong", "drop": "dropped from the list"}
    said = {
        "unknown": "Listed diseases that the network does not know: {}, "
        f"{done.get(outside, 'refused')}.",
        "twice": "Diseases listed twice under different names: {}, the first place counts.",
        "repeated": "Second answers of a doctor on a vignette: {}, the last counts.",
        "empty": "Opinions left out because nothing was left on their list: {}.",
    }
    return " ".join(text.format(counts[kind]) for kind, text in said.items() if counts.get(kind, 0))
