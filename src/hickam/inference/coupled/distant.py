"""Whether some explanations are far from all others: those of a cause that many diseases share.

A risk factor that turns on several otherwise unlikely diseases at once makes an explanation of its
own. What is believed of these diseases one by one hardly tells of all of them together: draws from
a mixture do not meet it, and expansions around the mixture's means agree without it. Chains do meet
it, because they move a risk factor together with its diseases.
"""

from __future__ import annotations

import numpy as np

from hickam.inference.problem import Problem

# A strong link acts at least so often, and makes its disease likelier than it is on average by at
# least such a factor. Four such diseases are several; three are if they are so many times as likely
# together, the risk factor's prior counted, as they would be by chance. Chosen on failures of
# mixtures; on `clinic` and network A there are at most three, and at most 11 times as likely.
STRONG, LIKELIER, SEVERAL, TOGETHER = 0.2, 3.0, 4, 100.0
UNMET = "draws explanations and may meet none of a risk factor that several diseases share"


def distant(problem: Problem) -> bool:
    """Whether a risk factor alone makes several diseases likely that explain findings."""
    acts, rows, risks = problem.edge_acts, problem.edge_row, problem.edge_risk
    size, prior = len(problem.risk_prior), problem.risk_prior[risks]
    with np.errstate(divide="ignore"):
        log_off = np.bincount(rows, np.log1p(-prior * acts), len(problem.rows))
    average = (problem.on - problem.off * np.expm1(log_off))[rows]
    raised = (acts >= STRONG) & (acts >= LIKELIER * average)
    raised &= problem.reached[rows] & (prior > 0.0)
    count = np.bincount(risks[raised], minlength=size)
    with np.errstate(divide="ignore"):
        likelier = np.log(acts[raised]) - np.log(average[raised])
        together = np.log(problem.risk_prior) + np.bincount(risks[raised], likelier, size)
    far = (count >= SEVERAL) | ((count == SEVERAL - 1) & (together >= np.log(TOGETHER)))
    return bool(far.any())
