"""Counterfactual diagnosis: which disease is *causing* the findings?

>>> import hickam
>>> network = hickam.load("smoker")
>>> dx = hickam.diagnose(network, hickam.Case(present=["chest pain"]), measure="disablement")
>>> dx[0].disease
'angina'
"""

from typing import TYPE_CHECKING, Any

from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.beliefs.options import Limits
from hickam.diagnose import diagnose
from hickam.evidence.case import Assumptions, Case
from hickam.infer import infer
from hickam.infer_many import infer_many
from hickam.io.load import from_dict, load
from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, TooHard
from hickam.measures.differential import Candidate, Differential
from hickam.model.network import Network

if TYPE_CHECKING:
    from hickam.advise.causation import causation
    from hickam.advise.interview import Interview, interview
    from hickam.advise.next_question import Advice, next_question
    from hickam.advise.pairs import Pair, Pairs, pairs
    from hickam.advise.queries import query
    from hickam.advise.second_opinion import SecondOpinion, second_opinion
    from hickam.advise.smallest_cure import Cure
    from hickam.advise.what_if import cure, smallest_cure
    from hickam.io.save import save
    from hickam.model.scm import SCM
    from hickam.trust.disagreement import Disagreement, disagreement
    from hickam.trust.experts import Said
    from hickam.trust.pool import Pool, pool
    from hickam.trust.robust import Robustness, robust
    from hickam.trust.sensitivity import Sensitivity, sensitivity
    from hickam.twin.answer import Answer
    from hickam.twin.causation import Causation
    from hickam.twin.identify import identify
    from hickam.twin.query import Answers

__version__ = "0.1.0"

__all__ = [
    "SCM",
    "Accuracy",
    "Advice",
    "Answer",
    "Answers",
    "Assumptions",
    "Beliefs",
    "Candidate",
    "Case",
    "Causation",
    "Cure",
    "Differential",
    "Disagreement",
    "ImpossibleEvidence",
    "Interview",
    "InvalidInput",
    "Issue",
    "Limits",
    "Network",
    "Pair",
    "Pairs",
    "Pool",
    "Robustness",
    "Said",
    "SecondOpinion",
    "Sensitivity",
    "TooHard",
    "causation",
    "cure",
    "diagnose",
    "disagreement",
    "from_dict",
    "identify",
    "infer",
    "infer_many",
    "interview",
    "load",
    "next_question",
    "pairs",
    "pool",
    "query",
    "robust",
    "save",
    "second_opinion",
    "sensitivity",
    "smallest_cure",
]


def __getattr__(name: str) -> Any:
    """Load what only some programs need when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'hickam' has no attribute {name!r}")
    if name == "SCM":
        from hickam.model.scm import SCM

        return SCM
    from hickam.advise import (
        causation,
        interview,
        next_question,
        pairs,
        queries,
        second_opinion,
        smallest_cure,
        what_if,
    )
    from hickam.io import save
    from hickam.trust import disagreement, experts, pool, robust, sensitivity
    from hickam.twin import answer, identify, query

    advice = (what_if, queries, causation, smallest_cure, interview, next_question, pairs)
    trust = (sensitivity, robust, pool, experts, disagreement)
    rooms = (*advice, second_opinion, *trust, save, answer, identify, query)
    return next(getattr(room, name) for room in rooms if hasattr(room, name))
