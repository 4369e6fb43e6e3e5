"""Patients and doctors drawn from a network that is not quite the one they are judged with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hickam.evidence.case import Case, Evidence
from hickam.evidence.vignette import Opinion, Vignette
from hickam.inference.single_fault import single_fault
from hickam.issues import error, invalid, raise_errors
from hickam.learn.numbers import Numbers
from hickam.model.adapted import Circumstances, adapted
from hickam.model.is_a import kinds_of
from hickam.model.network import Ints, Network

Flags = npt.NDArray[np.bool_]
MOST = 10.0  # of the log odds by which a world may differ, and of the power of a prior
ATTEMPTS = 2000  # patients drawn, at most, for one with enough findings
CLASSES = ((0.1, "very common"), (0.01, "common"), (0.001, "uncommon"), (0.0001, "rare"))


@dataclass(frozen=True, slots=True)
class Simulation:
    """How patients come about, what is reported of them, and who looks at them.

    `diseases` "one": a vignette writer picks one disease, the commoner the likelier (prior to the
    power `case_mix`), and describes a patient who has only that. "network": patients as the world
    makes them, with every disease they happen to have; the truth is the disease that causes most
    of the reported findings. `distortion` is the standard deviation, in log odds, by which every
    prior and link of the world differs from the network.
    """

    patients: int = 200
    diseases: str = "one"
    truth: str = "cause"  # or "silent": a disease the patient has that causes nothing reported
    case_mix: float = 0.5
    distortion: float = 0.5
    report_present: float = 0.7  # share of the patient's findings that are reported
    report_absent: float = 0.05  # share of what the patient does not have that is reported absent
    report_wrong: float = 0.02  # share of reported findings that are mistaken for another
    report_risks: float = 0.3  # share of risk factors that are asked about
    least_findings: int = 2
    most_findings: int = 8
    doctors: int = 0
    skill: float = 0.7  # mean skill of doctors: 1 knows the world and sees everything
    opinions: int = 3  # per patient

    def check(self) -> None:
        """Refuse values without meaning, all at once."""
        shares = ("report_present", "report_absent", "report_wrong", "report_risks", "skill")
        issues = [
            error(f"simulate: {name}", f"is {getattr(self, name)!r}", "give a share from 0 to 1")
            for name in shares
            if not _is_number(getattr(self, name)) or not 0.0 <= getattr(self, name) <= 1.0
        ]
        counts = ("patients", "least_findings", "most_findings", "doctors", "opinions")
        issues += [
            error(f"simulate: {name}", f"is {getattr(self, name)!r}", "give a whole number >= 0")
            for name in counts
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 0
        ]
        issues += [
            error(
                f"simulate: {name}",
                f"is {getattr(self, name)!r}",
                f"give a number from 0 to {MOST:g}",
            )
            for name in ("distortion", "case_mix")
            if not _is_number(getattr(self, name)) or not 0.0 <= getattr(self, name) <= MOST
        ]
        if self.diseases not in ("one", "network"):
            issues.append(
                error(f"simulate: diseases {self.diseases!r}", "is not known", "'one' or 'network'")
            )
        if self.truth not in ("cause", "silent") or (self.truth, self.diseases) == (
            "silent",
            "one",
        ):
            fix = "'cause', or 'silent' with diseases: network"
            issues.append(error(f"simulate: truth {self.truth!r}", "cannot be asked", fix))
        raise_errors(issues)


def _is_number(value: object) -> bool:
    """Whether a value is a number and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def simulate(network: Network, plan: Simulation, rng: np.random.Generator) -> list[Vignette]:
    """Vignettes of simulated patients, with the opinions of simulated doctors."""
    plan.check()
    world = distort(network, plan.distortion, rng)
    skills = np.clip(rng.normal(plan.skill, 0.12, plan.doctors), 0.0, 1.0)
    found = []
    for number in range(plan.patients):
        patient = _draw(world, plan, rng)
        vignette = _describe(world, patient, plan, f"s{number + 1:05d}", rng)
        who = rng.permutation(plan.doctors)[: plan.opinions]
        opinions = tuple(_opinion(world, patient, f"doctor {d + 1}", skills[d], rng) for d in who)
        found.append(replace(vignette, opinions=opinions))
    return found


def distort(network: Network, spread: float, rng: np.random.Generator) -> Network:
    """A world like the network, with log-odds noise on every prior, leak and link.

    Of a finding with kinds, what it has besides them is moved: a kind still comes with the whole.
    """
    if not spread:
        return network
    numbers = Numbers.of(network)
    chance = numbers.values
    odds = chance * np.exp(rng.normal(0.0, spread, numbers.size))
    return numbers.network_with(odds / (odds + 1.0 - chance))


@dataclass(frozen=True, slots=True, eq=False)
class _Patient:
    risks: Flags  # [risk factor]
    findings: Flags  # [finding]
    caused_by: Ints  # [finding]  the disease that caused it, -1 for the leak or an absent finding
    reported: Ints  # the present findings that are reported
    truth: int


def _draw(world: Network, plan: Simulation, rng: np.random.Generator) -> _Patient:
    """One patient with enough findings to report, caused by a disease."""
    for _ in range(ATTEMPTS):
        risks, diseases = (_one if plan.diseases == "one" else _everything)(world, plan, rng)
        findings, caused_by = _findings(world, diseases, rng)
        reported = np.flatnonzero(findings & (rng.random(len(findings)) < plan.report_present))
        if len(reported) > plan.most_findings:
            reported = rng.choice(reported, plan.most_findings, replace=False)
        causes = caused_by[reported]
        if len(reported) >= max(plan.least_findings, 1) and (causes >= 0).any():
            truth = _truth(diseases, causes[causes >= 0], plan.truth, rng)
            if truth is not None:
                return _Patient(risks, findings, caused_by, reported, truth)
    raise invalid(
        "simulate",
        f"drew {ATTEMPTS} patients without enough findings",
        "lower least_findings or raise report_present",
    )


