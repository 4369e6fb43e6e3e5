"""An interview as a value: what is known, what was asked, what to ask next, when to stop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from hickam.advise.explanations import explain
from hickam.advise.next_question import Advice, next_question
from hickam.advise.provisional import ENGINE as PROVISIONAL
from hickam.advise.provisional import provisional
from hickam.advise.questions import CATEGORY, FINDING, NO, RISK, YES, Question
from hickam.advise.red_flags import RedFlags, red_flags
from hickam.advise.triage import Triage, triage
from hickam.advise.worth import find_objective
from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Options
from hickam.diagnose import differential
from hickam.evidence.case import Case, Evidence
from hickam.evidence.vocabulary import find_all, vocabularies
from hickam.infer import infer_located, take
from hickam.inference.engines import check_possible
from hickam.issues import InvalidInput, Issue, TooHard, did_you_mean, error, invalid
from hickam.measures.differential import Differential
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_network
from hickam.model.network import URGENCY_CLASSES
from hickam.words import counted, percent

UNKNOWN = "?"
ANSWER_WORDS = {
    **dict.fromkeys(("y", "yes", "true", "present"), YES),
    **dict.fromkeys(("n", "no", "false", "absent"), NO),
    **dict.fromkeys(("?", "unknown", "don't know", "dont know", "not sure"), UNKNOWN),
}
EVERYTHING = (FINDING, RISK, CATEGORY)
ALPHA = 0.02  # bits that one unit of cost must bring
SETTLED = 0.95  # how surely the first cause explains the findings, on average, when asking stops
LEAST = 0.8  # and each of them
RIVAL = 0.1  # how likely another disease may be what a finding depends on, at that point
AT_ONCE = 12  # present findings up to which inference keeps nobody waiting
UNEXPLAINED = 0.5  # a finding that nothing known causes with this chance is unexplained


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked, and its answer."""

    about: str
    id: str
    answer: str  # one of the question's answers, or "?"


