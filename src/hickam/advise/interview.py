"""An interview as a value: what is known, what was asked, what to ask next, when to stop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from hickam.advise.estimates import Wish, estimates
from hickam.advise.foreseen import TRIES, figured, foresee
from hickam.advise.next_question import NO_DIFFERENCE, Advice, next_question, stop_of
from hickam.advise.provisional import ENGINE as PROVISIONAL
from hickam.advise.questions import CATEGORY, EVERYTHING, FINDING, RISK, Question
from hickam.advise.red_flags import RedFlags, red_flags
from hickam.advise.replies import UNKNOWN, read_answer, told
from hickam.advise.settled import act_now, settled_by
from hickam.advise.standing import standing
from hickam.advise.triage import Triage, triage
from hickam.advise.worth import find_objective
from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Options
from hickam.diagnose import differential
from hickam.evidence.case import Case, Evidence
from hickam.evidence.stated import layered
from hickam.infer import infer_located, take
from hickam.issues import InvalidInput, Issue, TooHard, error, invalid
from hickam.language.vocabulary import find_all, vocabularies
from hickam.measures.differential import Differential
from hickam.model.kinds import Model
from hickam.words import counted

ALPHA = 0.02  # bits that one unit of cost must bring


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

    @property
    def advice(self) -> Advice:
        """The best questions now, and whether to go on."""
        return self._advised[0]

    @cached_property
    def _advised(self) -> tuple[Advice, Mapping[str, tuple[Evidence, Beliefs]]]:
        """The advice, and what each answer to its first question would imply where verified."""
        if self.ended:
            return Advice((), True, self.ended, self.alpha), {}
        left = None if self.limit is None else self.limit - len(self.turns)
        if left is not None and left <= 0:
            what = f"{counted(len(self.turns), 'question')} asked, as many as were wanted."
            return Advice((), True, what, self.alpha), {}
        aim = find_objective(self.objective)
        settled = "" if aim.bystanders else self._settled()
        network = layered(self.model, self._standing[0])
        if network is None:
            advice = self._by_inference()
            return (replace(advice, stop=True, why=settled) if settled else advice), {}
        wish = Wish(aim, self.alpha, {}, SHOWN + TRIES, self.about, (), self.unknown, left)
        found = estimates(self.model, network, self.case, self._standing, wish)
        stop, why = stop_of([one.question for one in found], self.alpha)
        asked = (self.model, self.case, self._standing)
        if stop or settled:
            found, accuracy = figured(*asked, found[:SHOWN], aim, self.options)
            questions = tuple(one.question for one in found)
            why = why if stop else settled
            return Advice(questions, True, why, self.alpha, accuracy=accuracy), {}
        seen = foresee(*asked, found, aim, self.options, SHOWN)
        questions = tuple(one.question for one in seen.found)
        urgent = "" if aim.bystanders else act_now(self.model, self._standing[1], seen.found[0])
        if urgent or seen.slight:
            stop, why = True, urgent or NO_DIFFERENCE
        advice = Advice(questions, stop, why, self.alpha, accuracy=seen.accuracy)
        return advice, {} if stop else seen.after

    def _by_inference(self) -> Advice:
        """The advice on a general model, where every question is tried by inference."""
        return next_question(
            self.model,
            self.case,
            objective=self.objective,
            alpha=self.alpha,
            top=SHOWN,
            untold=self.unknown,
            **self.options,
        )

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
        return self.inferred or standing(self.model, self.case, self.options)

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
        return triage(self.model, *self._inferred)

    def answer(self, answer: str, question: Question | None = None) -> Interview:
        """The interview with an answer: to the question to ask now, or to another of the advice.

        Yes, no and "?" in the usual spellings, or one of the values of a categorical question.
        """
        asked = question or self.question
        if asked is None:
            raise invalid("the interview", "has no question to answer", self.why)
        said = read_answer(asked, answer)
        known = self.inferred if said == UNKNOWN else None
        if question is None:
            known = self._advised[1].get(said, known)
        return replace(
            self,
            case=told(self.case, asked, said),
            turns=(*self.turns, Turn(asked.about, asked.id, said)),
            unknown=(*self.unknown, asked.id) if said == UNKNOWN else self.unknown,
            before=self,
            ended="",
            inferred=known,
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
        """Why the first cause is settled, in words; empty while it is not."""
        flags = red_flags(self.model, *self._standing, skip=self.unknown)
        return settled_by(self.model, self._standing[1], flags)

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
