"""What a person replies to a question, read and put into the case."""

from __future__ import annotations

from dataclasses import replace

from hickam.advise.questions import CATEGORY, NO, RISK, YES, Question
from hickam.evidence.case import Case
from hickam.issues import did_you_mean, invalid

UNKNOWN = "?"
ANSWER_WORDS = {
    **dict.fromkeys(("y", "yes", "true", "present"), YES),
    **dict.fromkeys(("n", "no", "false", "absent"), NO),
    **dict.fromkeys(("?", "unknown", "don't know", "dont know", "not sure"), UNKNOWN),
}


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


def told(case: Case, question: Question, answer: str) -> Case:
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