@dataclass(frozen=True, eq=False)
class Interview:
    """Everything known of one patient so far, and what follows from it.

    An interview never changes: `answer`, `undo` and `end` give another one. What follows (`advice`,
    `differential`, `red_flags`, `triage`) is computed when it is first looked at. Of many findings
    it is sampled while there is something to ask, and inferred once the interview is over.
    """

    model: Model
    case: Case
    turns: tuple[Turn, ...] = ()
    unknown: tuple[str, ...] = ()  # ids that the patient cannot tell: not asked again
    objective: str = "differential"
    alpha: float = ALPHA
    limit: int | None = None  # questions at most
    about: Collection[str] = EVERYTHING
    options: Options = field(default_factory=Options)
    before: Interview | None = None
    ended: str = ""  # why somebody has ended it, whatever may be left to ask
    inferred: tuple[Evidence, Beliefs] | None = None  # what this very case implies, if it is known

    @cached_property
    def advice(self) -> Advice:
        """The best questions now, and whether to go on."""
        if self.ended:
            return Advice((), True, self.ended, self.alpha)
        left = None if self.limit is None else self.limit - len(self.turns)
        if left is not None and left <= 0:
            what = f"{counted(len(self.turns), 'question')} asked, as many as were wanted."
            return Advice((), True, what, self.alpha)
        advice = next_question(
            self.model,
            self.case,
            objective=self.objective,
            alpha=self.alpha,
            top=SHOWN,
            about=self.about,
            untold=self.unknown,
            left=left,
            posterior=self._standing[1].posterior,
            **self.options,
        )
        settled = "" if find_objective(self.objective).bystanders else self._settled()
        if settled and not advice.stop:
            return replace(advice, stop=True, why=settled)
        return advice

    @property
    def question(self) -> Question | None:
        """The question to ask now; None when it is time to stop."""
        return None if self.advice.stop or not self.advice.questions else self.advice.questions[0]

    @property
    def stop(self) -> bool:
        """Whether there is nothing left to ask."""
        return self.question is None

    @property
    def why(self) -> str:
        """Why to go on or to stop, in words."""
        return self.advice.why

    @cached_property
    def _standing(self) -> tuple[Evidence, Beliefs]:
        """What the answers so far imply: by inference if that keeps nobody waiting."""
        if self.inferred is not None:
            return self.inferred
        network = as_network(self.model)
        if network is None or len(self.case.present) <= AT_ONCE:
            return infer_located(self.model, self.case, "auto", self.options)
        evidence, _ = take(self.model, self.case, self.options)
        network = adapted(network, evidence.circumstances)
        check_possible(network, evidence)
        return evidence, provisional(network, evidence, explain(network, evidence))

    @cached_property
    def _inferred(self) -> tuple[Evidence, Beliefs]:
        """Where the interview stands; once it is over, by inference."""
        evidence, beliefs = self._standing
        if beliefs.engine != PROVISIONAL or not self.stop:
            return evidence, beliefs
        try:
            return infer_located(self.model, self.case, "auto", self.options)
        except TooHard:
            return evidence, beliefs

    @property
    def differential(self) -> Differential:
        """The differential by what each disease explains."""
        return self.ranked("disablement")

    def ranked(self, measure: str, top: int | None = None) -> Differential:
        """The differential by a measure."""
        return differential(self.model, *self._inferred, measure, top=top)

    @cached_property
    def red_flags(self) -> RedFlags:
        """The dangerous causes that are not yet excluded."""
        return red_flags(self.model, *self._inferred, skip=self.unknown)

    @cached_property
    def triage(self) -> Triage | None:
        """How urgently the patient should be seen."""
        return triage(self.model, self._inferred[1])

    def answer(self, answer: str, question: Question | None = None) -> Interview:
        """The interview with an answer: to the question to ask now, or to another of the advice.

        Yes, no and "?" in the usual spellings, or one of the values of a categorical question.
        """
        asked = question or self.question
        if asked is None:
            raise invalid("the interview", "has no question to answer", self.why)
        said = read_answer(asked, answer)
        return replace(
            self,
            case=_told(self.case, asked, said),
            turns=(*self.turns, Turn(asked.about, asked.id, said)),
            unknown=(*self.unknown, asked.id) if said == UNKNOWN else self.unknown,
            before=self,
            ended="",
            inferred=self.inferred if said == UNKNOWN else None,
        )

    def end(self, why: str = "Stopped.") -> Interview:
        """The interview with nothing more to ask, because somebody wants it so."""
        return replace(self, ended=why)

    def undo(self) -> Interview:
        """The interview before the last answer."""
        if self.before is None:
            raise invalid("the interview", "has no answer to take back")
        return self.before

    def _settled(self) -> str:
        """Why the first cause is settled, in words; empty while it is not.

        It is settled once one disease explains every finding that has a cause in the model, and no
        more urgent cause is left to exclude.
        """
        if not self.case.present:
            return ""
        _, beliefs = self._standing
        first = int(beliefs.disabled.sum(axis=1).argmax())
        kept = beliefs.sustained[first]
        caused = [
            float(chance)
            for chance, open_ in zip(kept, beliefs.unexplained, strict=True)
            if open_ < UNEXPLAINED
        ]
        disease = self.model.diseases[first]
        worse = URGENCY_CLASSES[: _class_of(self.model, disease)]
        flags = red_flags(self.model, *self._standing, skip=self.unknown)
        others = [flag for flag in flags.flags if flag.urgency in worse]
        if not caused or others:
            return ""
        mean = sum(caused) / len(caused)
        sure = mean >= SETTLED and min(caused) >= LEAST
        if not sure and not self._unrivalled(first):
            return ""
        left = len(kept) - len(caused)
        rest = f"; {counted(left, 'finding')} may have no cause in this network" if left else ""
        return (
            f"The first cause is settled: {self.model.label(disease)} explains the findings "
            f"with {percent(mean)} on average{rest}."
        )

    def _unrivalled(self, first: int) -> bool:
        """Whether the leading disease is surely there and no other is likely to cause a finding.

        What many things cause, such as fatigue, is then left to it or to nothing known.
        """
        _, beliefs = self._standing
        rivals = np.delete(beliefs.disabled, first, axis=0)
        return bool(beliefs.posterior[first] >= SETTLED and rivals.max(initial=0.0) < RIVAL)

    def to_dict(self, top: int = 5) -> dict[str, Any]:
        """Where the interview stands, as plain values ready for JSON."""
        return {
            "turns": [{"about": t.about, "id": t.id, "answer": t.answer} for t in self.turns],
            "stop": self.stop,
            "why": self.why,
            "differential": self.ranked("disablement", top).to_dict(),
            "red_flags": self.red_flags.to_dict(),
            "triage": self.triage.to_dict() if self.triage else None,
        }


