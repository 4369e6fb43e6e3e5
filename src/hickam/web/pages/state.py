"""A case in an address: what a link must hold to reproduce a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from hickam.advise.interview import ALPHA
from hickam.advise.questions import CATEGORY, RISK, YES, Question
from hickam.advise.replies import UNKNOWN
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.issues import InvalidInput, error
from hickam.language.vocabulary import vocabularies
from hickam.measures.scores import MEASURES, Measure
from hickam.model.kinds import Model

LETTERS = {"d": "disablement", "s": "sufficiency"}  # short for the measures used most
DIAL_STEPS = 10  # slider position 10 is γ = 1, each step down divides γ by 10 ** 0.4
EXACTLY_ONE = 1e-9  # γ at position 0: two diseases never count against one


@dataclass(frozen=True, slots=True)
class State:
    """The case, the options and the questions of a page, as short query keys hold them."""

    network: str = ""  # n
    present: tuple[str, ...] = ()  # p
    absent: tuple[str, ...] = ()  # a
    yes: tuple[str, ...] = ()  # y: risk factors that are true
    no: tuple[str, ...] = ()  # x: risk factors that are false
    categories: tuple[tuple[str, str], ...] = ()  # c: "duration:weeks"
    sex: str = ""  # sex
    age: str = ""  # age
    measure: str = "disablement"  # m: the measure beside the posterior, or its letter
    dial: str = ""  # g: slider position, empty for γ = 1
    mix: str = ""  # b: case mix
    price: str = ""  # k: α, bits given up per unit of cost
    news: str = ""  # w: what the last click changed, "+p:fever" or "-a:cough"
    cured: tuple[str, ...] = ()  # t: diseases cured on the what-if page
    only: str = ""  # o: the only cause kept on the what-if page
    listed: tuple[str, ...] = ()  # l: the user's own differential
    left_out: tuple[str, ...] = ()  # u: terms of an uploaded case that the network does not know
    turns: tuple[str, ...] = ()  # i: answers of the interview in order, "p:fever", "?:cough"

    @property
    def empty(self) -> bool:
        """Whether nothing is known about the patient's findings."""
        return not (self.present or self.absent)

    @property
    def given(self) -> tuple[str, ...]:
        """Which of age and sex are given."""
        return tuple(name for name in ("age", "sex") if getattr(self, name))

    @property
    def gamma(self) -> float:
        """γ of the Occam–Hickam dial."""
        step = _number(self.dial, "the dial") if self.dial else float(DIAL_STEPS)
        if not 0 <= step <= DIAL_STEPS:
            raise InvalidInput([error("the dial", f"is at {self.dial}", f"0 to {DIAL_STEPS}")])
        return dial_at(step)

    @property
    def dial_said(self) -> str:
        """What the position of the dial means; empty if it is no position."""
        words = {str(step): said for step, said in enumerate(dial_words())}
        return words.get(self.dial or str(DIAL_STEPS), "")

    @property
    def alpha(self) -> float:
        """The price of a unit of cost in bits."""
        return _number(self.price, "the price of a question") if self.price else ALPHA

    @property
    def unknown(self) -> tuple[str, ...]:
        """What the patient was asked and cannot tell, as far as nothing was entered since."""
        known = {*self.present, *self.absent, *self.yes, *self.no, *dict(self.categories)}
        asked = (turn[2:] for turn in self.turns if turn[:2] == f"{UNKNOWN}:")
        return tuple(node for node in asked if node not in known)

    @property
    def volunteered(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The findings present and absent that were entered, not asked about in the interview."""
        asked = {turn[2:] for turn in self.turns}
        present, absent = (
            [f for f in each if f not in asked] for each in (self.present, self.absent)
        )
        return tuple(present), tuple(absent)

    def reading(self, category: str) -> str:
        """What is entered for a category, or empty."""
        return dict(self.categories).get(category, "")

    def to_case(self) -> Case:
        """The case that the library works on."""
        return Case(
            present=self.present,
            absent=self.absent,
            risks={**dict.fromkeys(self.yes, True), **dict.fromkeys(self.no, False)},
            categories=dict(self.categories),
            sex=self.sex or None,
            age=_number(self.age, "age") if self.age else None,
        )

    def to_options(self, deadline: float) -> Options:
        """The options of the inference."""
        options = Options(deadline=deadline)
        if self.gamma != 1.0:
            options["dial"] = self.gamma
        if self.mix:
            options["case_mix"] = _number(self.mix, "case mix")
        return options

    def url(self, path: str = "/") -> str:
        """The address of a page on this case."""
        query = urlencode(self.pairs())
        return f"{path}?{query}" if query else path

    def pairs(self) -> list[tuple[str, str]]:
        """The query keys and values that reproduce the state."""
        pairs = [("n", self.network)] if self.network else []
        for key, name in LISTS.items():
            pairs += [(key, value) for value in getattr(self, name)]
        pairs += [
            (f"c.{name}", value) if ":" in name else ("c", f"{name}:{value}")
            for name, value in self.categories
        ]
        short = {name: letter for letter, name in LETTERS.items()}
        for key, name in TEXTS.items():
            value = getattr(self, name)
            pairs.append((key, short.get(value, value) if name == "measure" else value))
        return [(key, value) for key, value in pairs if value and (key, value) != ("m", "d")]

    def hidden(self, *but: str) -> list[tuple[str, str]]:
        """The pairs that a form must carry along, without the keys it sets itself."""
        return [pair for pair in self.pairs() if pair[0].partition(".")[0] not in (*but, "w")]

    def put(self, name: str, value: str) -> State:
        """The state with a finding or risk factor moved to one list and out of its opposite."""
        opposite = {"present": "absent", "absent": "present", "yes": "no", "no": "yes"}[name]
        lists = {
            name: (*(v for v in getattr(self, name) if v != value), value),
            opposite: tuple(v for v in getattr(self, opposite) if v != value),
        }
        kept = self._without(value)
        return replace(self, news=f"+{KEYS[name]}:{value}", categories=kept, **lists)  # type: ignore[arg-type]

    def tell(self, node: str, value: str) -> State:
        """The state with the value of a category, or with the state that a node is in."""
        return replace(self, news="", categories=(*self._without(node), (node, value)))

    def untell(self, node: str) -> State:
        """The state without the value of a category or the state of a node."""
        return replace(self, news="", categories=self._without(node))

    def _without(self, node: str) -> tuple[tuple[str, str], ...]:
        return tuple(pair for pair in self.categories if pair[0] != node)

    def drop(self, name: str, value: str) -> State:
        """The state without a finding or risk factor."""
        kept = tuple(v for v in getattr(self, name) if v != value)
        others = self._without(value)
        return replace(self, news=f"-{KEYS[name]}:{value}", categories=others, **{name: kept})  # type: ignore[arg-type]

    def swap(self, name: str, old: str, new: str) -> State:
        """The state with one finding in the place of another, such as a more specific one."""
        held = (new if value == old else value for value in getattr(self, name))
        return replace(self, news="", **{name: tuple(dict.fromkeys(held))})  # type: ignore[arg-type]

    def answered(self, question: Question, answer: str) -> State:
        """The state with an answer to a question of the interview."""
        node = question.id
        if answer == UNKNOWN:
            return replace(self, turns=(*self.turns, f"{UNKNOWN}:{node}"), news="")
        if question.about == CATEGORY:
            return replace(self.tell(node, answer), turns=(*self.turns, f"c:{node}"))
        lists = ("yes", "no") if question.about == RISK else ("present", "absent")
        name = lists[0] if answer == YES else lists[1]
        return replace(self.put(name, node), turns=(*self.turns, f"{KEYS[name]}:{node}"))

    def undone(self) -> State:
        """The state before the last answer of the interview."""
        *earlier, last = self.turns
        state = replace(self, turns=tuple(earlier))
        key, node = last[:1], last[2:]
        if key == "c":
            return replace(state, categories=self._without(node), news="")
        return replace(state.drop(LISTS[key], node), news="") if key in ANSWERED else state

    def toggle(self, name: str, value: str) -> State:
        """The state with a value added to a list, or taken off it."""
        held = getattr(self, name)
        kept = tuple(v for v in held if v != value) if value in held else (*held, value)
        return replace(self, **{name: kept})  # type: ignore[arg-type]

    def raise_listed(self, disease: str) -> State:
        """The state with a disease one place higher on the user's own list."""
        order = list(self.listed)
        at = order.index(disease)
        order[max(at - 1, 0)], order[at] = order[at], order[max(at - 1, 0)]
        return replace(self, listed=tuple(order))

    def with_cured(self, diseases: tuple[str, ...]) -> State:
        """The state with these diseases cured and no others."""
        return replace(self, cured=diseases)

    def set(self, **values: str) -> State:
        """The state with other single values."""
        return replace(self, **values)  # type: ignore[arg-type]

    def before(self) -> State | None:
        """The state before the last click, if the address tells."""
        sign, key, value = self.news[:1], self.news[1:2], self.news[3:]
        name = LISTS.get(key)
        if sign not in "+-" or not sign or name is None or not value:
            return None
        held = getattr(self, name)
        if sign == "+" and value in held:
            return replace(self.drop(name, value), news="")
        if sign == "-" and value not in held:
            return replace(self.put(name, value), news="")
        return None

    def resolved(self, network: Model) -> State:
        """The state with ids in place of names and synonyms; what is unknown stays as it is."""
        words = vocabularies(network)

        def ids(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
            found = ((words[kind].find(name, hint=False), name) for name in names)
            listed = words[kind].ids
            return tuple(
                dict.fromkeys(listed[at] if isinstance(at, int) else name for at, name in found)
            )

        return replace(
            self,
            present=ids("finding", self.present),
            absent=ids("finding", self.absent),
            yes=ids("risk factor", self.yes),
            no=ids("risk factor", self.no),
            cured=ids("disease", self.cured),
            listed=ids("disease", self.listed),
        )


def dial_at(step: float) -> float:
    """γ at a position of the slider."""
    return EXACTLY_ONE if step == 0 else float(10.0 ** (-0.4 * (DIAL_STEPS - step)))


def dial_words() -> list[str]:
    """What each position of the slider means."""
    between = [
        f"A second disease counts {dial_at(step):.2g} times what it does in the network."
        for step in range(1, DIAL_STEPS)
    ]
    first = "The patient has exactly one disease."
    return [first, *between, "As many diseases as they please: the network as it is."]


LISTS = {
    "p": "present",
    "a": "absent",
    "y": "yes",
    "x": "no",
    "t": "cured",
    "l": "listed",
    "u": "left_out",
    "i": "turns",
}
ANSWERED = ("p", "a", "y", "x")  # keys of the lists that a yes or no goes to
KEYS = {name: key for key, name in LISTS.items()}
TEXTS = {
    "sex": "sex",
    "age": "age",
    "m": "measure",
    "g": "dial",
    "b": "mix",
    "k": "price",
    "w": "news",
    "o": "only",
}


def measures() -> dict[str, Measure]:
    """The measures that the page can show beside the posterior."""
    return {name: measure for name, measure in MEASURES.items() if name != "posterior"}


def read_state(query: QueryParams) -> State:
    """The state that an address holds; empty values say nothing."""
    lists = {name: tuple(v for v in query.getlist(key) if v) for key, name in LISTS.items()}
    texts = {name: query.get(key, "") for key, name in TEXTS.items()}
    chosen = (c.partition(":")[::2] for c in query.getlist("c"))
    typed = ((key[2:], value.strip()) for key, value in query.multi_items() if key[:2] == "c.")
    categories = tuple((name, value) for name, value in (*chosen, *typed) if value)
    measure = LETTERS.get(texts["measure"], texts["measure"])
    texts["measure"] = measure if measure in measures() else "disablement"
    if texts["dial"] == str(DIAL_STEPS):
        texts["dial"] = ""
    return State(network=query.get("n", ""), categories=categories, **lists, **texts)  # type: ignore[arg-type]


def _number(text: str, where: str) -> float:
    """The number in a text field."""
    try:
        return float(text)
    except ValueError:
        raise InvalidInput([error(where, f"is {text!r}", "write a number")]) from None
