"""Counterfactual diagnosis: which disease is *causing* the findings?

>>> import hickam
>>> network = hickam.load("smoker")
>>> dx = hickam.diagnose(network, hickam.Case(present=["chest pain"]), measure="disablement")
>>> dx[0].disease
'angina'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.beliefs.options import Limits
from hickam.diagnose import diagnose
from hickam.evidence.case import Assumptions, Case
from hickam.inference.infer import infer
from hickam.inference.many import infer_many
from hickam.io.load import load
from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, TooHard
from hickam.measures.differential import Candidate, Differential
from hickam.model.network import Network

if TYPE_CHECKING:
    from hickam.model.scm import SCM
    from hickam.twin.identify import identify
    from hickam.twin.query import Answer, Answers, query

__version__ = "0.1.0"

__all__ = [
    "SCM",
    "Accuracy",
    "Answer",
    "Answers",
    "Assumptions",
    "Beliefs",
    "Candidate",
    "Case",
    "Differential",
    "ImpossibleEvidence",
    "InvalidInput",
    "Issue",
    "Limits",
    "Network",
    "TooHard",
    "diagnose",
    "identify",
    "infer",
    "infer_many",
    "load",
    "query",
]

LATER = {
    "SCM": "hickam.model.scm",
    "Answer": "hickam.twin.query",
    "Answers": "hickam.twin.query",
    "identify": "hickam.twin.identify",
    "query": "hickam.twin.query",
}


def __getattr__(name: str) -> Any:
    """Load what belongs to general models when it is asked for: most programs never need it."""
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    raise AttributeError(f"module 'hickam' has no attribute {name!r}")