SHOWN = 5


def interview(
    model: Model,
    case: Case,
    *,
    objective: str = "differential",
    unknown: Sequence[str] = (),
    limit: int | None = None,
    alpha: float = ALPHA,
    **options: Unpack[Options],
) -> Interview:
    """The interview of a patient, beginning with what is known.

    `unknown` names what the patient was asked and cannot tell; `limit` is the largest number of
    questions; `alpha` how many bits of doubt a unit of cost must take away.

    >>> import hickam
    >>> talk = interview(hickam.load("smoker"), Case(present=["chest pain"]))
    >>> talk = talk.answer("?")
    >>> talk.turns[0].id in talk.unknown
    True
    """
    find_objective(objective)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise invalid(f"limit {limit!r}", "is not a number of questions", "give 0 or more")
    take(model, case, options)  # every mistake in the case, before the first question
    return Interview(
        model,
        case,
        unknown=_ids(model, unknown),
        objective=objective,
        alpha=alpha,
        limit=limit,
        options=options,
    )


def _class_of(model: Model, disease: str) -> int:
    """How many classes of urgency are above that of a disease."""
    urgency = model.entries[disease].urgency
    return URGENCY_CLASSES.index(urgency) if urgency in URGENCY_CLASSES else len(URGENCY_CLASSES)


def read_answer(question: Question, text: str) -> str:
    """The answer that a text gives to a question, or an error that lists the answers."""
    word = " ".join(str(text).split()).casefold()
    if ANSWER_WORDS.get(word) == UNKNOWN:
        return UNKNOWN
    if question.about == CATEGORY:
        matching = [value for value in question.answers if value.casefold() == word]
        begun = [value for value in question.answers if word and value.casefold().startswith(word)]
        if matching or len(begun) == 1:
            return (matching or begun)[0]
        fix = did_you_mean(word, question.answers) or f"one of {', '.join(question.answers)} or ?"
        raise invalid(f"answer '{text:.40}'", f"is no value of '{question.name}'", fix)
    if word in ANSWER_WORDS:
        return ANSWER_WORDS[word]
    raise invalid(f"answer '{text:.40}'", "is not understood", "answer yes, no or ?")


def _told(case: Case, question: Question, answer: str) -> Case:
    """The case with an answer in it."""
    if answer == UNKNOWN:
        return case
    if question.about == CATEGORY:
        return replace(case, categories={**case.categories, question.id: answer})
    if question.about == RISK:
        return replace(case, risks={**case.risks, question.id: answer == YES})
    if answer == YES:
        return replace(case, present=(*case.present, question.id))
    return replace(case, absent=(*case.absent, question.id))


def _ids(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The ids of findings, risk factors and categories by any of their names."""
    words = vocabularies(model)
    axes: Mapping[str, Sequence[str]] = {
        FINDING: model.findings,
        RISK: model.risk_factors,
        CATEGORY: [category.id for category in model.categories],
    }
    found: list[str] = []
    issues: list[Issue] = []
    for name in names:
        places = ((axes[kind], words[kind].find(name)) for kind in EVERYTHING)
        here = [axis[at] for axis, at in places if not isinstance(at, Issue)]
        if here:
            found.append(here[0])
        else:
            try:
                find_all(words[FINDING], [name])
            except InvalidInput as bad:
                issues += bad.issues or [error(f"'{name}'", "is not in the network")]
    if issues:
        raise InvalidInput(issues)
    return tuple(dict.fromkeys(found))
