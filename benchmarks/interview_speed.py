"""How much processor time lies between an answer and the next question.

    OPENBLAS_NUM_THREADS=1 python benchmarks/interview_speed.py
    HICKAM_INTERVIEWS=FOLDER OPENBLAS_NUM_THREADS=1 python benchmarks/interview_speed.py --symcat

On `clinic`, findings of several presentations together, from 2 to 20: the question with its stop
check, with it the differential, red flags and triage, and these at the end of the interview. Of
SymCAT with all its diseases: one question of patients with one disease. Medians of processor time,
in milliseconds; threads of linear algebra that wait for each other count as work, so give it
one.
"""

from __future__ import annotations

import argparse
import time

import interview as interviews
import interview_data as data
import numpy as np

import hickam

CASES = 7


def run_clinic(counts: tuple[int, ...]) -> None:
    network = hickam.load("clinic")
    stories = interviews.stories("presentations")
    rng = np.random.default_rng(1)
    print("clinic: findings  question  and all that is shown (ms, median and worst)  at the end")
    for count in counts:
        asked, shown, ended = [], [], []
        for _ in range(CASES):
            present: list[str] = []
            for at in rng.permutation(len(stories)).tolist():
                present += [f for f in stories[at]["present"] if f not in present]
            talk = hickam.interview(network, hickam.Case(present=present[:count], age=50.0))
            begun = time.process_time()
            _ = talk.advice
            asked.append(1e3 * (time.process_time() - begun))
            talk.to_dict()
            shown.append(1e3 * (time.process_time() - begun))
            begun = time.process_time()
            talk.end().to_dict()
            ended.append(1e3 * (time.process_time() - begun))
        print(
            f"{count:>16} {np.median(asked):9.0f} {np.median(shown):9.0f} {max(shown):9.0f}"
            f" {np.median(ended):9.0f} {max(ended):9.0f}",
            flush=True,
        )


def run_symcat(patients: int) -> None:
    network = data.symcat("all")
    drawn = data.symcat_patients(network, patients, 11)
    tally = interviews.conduct(network, drawn, interviews.ours(), 10, "single_fault")
    per = 1e3 * tally.seconds / sum(tally.asked)
    print(f"SymCAT, {len(network.diseases)} diseases: {per:.1f} ms a question")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--symcat", action="store_true")
    parser.add_argument("--patients", type=int, default=20)
    asked = parser.parse_args()
    if asked.symcat:
        run_symcat(asked.patients)
    else:
        run_clinic((2, 5, 8, 12, 13, 16, 20))


if __name__ == "__main__":
    main()
