"""Which variables are risk factors, diseases and findings, guessed from structure and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

# Words of a name that speak for a risk factor; whole words, also in snake_case and CamelCase.
BACKGROUND = {
    "age", "sex", "gender", "smoker", "smoking", "smoke", "diet", "exposure", "travel", "visit",
    "hospital", "hospitalization", "surgery", "transfusion", "injections", "pollution", "history",
    "occupation", "ethnicity", "race", "weight", "obesity", "alcohol", "alcoholism", "pregnancy",
}  # fmt: skip
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def guess_roles(
    parents: Mapping[str, Collection[str]], settled: Collection[str] = ()
) -> dict[str, str]:
    """Variable → role.

    What causes nothing is a finding; a function of other variables is "other". Among the rest, a
    variable without causes is a risk factor if its name says so, or if all that it causes causes
    something in turn and has other causes or effects of its own; everything else is a disease.

    >>> guess_roles({"smoke": (), "lung": ("smoke",), "xray": ("lung",)})
    {'smoke': 'risk factor', 'lung': 'disease', 'xray': 'finding'}
    """
    children: dict[str, list[str]] = {node: [] for node in parents}
    for node, above in parents.items():
        for parent in above:
            if parent in children:
                children[parent].append(node)
    found: dict[str, str] = {}
    for node, above in parents.items():
        if not children[node]:
            found[node] = "finding" if above else "disease"
        elif node in settled:
            found[node] = "other"
        elif not above and (_names_background(node) or _only_leads_to_causes(node, children)):
            found[node] = "risk factor"
        else:
            found[node] = "disease"
    if "disease" not in found.values():
        found |= {node: "disease" for node, role in found.items() if role == "risk factor"}
    return found


def _names_background(node: str) -> bool:
    """Whether a name has a word of a risk factor."""
    return any(word.casefold() in BACKGROUND for word in WORDS.findall(node))


def _only_leads_to_causes(node: str, children: Mapping[str, list[str]]) -> bool:
    """Whether everything that a variable causes causes something in turn."""
    return all(children[child] for child in children[node])
