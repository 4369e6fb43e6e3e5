"""Questions that make no sense yet: a quality whose bearer is not there.

Where a pain spreads to is asked of who has a pain. Which findings may bear a quality is said in the
network (`asked_after`).
"""

from __future__ import annotations

from hickam.evidence.case import Evidence
from hickam.evidence.implied import there
from hickam.model.kinds import Model


def too_early(model: Model, evidence: Evidence) -> set[str]:
    """The findings that are asked about after others, of which none is present so far."""
    signs = set(there(model, evidence))
    return {
        finding
        for finding in model.findings
        if (bearers := model.entries[finding].asked_after) and signs.isdisjoint(bearers)
    }
