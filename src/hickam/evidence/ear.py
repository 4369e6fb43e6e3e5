"""What one text of a case says: a finding, a wider one, several, a reading, or what is not there.

Each text is read in the surest way that it can be, and what it was taken for is said. A present
finding may be wider than the text, because who has a temporal headache has a headache. An absent
one may not: who has no temporal headache may have another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hickam.issues import Issue, Kind
from hickam.language import wider
from hickam.language.fold import fold
from hickam.language.lookup import SURENESS, How
from hickam.language.measured import beyond, measured, observed
from hickam.language.parts import LISTED_DENIED, parts
from hickam.language.vocabulary import Vocabulary, elsewhere
from hickam.language.wording import general
from hickam.model.described import Described

Words = Mapping[str, Vocabulary]
SEVERAL = re.compile(r"\w[&+/]\w")
UNUSUAL = ("raised", "abnormal", "low")  # what a normal one is not


@dataclass(frozen=True, slots=True)
class Said:
    """What one text says, in ids, and the parts of it that say nothing here."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    risks: Mapping[str, bool] = field(default_factory=dict)
    observed: Mapping[str, str] = field(default_factory=dict)  # category → as entered
    sentences: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()


class Ear:
    """Reads the findings of a case."""

    def __init__(self, network: Described, words: Words) -> None:
        self.network, self.words, self.wording = network, words, general()
        self.findings = words["finding"]

    def present(self, text: str) -> Said | None:
        """What a text among the present findings says; None if it is a name, or says nothing."""
        several = self.findings.lookup.sure(text) if SEVERAL.search(text) else ()
        if len(several) > 1:
            return self._all(text, several)
        if self.findings.knows(text):
            return None
        listed = self._parts(text, sure=True)  # before its words in another order: cough, headache
        if listed is not None and not listed.unheard:
            return listed
        if not self._unknown(text):
            return None
        one = self._observed(text) or self._not_there(text) or self._risk(text, there=True)
        if one is not None:
            return one
        kind = self._kind_of(text)
        if kind is not None:
            return kind
        if elsewhere(self.words, "finding", text, "") is not None:
            return None
        listed = self._parts(text)
        if listed is not None and not listed.unheard:
            return listed
        wider = self._wider(text)
        if wider is not None or listed is None:
            return wider
        near = self.findings.lookup.best(text)
        nearer = near and SURENESS[near[0].how] >= SURENESS[How.TYPING]
        if nearer or (not listed.observed and self._mostly_unheard(text, listed.unheard)):
            return None
        return listed

    def _mostly_unheard(self, text: str, unheard: tuple[str, ...]) -> bool:
        """Whether most words of a text are in parts of it that say nothing here."""
        lost = sum(self.wording.says(part) for part in unheard)
        return 2 * lost > self.wording.says(text)

    def denied(self, text: str) -> Said | None:
        """What a text among the absent findings says is not there; None if it is a name."""
        if self.findings.knows(text):
            return None
        listed = self._none_of(text)
        if listed is not None or not self._unknown(text):
            return listed
        observed = self._observed(text)
        if observed is not None and not observed.present:
            return observed if True not in measured(self.network, text).values() else None
        return self._not_there(text) or self._no_kind(text) or self._risk(text, there=False)

    def _no_kind(self, text: str) -> Said | None:
        """All findings that are kinds of what a text denies."""
        denied = self.wording.denied(text) or text
        positions = [self.findings.find(kind, hint=False) for kind in self.wording.kinds(denied)]
        found = [position for position in positions if isinstance(position, int)]
        ids = tuple(dict.fromkeys(self.findings.ids[position] for position in found))
        labels = " and ".join(self.network.label(node) for node in ids)
        return (
            Said(absent=ids, sentences=(f"'{text}' is read as {labels}, absent",)) if ids else None
        )

    def _risk(self, text: str, *, there: bool) -> Said | None:
        """The risk factor that was given among the findings."""
        risks = self.words["risk factor"]
        denied = self.wording.denied(text)
        if isinstance(self.words["disease"].find(text, hint=False), int):
            return None  # whether it is there now or was is not said
        position = risks.find(denied or text, hint=False)
        if isinstance(position, Issue):
            return None
        node = risks.ids[position]
        told = there and not denied
        how = "" if told else ", which is not so"
        sentence = f"'{text}' is read as the risk factor {self.network.label(node)}{how}"
        return Said(risks={node: told}, sentences=(sentence,))

    def _none_of(self, text: str) -> Said | None:
        """The parts of a text that lists what is not there, if each of them is sure."""
        said: list[Said] = []
        for part in parts(self.wording.denied(text) or text, self.wording, between=LISTED_DENIED):
            position = self.findings.find(part, hint=False)
            one = (
                self._not_there(part)
                if isinstance(position, Issue)
                else self._absent(part, position)
            )
            if one is None:
                return None
            said.append(one)
        return _together(text, said) if said else None

    def _all(self, text: str, several: tuple[int, ...]) -> Said:
        """Every one of the findings that an abbreviation stands for, as D&V does."""
        ids = tuple(self.findings.ids[position] for position in several)
        labels = " and ".join(self.network.label(node) for node in ids)
        return Said(present=ids, sentences=(f"'{text}' is read as {labels}",))

    def _observed(self, text: str) -> Said | None:
        """A number or another value with the name of what it is a value of."""
        found = observed(self.network, text)
        if found is not None:
            return Said(observed={found.category.id: found.entered})  # said with all readings
        limit = beyond(self.findings, text)
        if limit is None:
            return None
        node = self.findings.ids[limit[0]]
        sides = ("present", "absent") if limit[1] else ("absent", "present")
        sentence = f"'{text}' is read as {self.network.label(node)}, {sides[0]}"
        return Said(**{sides[0]: (node,)}, sentences=(sentence,))  # type: ignore[arg-type]

    def _not_there(self, text: str) -> Said | None:
        """The one finding that a text says is not there."""
        wording = self.wording
        normal = wording.normal(text)
        unusual = [f"{how} {normal}" for how in UNUSUAL] if normal else []
        for denied in (wording.denied(text), wording.denied_within(text), *unusual):
            if denied:
                position = self.findings.find(denied, hint=False)
                if not isinstance(position, Issue):
                    return self._absent(text, position)
        return None

    def _named(self, text: str, position: int) -> Said:
        """The finding that a part of a text means."""
        node = self.findings.ids[position]
        label = self.network.label(node)
        same = fold(text) in (fold(label), fold(node))
        return Said(present=(node,), sentences=() if same else (f"'{text}' is read as {label}",))

    def _absent(self, text: str, position: int) -> Said:
        """The finding that a text denies."""
        node = self.findings.ids[position]
        sentence = f"'{text}' is read as {self.network.label(node)}, absent"
        return Said(absent=(node,), sentences=(sentence,))

    def _wider(self, text: str) -> Said | None:
        """The one finding that a text is a kind of."""
        match = wider.wider(self.network, text)
        if match is None:
            return None
        return Said(present=(match.id,), sentences=(wider.in_words(text, match),))

    def _kind_of(self, text: str) -> Said | None:
        """The one finding that a text is a kind of by the word list, whatever else it names."""
        kinds = [] if self.wording.either(text) else self.wording.broader(text)
        position = self.findings.find(kinds[0], hint=False) if len(kinds) == 1 else None
        if not isinstance(position, int):
            return None
        node = self.findings.ids[position]
        sentence = f"'{text}' is read as {self.network.label(node)}, more general"
        return Said(present=(node,), sentences=(sentence,))

    def _parts(self, text: str, *, sure: bool = False) -> Said | None:
        """What the parts of a text say, each on its own; only what is `sure` if so wanted."""
        if self.wording.denied(text):
            return None  # in "no fever, cough" either may be denied
        said: list[Said] = []
        unheard: list[str] = []
        for at, part in enumerate(parts(text, self.wording)):
            about = at > 0 and self.wording.about_another(part)
            position = self.findings.find(part, hint=False)
            if isinstance(position, int) and not about:
                said.append(self._named(part, position))
                continue
            one = self._observed(part) or self._not_there(part)
            if one is None and not sure and not about:
                one = self._wider(part)
            if one is None:
                unheard.append(part)
            else:
                said.append(one)
        return _together(text, said, unheard) if said else None

    def _unknown(self, name: str) -> bool:
        """Whether a text is no name among the findings."""
        found = self.findings.find(name, hint=False)
        return isinstance(found, Issue) and found.kind is Kind.UNKNOWN_NAME


def _together(text: str, parts: list[Said], unheard: list[str] | tuple[str, ...] = ()) -> Said:
    """What the parts of one text say."""
    sentences = [sentence for part in parts for sentence in part.sentences]
    if unheard:
        left = ", ".join(f"“{part}”" for part in unheard)
        sentences.append(f"of '{text}' {left} is left out")
    return Said(
        present=tuple(node for part in parts for node in part.present),
        absent=tuple(node for part in parts for node in part.absent),
        risks={node: there for part in parts for node, there in part.risks.items()},
        observed={key: value for part in parts for key, value in part.observed.items()},
        sentences=tuple(sentences),
        unheard=tuple(unheard),
    )
