"""Interviews on public data and on the stories of `clinic`, beside other ways of asking.

    HICKAM_INTERVIEWS=FOLDER python benchmarks/interview.py --symcat 200 300 400
    HICKAM_INTERVIEWS=FOLDER python benchmarks/interview.py --two-diseases --dxy --ddxplus
    python benchmarks/interview.py --clinic --triage --loss
    python benchmarks/interview.py --transcripts 30 --missed

Every table has top-1/3/5 in per cent with 95 % intervals over patients (Wilson), the mean number of
questions, and the processor time of a question. Policies: `hickam` (ours, with its stop),
`information` (one step, about which single disease it is, stopping below 0.05 nats: the rule of
Guan and Baral's BED), `random`, and `everything` (all answers known).
The price was chosen with seed 7 on SymCAT 200 and 400; what is printed is for another seed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import interview_data as data
import numpy as np
import yaml

import hickam
from hickam.advise.answers import answers_to
from hickam.advise.by_inference import information, outcomes_of
from hickam.advise.explanations import explain, matched
from hickam.advise.interview import Interview
from hickam.advise.next_question import next_question
from hickam.advise.red_flags import red_flags
from hickam.advise.triage import triage
from hickam.advise.worth import about_explanations
from hickam.evidence.implied import implied
from hickam.evidence.locate import locate
from hickam.infer import infer_located, take
from hickam.model.adapted import adapted
from hickam.model.network import URGENCY_CLASSES
from hickam.report.interview import of_question, of_summary

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
ONE = 1e-6  # the dial: exactly one disease
PRICE = 0.08  # bits that a question must be worth where at most ten are asked
LOW_PRICE = 0.02  # and where more may be asked: the price of an interview as it is
EVERYTHING = ("finding", "risk factor", "category")
CUTS = (1, 3, 5)

Pick = tuple[str, str]  # (what it is about, id)
Policy = Callable[[hickam.Network, hickam.Case, Collection[str], int], Pick | None]


def ours(dial: float = ONE, price: float = PRICE, objective: str = "plain") -> Policy:
    def pick(network: hickam.Network, case: hickam.Case, skip: Collection[str], left: int):
        advice = next_question(
            network,
            case,
            objective=objective,
            about=EVERYTHING,
            skip=skip,
            left=left,
            alpha=price,
            top=1,
            dial=dial,
        )
        return None if advice.stop else (advice.questions[0].about, advice.questions[0].id)

    return pick


def one_step(stop: float, dial: float = ONE) -> Policy:
    """Information about which explanation holds, one step ahead."""

    def pick(network: hickam.Network, case: hickam.Case, skip: Collection[str], left: int):
        evidence, _ = take(network, case, {"dial": dial})
        found = explain(network, evidence)
        answers = answers_to(network, evidence, found, skip=skip, categories=case.categories)
        if not answers.questions:
            return None
        bits = about_explanations(answers, found.weight)
        best = answers.questions[int(bits.argmax())]
        return None if bits.max() < stop else (best.kind, best.id)

    return pick


def at_random(seed: int) -> Policy:
    rng = np.random.default_rng(seed)

    def pick(network: hickam.Network, case: hickam.Case, skip: Collection[str], left: int):
        known = {*case.present, *case.absent, *case.categories, *skip}
        open_ = [("finding", f) for f in network.findings if f not in known]
        open_ += [("category", c.id) for c in network.categories if c.id not in known]
        return open_[int(rng.integers(len(open_)))] if open_ else None

    return pick


def told(case: hickam.Case, about: str, asked: str, answer: str) -> hickam.Case:
    if about == "category":
        return replace(case, categories={**case.categories, asked: answer})
    if about == "risk factor":
        return replace(case, risks={**case.risks, asked: answer == "yes"})
    if answer == "yes":
        return replace(case, present=(*case.present, asked))
    return replace(case, absent=(*case.absent, asked))


def waiting(follows: dict[str, str], case: hickam.Case) -> list[str]:
    """The follow-ups whose question has not been answered with yes."""
    return [name for name, parent in follows.items() if parent not in case.present]


@dataclass
class Tally:
    """What came of the interviews of one policy."""

    ranks: list[list[int]]  # of each true disease of each patient
    asked: list[int]
    seconds: float

    def row(self, name: str) -> str:
        size = len(self.ranks)
        cells = []
        for cut in CUTS:
            low, high = wilson(sum(max(ranks) <= cut for ranks in self.ranks), size)
            mean = 100.0 * sum(max(ranks) <= cut for ranks in self.ranks) / size
            cells.append(f"{mean:5.1f} [{100 * low:4.1f}, {100 * high:4.1f}]")
        questions = sum(self.asked)
        per = 1e3 * self.seconds / questions if questions else 0.0
        return f"{name:<14} {size:>5}  {'  '.join(cells)}  {questions / size:5.2f}  {per:6.1f}"


HEAD = (
    f"{'policy':<14} {'n':>5}  {'top 1':<18}  {'top 3':<18}  {'top 5':<18}  {'asked':>5}  {'ms':>6}"
)


def wilson(hits: int, size: int) -> tuple[float, float]:
    """A 95 % interval of a proportion."""
    z, p = 1.96, hits / size
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size)) / (1 + z * z / size)
    return middle - half, middle + half


def conduct(
    network: hickam.Network,
    patients: Sequence[data.Patient],
    policy: Policy,
    limit: int,
    measure: str,
    follows: dict[str, str] | None = None,
) -> Tally:
    """Interviews of all patients by one policy."""
    tally = Tally([], [], 0.0)
    for patient in patients:
        case, count = patient.case, 0
        while count < limit:
            begun = time.process_time()
            picked = policy(network, case, waiting(follows or {}, case), limit - count)
            tally.seconds += time.process_time() - begun
            if picked is None:
                break
            case = told(case, *picked, patient.answer(*picked))
            count += 1
        tally.asked.append(count)
        tally.ranks.append(ranks_of(network, case, patient.truth, measure))
    return tally


def ranks_of(
    network: hickam.Network, case: hickam.Case, truth: Sequence[str], measure: str
) -> list[int]:
    """The rank of each true disease; among equals the worst."""
    beliefs = hickam.infer(network, case)
    score = beliefs.single_fault if measure == "single_fault" else beliefs.posterior
    return [int(np.sum(score >= score[network.index[disease]])) for disease in truth]


def knowing_all(network: hickam.Network, patients: Sequence[data.Patient], measure: str) -> Tally:
    tally = Tally([], [], 0.0)
    for patient in patients:
        case = patient.case
        for about, names in (
            ("finding", network.findings),
            ("category", [c.id for c in network.categories]),
        ):
            for name in names:
                if name not in (*case.present, *case.absent, *case.categories):
                    case = told(case, about, name, patient.answer(about, name))
        tally.asked.append(0)
        tally.ranks.append(ranks_of(network, case, patient.truth, measure))
    return tally


def compare(
    network: hickam.Network,
    patients: Sequence[data.Patient],
    *,
    limit: int,
    price: float = PRICE,
    follows: dict[str, str] | None = None,
) -> None:
    print(HEAD)
    nats = 0.05 / math.log(2.0)
    for name, policy in (
        ("hickam", ours(price=price)),
        ("information", one_step(nats)),
        ("random", at_random(3)),
    ):
        tally = conduct(network, patients, policy, limit, "single_fault", follows)
        print(tally.row(name), flush=True)
    print(knowing_all(network, patients, "single_fault").row("everything"), flush=True)


def run_symcat(subsets: Sequence[str], count: int, seed: int) -> None:
    for subset in subsets:
        network = data.symcat(subset)
        print(f"\nSymCAT, {len(network.diseases)} diseases, at most 10 questions")
        compare(network, data.symcat_patients(network, count, seed), limit=10)


def run_two(count: int, seed: int) -> None:
    network = data.symcat("200")
    patients = data.symcat_patients(network, count, seed, diseases=2)
    for limit in (10, 20):
        print(f"\nTwo diseases of SymCAT 200, at most {limit} questions: BOTH among the first")
        print(HEAD)
        for name in ("differential", "every_disease"):
            policy = ours(dial=1.0, price=0.0, objective=name)
            print(conduct(network, patients, policy, limit, "posterior").row(name), flush=True)
        one = conduct(network, patients, ours(price=0.0), limit, "single_fault")
        print(one.row("single fault"), flush=True)


def run_dxy() -> None:
    network, patients = data.dxy()
    print("\nDxy, test dialogues, answers yes, no, not sure")
    compare(network, patients, limit=20, price=LOW_PRICE)


def run_ddxplus(count: int, seed: int) -> None:
    found = data.ddxplus()
    print("\nDDXPlus, drawn from its statistics, with categories and follow-ups")
    patients = data.ddxplus_patients(found, count, seed)
    compare(found.network, patients, limit=15, price=LOW_PRICE, follows=dict(found.follows))


def stories(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((GOLDEN / f"clinic_{name}.yaml").read_text("utf-8"))


def vaguest(network: hickam.Network, present: Sequence[str]) -> list[str]:
    """The two present findings that most patients have."""
    links = network.effects
    fired = np.log1p(-network.prior[links.cause] * links.acts)
    quiet = np.log1p(-network.finding_leak)
    quiet += np.bincount(links.effect, fired, len(network.findings))
    return sorted(present, key=lambda finding: quiet[network.index[finding]])[:2]


def answer_of(network: hickam.Network, story: dict[str, Any], about: str, asked: str) -> str:
    """What the patient of a story says; what the story neither mentions nor implies is not there.

    Who has pain in the right lower belly says yes to pain in the belly. A test that the story does
    not mention has not been done.
    """
    if about == "category":
        return story.get(asked, "?")
    if about == "risk factor":
        return "yes" if asked in story.get("risks", ()) else "no"
    told = implied(network, locate(hickam.Case(present=story["present"]), network))
    if told.get(asked):
        return "yes"
    return "?" if network.entries[asked].kind == "test" else "no"


def talk_of(network: hickam.Network, story: dict[str, Any], limit: int) -> Interview:
    """The interview of a story: of what the patient comes with, or the two vaguest findings."""
    first = story.get("first") or vaguest(network, story["present"])
    case = hickam.Case(present=first, sex=story["sex"], age=story["age"])
    return hickam.interview(network, case, limit=limit)


def conducted(network: hickam.Network, story: dict[str, Any], limit: int) -> list[Interview]:
    """The interview of a story after each answer."""
    talks = [talk_of(network, story, limit)]
    while (question := talks[-1].question) is not None:
        talks.append(talks[-1].answer(answer_of(network, story, question.about, question.id)))
    return talks


def rank_of(talk: Interview, story: dict[str, Any]) -> int:
    return min(talk.differential.of(disease).rank for disease in story["truth"])


def run_clinic(limit: int) -> None:
    """From the two vaguest findings of each presentation, with age and sex."""
    network = hickam.load("clinic")
    print(f"\nclinic, from the two vaguest findings, at most {limit} questions")
    print(HEAD)
    for name, chosen in told_stories().items():
        tally = Tally([], [], 0.0)
        gaps = []
        for story in chosen:
            begun = time.process_time()
            talk = conducted(network, story, limit)[-1]
            tally.seconds += time.process_time() - begun
            tally.asked.append(len(talk.turns))
            tally.ranks.append([rank_of(talk, story)])
            assert talk.triage is not None
            classes = (URGENCY_CLASSES.index(network.entries[d].urgency) for d in story["truth"])
            gaps.append(URGENCY_CLASSES.index(talk.triage.level) - min(classes))
        late, early = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
        print(tally.row(name), f" at the end {late} seen too late, {early} too early", flush=True)


def told_stories() -> dict[str, list[dict[str, Any]]]:
    """The patients with one disease, by the set they are from; `truth` is what counts as found.

    Of the vignettes those with at least three findings, so that there is something to ask for.
    """
    told = [{**story, "truth": [story["disease"]]} for story in stories("presentations")]
    sets = {
        "classic": [story for story in told if not story.get("held_out")],
        "held out": [story for story in told if story.get("held_out")],
    }
    for name in ("vignettes", "vignettes_held"):
        sets[name] = [
            {**story["mapped"], "sex": story["sex"], "age": story["age"], "truth": truth}
            for story in stories(name)
            for truth in story["mapped"]["diseases"][:1]
            if len(story["mapped"]["diseases"]) == 1 and len(story["mapped"]["present"]) > 2
        ]
    written = stories("interviews")
    return {**sets, "for interviews": [{**s, "truth": [s["disease"]]} for s in written]}


def run_transcripts(count: int, missed: bool) -> None:
    """Interviews to read aloud: so many, and all that do not end with the disease in front."""
    network = hickam.load("clinic")
    told = [(name, story) for name, chosen in told_stories().items() for story in chosen]
    some = range(0, len(told), max(1, len(told) // count))[:count] if count else range(0)
    for at, (name, story) in enumerate(told):
        if not missed and at not in some:
            continue
        talks = conducted(network, story, 8)
        if at not in some and rank_of(talks[-1], story) == 1:
            continue
        shown = ", ".join(network.label(f) for f in talks[0].case.present)
        title = story.get("title") or network.label(story["truth"][0])
        print(f"\n=== {name}: {title} ({story['sex']}, {story['age']}): {shown}")
        for before, after in pairwise(talks):
            assert before.question is not None
            number, answer = len(after.turns), after.turns[-1].answer
            print(f"{of_question(before.question, number)}  {answer}")
        for line in of_summary(talks[-1]):
            print("   " + line)


def run_triage() -> None:
    """Under- and over-triage, and how often a dangerous disease is among the red flags."""
    network = hickam.load("clinic")
    sets = {
        "classic": [s for s in stories("presentations") if not s.get("held_out")],
        "held out": [s for s in stories("presentations") if s.get("held_out")],
        "everyday": [
            {**s, "disease": s.get("disease") or s["first"][0]} for s in stories("common_sense")
        ],
        "two vaguest": [
            {**s, "present": vaguest(network, s["present"]), "absent": [], "risks": []}
            for s in stories("presentations")
        ],
    }
    print("\nTriage on clinic     n  right  under  over   flags a story  dangerous disease flagged")
    for name, chosen in sets.items():
        under = over = flags = dangerous = flagged = 0
        for story in chosen:
            case = hickam.Case(
                present=story["present"],
                absent=story.get("absent", ()),
                risks=dict.fromkeys(story.get("risks", ()), True),
                categories={"duration": story["duration"]} if "duration" in story else {},
                sex=story["sex"],
                age=story["age"],
            )
            evidence, beliefs = infer_located(network, case, "auto", {})
            verdict = triage(network, evidence, beliefs)
            assert verdict is not None
            truth = network.entries[story["disease"]].urgency
            gap = URGENCY_CLASSES.index(verdict.level) - URGENCY_CLASSES.index(truth)
            under, over = under + (gap > 0), over + (gap < 0)
            found = red_flags(network, evidence, beliefs, top=99)
            flags += len(found)
            if network.entries[story["disease"]].urgent:
                dangerous += 1
                flagged += story["disease"] in {flag.disease for flag in found.flags}
        size = len(chosen)
        print(
            f"{name:<16} {size:>5} {size - under - over:>6} {under:>6} {over:>5} "
            f"{flags / size:>15.1f}  {flagged} of {dangerous}"
        )


def run_loss() -> None:
    """How the values from explanations compare with one inference for each answer."""
    network = hickam.load("clinic")
    agree, shares, gaps, matches = 0, [], [], []
    chosen = stories("presentations")[::6]
    for story in chosen:
        case = hickam.Case(
            present=vaguest(network, story["present"]), sex=story["sex"], age=story["age"]
        )
        evidence = locate(case, network)
        outcomes = outcomes_of(network, case, 32, {})
        exact = dict(zip(outcomes.findings.tolist(), information(outcomes), strict=True))
        found = explain(adapted(network, evidence.circumstances), evidence)
        for close, kept in ((found, gaps), (matched(found, outcomes.now), matches)):
            posterior = found.background.copy()
            posterior[found.diseases] = close.posterior
            kept.append(float(np.abs((posterior - outcomes.now) * outcomes.suspects).max()))
        asked = next_question(network, case, top=32).questions
        best = max(exact, key=lambda finding: exact[finding])
        ids = [network.index[question.id] for question in asked]
        agree += best in ids[:5]
        shares.append(exact.get(ids[0], 0.0) / exact[best])
    size = len(chosen)
    print(f"\nExplanations against inference, {size} stories of clinic, risk factors unobserved")
    print(f"largest gap of a posterior: median {np.median(gaps):.3f}, worst {max(gaps):.3f}")
    print(f"  matched: median {np.median(matches):.3f}, worst {max(matches):.3f}")
    print(f"the finding that tells most about all suspects is among our first five: {agree}/{size}")
    print(f"our first question tells {100 * np.mean(shares):.0f} % of what that finding tells")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--symcat", nargs="+", default=[], metavar="SUBSET")
    for flag in ("two-diseases", "dxy", "ddxplus", "clinic", "triage", "loss"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--transcripts", type=int, default=0, metavar="N")
    parser.add_argument("--missed", action="store_true", help="transcripts of what was not found")
    parser.add_argument("--patients", type=int, default=300)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--questions", type=int, default=8, help="of the interviews on clinic")
    asked = parser.parse_args()
    if asked.symcat:
        run_symcat(asked.symcat, asked.patients, asked.seed)
    if asked.two_diseases:
        run_two(asked.patients, asked.seed)
    if asked.dxy:
        run_dxy()
    if asked.ddxplus:
        run_ddxplus(asked.patients, asked.seed)
    if asked.clinic:
        run_clinic(asked.questions)
    if asked.triage:
        run_triage()
    if asked.loss:
        run_loss()
    if asked.transcripts or asked.missed:
        run_transcripts(asked.transcripts, asked.missed)


if __name__ == "__main__":
    main()