def _truth(diseases: Flags, causes: Ints, kind: str, rng: np.random.Generator) -> int | None:
    """The disease to be found: the main cause, or one that causes nothing reported."""
    if kind == "cause":
        return int(np.bincount(causes).argmax())
    silent = np.setdiff1d(np.flatnonzero(diseases), causes)
    return int(rng.choice(silent)) if len(silent) else None


def _everything(world: Network, _plan: Simulation, rng: np.random.Generator) -> tuple[Flags, Flags]:
    """(risk factors, diseases) of a patient as the world makes them."""
    risks = rng.random(len(world.risk_factors)) < world.risk_prior
    links = world.causes
    fired = risks[links.cause] & (rng.random(len(links)) < links.acts)
    diseases = rng.random(len(world.diseases)) < world.disease_leak
    diseases[links.effect[fired]] = True
    return risks, diseases


def _one(world: Network, plan: Simulation, rng: np.random.Generator) -> tuple[Flags, Flags]:
    """(risk factors, diseases) of a patient written around one disease.

    Risk factors come from 32 drawn sets, picked by how likely each makes the disease.
    """
    weight = world.prior**plan.case_mix * (world.prior > 0.0)
    disease = int(rng.choice(len(weight), p=weight / weight.sum()))
    links = world.causes
    into = links.of_effect(disease)
    drawn = rng.random((32, len(world.risk_factors))) < world.risk_prior
    stays_off = np.prod(np.where(drawn[:, links.cause[into]], links.fails[into], 1.0), axis=1)
    chance = 1.0 - world.disease_leak_fails[disease] * stays_off
    total = chance.sum()
    pick = int(rng.choice(32, p=chance / total)) if total > 0.0 else 0
    diseases = np.zeros(len(world.diseases), dtype=bool)
    diseases[disease] = True
    return drawn[pick], diseases


def _findings(world: Network, diseases: Flags, rng: np.random.Generator) -> tuple[Flags, Ints]:
    """(findings, the disease behind each) that a patient's diseases and the leaks produce.

    A kind of a finding brings the finding along; what that has besides its kinds is drawn apart.
    """
    kinds = kinds_of(world)
    world = adapted(world, Circumstances(apart=tuple(kinds.nearest.items())))
    links = world.effects
    findings = rng.random(len(world.findings)) < world.finding_leak
    caused_by = np.full(len(world.findings), -1)
    active = np.flatnonzero(diseases[links.cause])
    fired = active[rng.random(len(active)) < links.acts[active]]
    fired = rng.permutation(fired)
    findings[links.effect[fired]] = True
    caused_by[links.effect[fired]] = links.cause[fired]
    for kind, wider in kinds.above.items():
        for finding in wider if findings[kind] else ():
            if not findings[finding] or caused_by[finding] < 0:
                caused_by[finding] = caused_by[kind]
            findings[finding] = True
    return findings, caused_by


def _describe(
    world: Network, patient: _Patient, plan: Simulation, name: str, rng: np.random.Generator
) -> Vignette:
    """What is written down about a patient."""
    size = len(world.findings)
    wrong = rng.random(len(patient.reported)) < plan.report_wrong
    written = np.where(wrong, rng.integers(0, size, len(patient.reported)), patient.reported)
    present = list(dict.fromkeys(written.tolist()))
    denied = ~patient.findings & (rng.random(size) < plan.report_absent)
    above = kinds_of(world).above
    denied[[f for finding in present for f in (finding, *above.get(finding, ()))]] = False
    asked = np.flatnonzero(rng.random(len(world.risk_factors)) < plan.report_risks)
    disease = world.diseases[patient.truth]
    prior = world.prior[patient.truth]
    case = Case(
        id=name,
        present=[world.findings[finding] for finding in present],
        absent=[world.findings[finding] for finding in np.flatnonzero(denied)],
        risks={world.risk_factors[risk]: bool(patient.risks[risk]) for risk in asked},
    )
    causes = {
        world.findings[f]: world.diseases[patient.caused_by[f]]
        for f in present
        if patient.caused_by[f] >= 0
    }
    rareness = next((word for bound, word in CLASSES if prior >= bound), "very rare")
    return Vignette(name, case, (disease,), rareness=rareness, author="simulated", causes=causes)


def _opinion(
    world: Network, patient: _Patient, doctor: str, skill: float, rng: np.random.Generator
) -> Opinion:
    """A doctor who sees more than is written down but knows the world imperfectly.

    Diseases are ordered by log single-fault probability plus noise that shrinks with skill.
    """
    seen = np.flatnonzero(patient.findings & (rng.random(len(patient.findings)) < 0.5 + skill / 2))
    evidence = Evidence(
        present=np.union1d(seen, patient.reported[:1]).astype(np.int64),
        absent=np.array([], dtype=np.int64),
        risks_on=np.flatnonzero(patient.risks).astype(np.int64),
        risks_off=np.array([], dtype=np.int64),
        likelihood=np.ones(len(world.diseases)),
    )
    chance = single_fault(world, evidence)
    noise = rng.gumbel(0.0, 0.3 + 4.0 * (1.0 - skill), len(chance))
    order = np.argsort(-(np.log(chance + 1e-12) + noise), kind="stable")
    size = 1 + min(int(rng.poisson(1.6)), len(order) - 1)
    return Opinion(doctor, tuple((world.diseases[disease],) for disease in order[:size]))
