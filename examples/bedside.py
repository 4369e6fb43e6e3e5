"""Kinds of findings, readings with units, tests, and what sex and age make doubtful."""

from pathlib import Path

import hickam

network = hickam.load(Path(__file__).with_name("bedside.yaml"))


def show(title, case):
    dx = hickam.diagnose(network, case, top=3)
    print(title)
    for candidate in dx:
        print(f"  {candidate.name:26} {candidate.posterior:7.2%}  removes {candidate.score:.2f}")
    for doubt in dx.doubts:
        print(f"  is this right? {doubt}")


show("a headache", hickam.Case(present=["headache"]))
show("a thunderclap headache", hickam.Case(present=["thunderclap headache"]))
show("a headache that is none", hickam.Case(present=["headache"], absent=["thunderclap headache"]))
show(
    "102.6 °F, CRP 180, no influenza by the test",
    hickam.Case(
        present=["headache"],
        categories={"temperature": "102.6 F", "crp": 180, "flu test": "negative"},
    ),
)
show("a pregnant man", hickam.Case(present=["headache"], risks=["pregnant"], sex="male"))
