"""Which state of a variable is the normal one, by the names of its states.

The order in which the states are listed never matters. A name that says what is normal comes first
("normal", "healthy"), then one that says that nothing is there or all is well ("none", "correct").
Names that say neither are not decided here: whoever reads the model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

WORDS = re.compile(r"[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+(?![a-zß-ÿ])")
LEXICON = {
    "normal": """normal normale normales normaal neutral average healthy ok okay sano sana gesund
        sain saine saudavel usual unremarkable wnl euthyroid normotensive""",
    "good": """good excellent adequate adecuado adecuada correct intact operational working
        functional functioning enough enabled online verified success successful pass passed alive
        survived safe well unaffected uninfected undamaged unharmed undetected uninvolved
        asymptomatic afebrile""",
    "none": """none absent ausente absente assente never nil nothing negative neg negativ negativo
        negativa negatif no false off non nein nao nunca nie ninguno ninguna kein keine aucun
        aucune nula nulo clear""",
    "yes": "yes true on present positive pos y t 1 si sim oui ja +",
    "grade": """mild slight light mod mld moderate marked minor some leve moderada low medium high
        to or""",
    "bad": """bad sick ill diseased abnormal affected infected damaged corrupt corrupted buggy
        faulty fault error errors defect defects problem problems failure failed fail dead
        malignant severe sev slow loose disabled offline incorrect inadequate poor dangerous unsafe
        broken reduced lesion lesions pain fever disease diseases infection injury accident symptom
        symptoms damage cancer tumor tumour bleeding fracture complaint complaints abnormality too
        krank enfermo enferma malade grave severa irregular asymmetric unequal unstable
        uncontrolled unacceptable unbalanced unconscious unresponsive atypical dirty elevated
        raised symptomatic febrile insufficient incomplete ineffective invalid""",
    "found": "present detected reactive evidence seen found",  # bad only if there is none of it
    "count": "one two three few some several many more multiple",
    "negation": "no not non sin",
    "well named": """ok okay healthy normal alive survival survived correct intact working
        operational""",
}
NORMAL, GOOD, NONE, YES, GRADES, BAD, FOUND, COUNTS, NEGATIONS, GOOD_NAMES = (
    frozenset(text.split()) for text in LEXICON.values()
)
SEEN = {"present", "positive", "pos", "+"}  # a yes that speaks of a thing, not of the name
SHORT = {"f": "t", "n": "y", "0": "1", "-": "+"}  # no is one letter only beside its own yes
MISSING = ("na", "unknown", "missing", "undetermined", "no result", "not performed", "no sabe",
           "not done", "other", "otro", "otra")  # fmt: skip


def normal_state(states: Sequence[str], name: str = "") -> str | None:
    """The normal one of a variable's states; None if their names do not say.

    "Yes" and "no" answer what the name of the variable asks: of one that is called "valve OK", yes
    is normal.

    >>> normal_state(["ZERO", "LOW", "NORMAL", "HIGH"]), normal_state(["Severe", "None"])
    ('NORMAL', 'None')
    >>> normal_state(["yes", "no"], "pump OK"), normal_state(["red", "green"])
    ('yes', None)
    """
    words = {state: words_of(state) for state in states}
    told = [state for state in states if " ".join(words[state]) not in MISSING]
    answers = _answers(told, words)
    if answers is not None:
        yes, no = answers
        named = words_of(name)
        if name.endswith("OK") or (named and named[-1] in GOOD_NAMES):
            return yes
        return None if GOOD_NAMES & set(named) else no
    uncounted = [state for state in told if not (words[state] and words[state][0] in COUNTS)]
    ranks = {state: _rank(words[state], uncounted == [state]) for state in told}
    highest = max(ranks.values(), default=0)
    best = [state for state in told if ranks[state] == highest]
    if len(best) > 1:
        best = [state for state in best if len(words[state]) == 1]
    if len(best) == 1 and ranks[best[0]] > 0:
        return best[0]
    rest = [state for state in told if not BAD & set(words[state])]
    if len(told) == len(states) == 2 and len(rest) == 1 and not set(words[rest[0]]) & GRADES:
        return rest[0]
    return None


def yes_of(states: Sequence[str]) -> str | None:
    """The "yes" of two states that answer what the name of the variable asks; else None.

    >>> yes_of(["false", "true"]), yes_of(["absent", "present"])
    ('true', None)
    """
    words = {state: words_of(state) for state in states}
    answers = _answers(states, words)
    return answers[0] if answers and words[answers[0]][0] not in SEEN else None


def words_of(text: str) -> list[str]:
    """The words of a name, also in snake_case and CamelCase; a bare sign or digit is one."""
    found = [word.casefold() for word in WORDS.findall(text)]
    return found or ([text.strip()] if text.strip() in ("0", "1", "+", "-") else [])


def _answers(states: Sequence[str], words: dict[str, list[str]]) -> tuple[str, str] | None:
    """The yes and the no of two states that are just that."""
    if len(states) != 2:
        return None
    for yes, no in (states, states[::-1]):
        first, second = words[yes][:1], words[no][:1]
        bare = len(words[yes]) == len(words[no]) == 1 or (first, second) == (["yes"], ["no"])
        if not (bare and first and first[0] in YES):
            continue
        if SHORT.get(second[0]) == first[0] or (second[0] in NONE and len(first[0]) > 1):
            return yes, no
    return None


def _rank(words: list[str], others_count: bool) -> int:
    """How clearly a state says that it is the normal one: 3, 2, 1 or not at all.

    Zero is the normal one if all other states count something.
    """
    denied = bool(words) and words[0] in NEGATIONS
    rest = [word for word in words if word not in NEGATIONS]
    if not denied and NORMAL & set(words):
        return 3
    if (len(words) == 1 and words[0] in NONE) or (denied and rest and set(rest) <= BAD | FOUND):
        return 2
    if words and words[0] in NONE - NEGATIONS and set(rest[1:]) <= GRADES:
        return 2
    if not denied and GOOD & set(words):
        return 2
    if words == ["benign"]:
        return 1
    return int(words == ["zero"] and others_count)
