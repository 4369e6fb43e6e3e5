"""Asthma looks protective where it is not: association, intervention and counterfactual."""

from pathlib import Path

import hickam

model = hickam.load(Path(__file__).with_name("asthma.yaml"))


def dies(given, do):
    return hickam.query(model, given, do, {"death": True}).probability


for asthma in (False, True):
    ill = {"pneumonia": True, "asthma": asthma}
    who = "with" if asthma else "without"
    print(f"{who} asthma, of pneumonia die {dies(ill, {}):.3f}", end="; ")
    print(f"with the usual care for everybody {dies(ill, {'care': False}):.3f}")

saved = {"pneumonia": True, "asthma": True, "care": True, "death": False}
answer = hickam.query(model, saved, {"care": False}, {"death": True})[0]
print(f"of asthmatics saved in intensive care, usual care would have lost {answer.probability:.3f}")
print(f"({answer.status}; between {answer.lower:.3f} and {answer.upper:.3f})")
