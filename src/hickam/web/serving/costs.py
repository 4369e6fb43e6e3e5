"""How long a request will take: guessed from what it asks, corrected by what was measured."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

API = "/api/v1/networks"
KNOWN = 4000  # kinds of request whose times are remembered
WEIGHT = 0.4  # of the newest measurement, on a logarithmic scale
READ = 32_000  # bytes of a body that are looked into
# Seconds for a question about a case with few findings; every other one makes it dearer.
QUESTIONS = {
    "diagnose": 0.005,
    "explain": 0.005,
    "pairs": 0.05,
    "sensitivity": 0.5,
    "robust": 0.5,
    "trust": 1.0,
    "trust/numbers": 1.0,
    "export": 0.02,
    "what-if": 0.01,
    "next": 0.04,
    "interview": 0.04,
    "second-opinion": 0.01,
    "twin": 0.02,
    "twin.svg": 0.02,
    "": 0.008,
}
SIMPLE = 0.002
FEW = 8
GROWTH = 4.0
LONGEST = 30.0


@dataclass(frozen=True, slots=True)
class Ask:
    """What a request asks, as far as its price depends on it."""

    question: str
    network: str
    size: int  # findings present, or cases, or kilobytes
    detail: int  # risk factors that are known


class Costs:
    """Predicted seconds by kind of request; a mean of the logarithms of measured times."""

    def __init__(self) -> None:
        self._known: OrderedDict[Ask, float] = OrderedDict()

    def predict(self, ask: Ask) -> float:
        """Seconds of computing.

        >>> costs, ask = Costs(), Ask("diagnose", "clinic", 4, 0)
        >>> costs.predict(ask)
        0.005
        >>> costs.learn(ask, 2.0)
        >>> round(costs.predict(ask), 6)
        2.0
        """
        known = self._known.get(ask)
        return _guess(ask) if known is None else math.exp(known)

    def learn(self, ask: Ask, seconds: float) -> None:
        """Take a measurement into account."""
        value = math.log(max(seconds, 1e-4))
        known = self._known.pop(ask, value)
        self._known[ask] = known + WEIGHT * (value - known)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)


def read_ask(method: str, path: str, query: bytes, body: bytes) -> Ask:
    """What a request asks, without trusting anything in it."""
    if path.startswith(API):
        network, _, question = path[len(API) + 1 :].partition("/")
        if method != "POST":
            return Ask("browse", network[:80], 0, 0)
        if not network:
            return Ask("upload", "", len(body) // 1000, 0)
        return _read_body(question[:40], network[:80], body)
    if method == "POST":
        return Ask("upload", "", len(body) // 1000, 0)
    question = path[1:41]
    present = query.count(b"&p=") + query.startswith(b"p=")
    risks = sum(query.count(key) for key in (b"&y=", b"&x="))
    asks = question if question in QUESTIONS else "browse"
    if asks == "" and b"ask" in query:
        asks = "next"
    return Ask(asks, _network(query), present, min(risks, 20))


def _read_body(question: str, network: str, body: bytes) -> Ask:
    if len(body) > READ:
        return Ask("large", network, len(body) // 1000, 0)
    try:
        asked: Any = json.loads(body)
        if question == "batch":
            cases = asked["cases"]
            longest = max((len(case["present"]) for case in cases), default=0)
            return Ask(question, network, len(cases), longest)
        case = asked["case"]
        present, risks = len(case.get("present", ())), len(case.get("risks", ()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Ask("mistake", network, len(body) // 1000, 0)
    if question == "what-if" and asked.get("remove") is not None:
        question = "smallest-cure"
    return Ask(question, network, present, min(risks, 20))


def _network(query: bytes) -> str:
    """The network named in a page's address."""
    _, found, rest = (b"&" + query).partition(b"&n=")
    return rest.partition(b"&")[0][:80].decode("latin-1") if found else ""


def _guess(ask: Ask) -> float:
    """Seconds that a request of a kind never seen before may take."""
    if ask.question == "upload":
        return 0.1 + 0.002 * ask.size
    if ask.question == "batch":
        return min(LONGEST, 0.05 + 0.005 * ask.size * _growth(ask.detail))
    if ask.question == "smallest-cure":
        return min(LONGEST, 0.2 * _growth(ask.size))
    if ask.question == "large":
        return 0.1
    base = QUESTIONS.get(ask.question, SIMPLE)
    return min(LONGEST, base * _growth(ask.size))


def _growth(findings: int) -> float:
    """How much dearer a case is than one with few findings."""
    return float(GROWTH ** max(0, min(findings - FEW, 12)))
