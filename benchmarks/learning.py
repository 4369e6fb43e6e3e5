"""Learning: do intervals hold the truth, are missing links found, and how long does it take?

python benchmarks/learning.py                     # recovery and missing links on random networks
python benchmarks/learning.py --recording         # the same, findings written down by a mechanism
python benchmarks/learning.py --clinic 100000     # the time for so many records of the clinic
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

import hickam
from hickam.io.network_document import document_of
from hickam.learn.batch import batches
from hickam.learn.criticise import criticise
from hickam.learn.em import log_odds
from hickam.learn.expect import expect
from hickam.learn.numbers import Numbers, numbers_of
from hickam.learn.records import UNKNOWN, Records
from hickam.learn.run import Learning, Plan, learn_from
from hickam.learn.simulate import simulate_records
from hickam.model.network import Network
from hickam.model.random import Recipe, random_network

RECIPE = Recipe(risk_factors=4, diseases=6, findings=8, disease_leak=(0.005, 0.1))
FEW = Recipe(risk_factors=3, diseases=4, findings=6, disease_leak=(0.01, 0.1), effects=(2, 4))
TRUST = {"estimate": 1.0, "cited": 1.0}
# shares of yes and of no that are written down, and what is said of empty cells
MECHANISMS = (
    (0.7, 0.7, ""),
    (1.0, 0.0, "absent"),
    (0.6, 0.0, "absent:0.6"),
    (0.6, 0.0, "absent"),
    (0.6, 0.0, "unknown"),
    (0.8, 0.2, "model:0.8,0.2"),
    (0.8, 0.2, "model"),
    (0.8, 0.2, "unknown"),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--recording", action="store_true")
    parser.add_argument("--clinic", type=int, default=0, help="records of the clinic")
    parser.add_argument("--missing-risks", type=float, default=0.0)
    parser.add_argument("--settings", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.clinic:
        clinic(given)
        return
    if given.recording:
        recording(given.networks, 4000)
        return
    recovery(given.networks, given.records)
    missing_links(given.networks, given.records // 2)


def recovery(networks: int, records: int) -> None:
    """Share of true numbers inside their 95 % interval, from a start that is off."""
    inside, looks = [], []
    for seed in range(networks):
        rng = np.random.default_rng(seed)
        truth = numbers_of(random_network(rng, RECIPE))
        drawn = simulate_records(truth, records, rng, missing=0.3)
        found = learn_from(moved(truth, 0.7, rng), drawn, Plan(trust=TRUST))
        inside += held(found, truth).tolist()
        looks.append(found.state.looks)
    share, count = np.mean(inside), len(inside)
    print(
        f"recovery: {networks} random networks, {records} records each, 30 % of all values missing"
    )
    print(f"  {100 * share:.1f} % of {count} numbers inside their 95 % interval")
    print(f"  {np.mean(looks):.0f} steps on average")


def recording(networks: int, records: int) -> None:
    """Recovery, and how often the likeliest disease is there, by how findings are written down."""
    print("| yes | no | `--unmentioned` | inside | truth | start | learnt |")
    for yes, no, said in MECHANISMS:
        inside, shares = [], []
        for seed in range(networks):
            rng = np.random.default_rng(seed)
            truth = numbers_of(random_network(rng, FEW))
            drawn = simulate_records(truth, records, rng, hide_diseases=0.1, hide_risks=0.1)
            written = rng.random(drawn.findings.shape) < np.where(drawn.findings == 1, yes, no)
            drawn = replace(drawn, findings=np.where(written, drawn.findings, UNKNOWN))
            start = moved(truth, 0.7, rng)
            found = learn_from(start, drawn, Plan(trust=TRUST, unmentioned=choices(start, said)))
            low, high = found.certainty.low[: truth.size], found.certainty.high[: truth.size]
            inside += ((low <= truth.values) & (truth.values <= high)).tolist()
            others = simulate_records(truth, 3000, rng)
            models = (truth.network, start, found.network())
            shares.append([first_is_there(model, others) for model in models])
        told = " | ".join(f"{100 * share:.1f} %" for share in np.mean(shares, axis=0))
        print(f"| {yes:g} | {no:g} | {said or '-'} | {100 * np.mean(inside):.1f} % | {told} |")


def choices(network: Network, said: str) -> list[str]:
    """What is said, but of findings without links: no model has an answer for those."""
    linked = set(network.effects.effect.tolist())
    alone = [name for at, name in enumerate(network.findings) if at not in linked]
    return [said, *(f"{name}=unknown" for name in alone if said == "model")] if said else []


def first_is_there(network: Network, records: Records) -> float:
    """How often an ill patient has the likeliest disease, diseases being hidden."""
    numbers = numbers_of(network)
    hidden = replace(records, diseases=np.full_like(records.diseases, UNKNOWN))
    found = [
        expect(numbers, numbers.values, batch, posterior=True).posterior
        for batch in batches(numbers, hidden)
    ]
    first = np.concatenate(found).argmax(axis=1)
    ill = (records.diseases == 1).any(axis=1)
    return float((records.diseases[np.arange(len(first)), first] == 1)[ill].mean())


def missing_links(networks: int, records: int) -> None:
    """How often a link that was taken away is proposed first, and what is proposed by chance."""
    first = tried = alarms = misfits = 0
    for seed in range(networks):
        rng = np.random.default_rng(1000 + seed)
        full = random_network(rng, RECIPE)
        drawn = simulate_records(numbers_of(full), records, rng, missing=0.3)
        right = criticise(full, drawn)
        alarms += len(right.proposals) > 0
        misfits += len(right.misfits) > 0
        links = full.effects
        able = np.flatnonzero((links.acts > 0.3) & (full.prior[links.cause] > 0.03))
        if not len(able):
            continue
        link = int(rng.choice(able))
        pair = full.diseases[links.cause[link]], full.findings[links.effect[link]]
        found = criticise(without(full, pair), drawn).proposals
        tried += 1
        first += bool(found) and (found[0].cause, found[0].effect) == pair
    print(f"missing links: {records} records each, 30 % of all values missing")
    print(f"  {first} of {tried} links that were taken away are proposed first")
    print(f"  right networks with a proposal: {alarms} of {networks}; with a misfit: {misfits}")


def clinic(given: argparse.Namespace) -> None:
    """The time to learn the clinic network."""
    truth = numbers_of(hickam.load("clinic"))
    rng = np.random.default_rng(0)
    drawn = simulate_records(truth, given.clinic, rng, missing=0.3, hide_risks=given.missing_risks)
    start = moved(truth, 0.5, rng)
    wall, cpu = time.perf_counter(), time.process_time()
    found = learn_from(start, drawn, Plan(workers=given.workers, settings=given.settings))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"clinic: {given.clinic} records, 30 % of findings and diseases and "
        f"{100 * given.missing_risks:.0f} % of risk factors missing"
    )
    print(f"  {cpu:.0f} s of processor time, {wall:.0f} s on {given.workers} threads")
    print(f"  {found.state.looks} steps, converged: {found.state.done}, drawn: {found.drawn}")
    told = found.told & (found.totals.acted > 5.0)
    inside = held(found, truth)
    share = 100 * inside[told].mean()
    print(f"  {share:.1f} % of {told.sum()} numbers that acted 5 times inside their interval")


def moved(numbers: Numbers, spread: float, rng: np.random.Generator) -> Network:
    """The network with noise on the log odds of every number."""
    values = numbers.values.copy()
    free = (values > 0.0) & (values < 1.0)
    noise = rng.normal(0.0, spread, free.sum())
    values[free] = 1.0 / (1.0 + np.exp(-(log_odds(values[free]) + noise)))
    return numbers.network_with(values)


def without(network: Network, pair: tuple[str, str]) -> Network:
    """The network without one link."""
    document = document_of(network)
    for finding in document["findings"]:
        if finding["id"] == pair[1]:
            del finding["causes"][pair[0]]
    found = hickam.from_dict(document)
    assert isinstance(found, Network)
    return found


def held(found: Learning, truth: Numbers) -> np.ndarray:
    """[number] whether the true one is inside its interval."""
    return (found.certainty.low <= truth.values) & (truth.values <= found.certainty.high)


if __name__ == "__main__":
    main()
