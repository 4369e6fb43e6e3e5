"""Second opinions in a study: position weights are fitted where they are not used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hickam.advise.second_opinion import PositionWeights, with_opinion
from hickam.evidence.case import Assumptions
from hickam.evidence.vignette import Vignette
from hickam.infer import evidence_of
from hickam.inference.single_fault import single_fault
from hickam.model.adapted import adapted
from hickam.model.network import Floats, Ints, Network
from hickam.study.design import Setting

SHARPNESS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1.0)
RIDGE = 0.5  # prior precision of each log weight: folds with few doctors must not explode


@dataclass(frozen=True, slots=True, eq=False)
class Opinions:
    """Every opinion of a study as numbers; class 0 is "not listed", class i is position i."""

    vignette: Ints  # [opinion]
    doctor: Ints  # [opinion]
    doctors: tuple[str, ...]
    place: tuple[int, ...]  # [opinion]  which of its vignette's opinions it is
    size: Ints  # [opinion]
    hit: Ints  # [opinion]  1 if the list holds a true disease

    def __len__(self) -> int:
        return len(self.vignette)


def gather(vignettes: Sequence[Vignette]) -> Opinions:
    """The opinions of all vignettes, in order."""
    rows = [
        (
            number,
            opinion.doctor,
            place,
            opinion.size,
            int(not set(vignette.diseases).isdisjoint(opinion.diseases)),
        )
        for number, vignette in enumerate(vignettes)
        for place, opinion in enumerate(vignette.opinions)
    ]
    doctors = tuple(dict.fromkeys(row[1] for row in rows))
    index = {doctor: number for number, doctor in enumerate(doctors)}
    return Opinions(
        vignette=np.array([row[0] for row in rows], dtype=np.int64),
        doctor=np.array([index[row[1]] for row in rows], dtype=np.int64),
        doctors=doctors,
        place=tuple(row[2] for row in rows),
        size=np.array([row[3] for row in rows], dtype=np.int64),
        hit=np.array([row[4] for row in rows], dtype=np.int64),
    )


def single_fault_scores(
    network: Network, vignettes: Sequence[Vignette], setting: Setting
) -> list[Floats]:
    """Per vignette [disease], the probability of each disease if there is exactly one."""
    assumptions = Assumptions(case_mix=setting.case_mix, prior_shift=setting.prior_shift)
    found = []
    for vignette in vignettes:
        case = vignette.case
        if setting.categories != "evidence":
            case = replace(case, categories={})
        evidence = evidence_of(network, case, assumptions)
        found.append(single_fault(adapted(network, evidence.circumstances), evidence))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """What the fit of position weights needs, for one sharpness."""

    mass: Floats  # [opinion, class]  probability in each class of positions; 0 is "not listed"
    truth: Ints  # [opinion]  class of the truth
    log_truth: Floats  # [opinion]  log probability of the truth without the doctor


def class_masses(
    network: Network,
    vignettes: Sequence[Vignette],
    opinions: Opinions,
    scores: Sequence[Floats],
    positions: int,
) -> dict[float, Masses]:
    """Sharpness → masses under the single-fault probabilities to that power, normalised."""
    found = {}
    for sharpness in SHARPNESS:
        tempered = [score**sharpness / max((score**sharpness).sum(), 1e-300) for score in scores]
        found[sharpness] = _masses(network, vignettes, opinions, tempered, positions)
    return found


def _masses(
    network: Network,
    vignettes: Sequence[Vignette],
    opinions: Opinions,
    chances: Sequence[Floats],
    positions: int,
) -> Masses:
    """The masses of given probabilities."""
    mass = np.zeros((len(opinions), positions + 1))
    truth = np.zeros(len(opinions), dtype=np.int64)
    log_truth = np.zeros(len(opinions))
    for row, (number, place) in enumerate(zip(opinions.vignette, opinions.place, strict=True)):
        vignette, chance = vignettes[number], chances[number]
        listed = vignette.opinions[place].positions
        left = 1.0
        for disease, position in listed.items():
            spot = network.index.get(disease)
            if spot is not None:
                mass[row, min(position, positions)] += chance[spot]
                left -= chance[spot]
        mass[row, 0] = max(left, 1e-12)
        spots = [listed[disease] for disease in vignette.diseases if disease in listed]
        truth[row] = min(*spots, positions) if spots else 0
        own = max(chance[network.index[disease]] for disease in vignette.diseases)
        log_truth[row] = np.log(max(own, 1e-300))
    return Masses(mass, truth, log_truth)


def fit_weights(mass: Floats, truth: Ints) -> Floats:
    """[class] log weights, 0 for unlisted, that make the truths likeliest.

    Assuming one disease, P(truth = k | case, list) is proportional to the single-fault probability
    of k times the weight of its class, so only the probability mass in each class matters:
    log P = w[class of truth] - log sum_c mass[c] exp(w[c]) + constant. Newton's method, concave.
    """
    classes = mass.shape[1]
    weights = np.zeros(classes)
    for _ in range(60):
        tilted = mass * np.exp(weights)
        share = tilted / tilted.sum(axis=1, keepdims=True)
        slope = np.bincount(truth, minlength=classes) - share.sum(axis=0) - RIDGE * weights
        bend = np.diag(share.sum(axis=0)) - share.T @ share + RIDGE * np.eye(classes)
        step = np.zeros(classes)
        step[1:] = np.linalg.solve(bend[1:, 1:], slope[1:])
        weights += np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    return weights


def position_weights(
    masses: Mapping[float, Masses], train: npt.NDArray[np.bool_], source: str
) -> PositionWeights:
    """Likelihood ratios by position, fitted to the opinions of a training set.

    A network takes related findings for independent ones and is too sure of itself: its
    probabilities count to the power of a sharpness below 1, chosen by likelihood. Rather than
    blunt the network, the doctor's ratios are raised to 1 / sharpness: the ranking is the same.
    `unlisted` comes from the share of truths that doctors leave out; of the other diseases they
    leave out nearly all.
    """
    best, chosen, weights = -np.inf, 1.0, np.zeros(1)
    for sharpness, held in masses.items():
        mass, truth = held.mass[train], held.truth[train]
        fitted = fit_weights(mass, truth)
        gain = held.log_truth[train] + fitted[truth] - np.log((mass * np.exp(fitted)).sum(axis=1))
        likelihood = float(gain.sum()) - RIDGE / 2.0 * float(fitted @ fitted)
        if likelihood > best:
            best, chosen, weights = likelihood, sharpness, fitted
    truth = next(iter(masses.values())).truth[train]
    missed = (float((truth == 0).sum()) + 0.5) / (len(truth) + 1.0)
    unlisted = missed ** (1.0 / chosen)
    listed = tuple(float(unlisted * np.exp(weight / chosen)) for weight in weights[1:])
    return PositionWeights(listed, float(unlisted), f"{source}, sharpness {chosen:g}")


@dataclass(frozen=True, slots=True)
class Told:
    """A held-out opinion to be fused: the case that knows the list, and the setting to use."""

    row: int
    vignette: Vignette
    setting: Setting


def held_out(
    network: Network,
    vignettes: Sequence[Vignette],
    opinions: Opinions,
    settings: Sequence[Setting],
    vignette_fold: Ints,
    doctor_fold: Ints,
    positions: int,
) -> tuple[list[Told], list[PositionWeights]]:
    """Every opinion with weights from doctors *and* vignettes of other folds, and those weights.

    `settings` holds one setting per vignette fold, chosen without that fold's vignettes.
    """
    told, fitted = [], []
    masses: dict[Setting, dict[float, Masses]] = {}
    for fold, setting in enumerate(settings):
        base = replace(setting, name="", dial=1.0)
        if base not in masses:
            scores = single_fault_scores(network, vignettes, base)
            masses[base] = class_masses(network, vignettes, opinions, scores, positions)
        of_vignette = vignette_fold[opinions.vignette]
        of_doctor = doctor_fold[opinions.doctor]
        for other in range(int(doctor_fold.max()) + 1):
            test = np.flatnonzero((of_vignette == fold) & (of_doctor == other))
            train = (of_vignette != fold) & (of_doctor != other)
            if len(test) == 0 or not train.any():
                continue
            source = f"fold {fold + 1}/{other + 1}, {int(train.sum())} opinions"
            weights = position_weights(masses[base], train, source)
            fitted.append(weights)
            used = replace(setting, name=f"fused {fold}/{other}")
            told += [
                _told(network, vignettes, opinions, row, weights, used) for row in test.tolist()
            ]
    return told, fitted


def _told(
    network: Network,
    vignettes: Sequence[Vignette],
    opinions: Opinions,
    row: int,
    weights: PositionWeights,
    setting: Setting,
) -> Told:
    """One opinion as a vignette of its own whose case knows the doctor's list."""
    vignette = vignettes[opinions.vignette[row]]
    opinion = vignette.opinions[opinions.place[row]]
    case = with_opinion(vignette.case, opinion, weights, network.diseases)
    name = f"{vignette.id}/{opinion.doctor}"
    return Told(int(row), replace(vignette, id=name, case=case, opinions=()), setting)
