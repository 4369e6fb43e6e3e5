"""One mechanism, many uses: a likelihood ratio per disease."""

import hickam

network = hickam.load("clinic")
plain = hickam.Case(present=["chest pain", "sweating"], age=58, sex="male")
tested = hickam.Case(
    present=["chest pain", "sweating"], age=58, sex="male", likelihoods={"heart attack": 0.05}
)


def show(title: str, dx: hickam.Differential) -> None:
    names = ", ".join(f"{c.name} {c.score:.2f}" for c in dx[:3])
    print(f"{title}: {names}")
    print(f"  in force: {', '.join(dx.in_force)}")


show("as it is", hickam.diagnose(network, plain))
show("a negative troponin, say", hickam.diagnose(network, tested))
show("exactly one disease", hickam.diagnose(network, plain, dial=1e-6))
show("a clinic that sees rare diseases", hickam.diagnose(network, plain, case_mix=0.3))
