"""The differential of one case, and why the two rankings differ."""

import hickam

network = hickam.load("smoker")
case = hickam.Case(
    present=["chest pain", "nausea", "fatigue"], risks={"smoker": True, "elderly": True}
)

for measure in ("posterior", "disablement"):
    dx = hickam.diagnose(network, case, measure=measure)
    print(f"by {measure}:")
    for candidate in dx[:3]:
        print(f"  {candidate.rank}. {candidate.name:12} {candidate.score:.3f}", end="  ")
        print(
            ", ".join(f"{finding} {chance:.0%}" for finding, chance in candidate.explains.items())
        )
