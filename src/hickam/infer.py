"""Model + case → beliefs: the one door, which tells the two kinds of model apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Limits, Options, read_options
from hickam.evidence.assume import assume
from hickam.evidence.case import Assumptions, Case, Evidence
from hickam.evidence.locate import locate
from hickam.evidence.stated import layered
from hickam.inference.infer import has_engine, infer_each, infer_network
from hickam.issues import InvalidInput, answered
from hickam.model.kinds import Model, as_network, check_model, general_of
from hickam.model.network import Floats, Network

if TYPE_CHECKING:
    from hickam.beliefs.engine import Engine

MOST_AT_ONCE = 64  # cases
MOST_ROWS = 100_000  # diseases, over all the cases


def infer(model: Model, case: Case, engine: str = "auto", **options: Unpack[Options]) -> Beliefs:
    """What a model concludes about a case; the options are those of `Options`.

    >>> import hickam
    >>> network = hickam.load("smoker")
    >>> beliefs = infer(network, Case(present=["chest pain"]))
    >>> beliefs.accuracy.exact
    True
    """
    return infer_located(model, case, engine, options)[1]


def infer_located(
    model: Model, case: Case, engine: str, options: Options
) -> tuple[Evidence, Beliefs]:
    """The evidence of a case and what the model concludes from it."""
    evidence, limits = take(model, case, options)
    return evidence, believe(model, evidence, engine, limits)


def at_once(model: Model) -> int:
    """How many cases of a model to infer together: many, but no more than memory likes."""
    return max(1, min(MOST_AT_ONCE, MOST_ROWS // max(1, len(model.diseases))))


def infer_together(
    model: Model, cases: Sequence[Case], engine: str, assumptions: Assumptions, limits: Limits
) -> list[Beliefs | InvalidInput]:
    """What a model concludes about each of a few cases, or why it has no answer to one."""
    found = [answered(evidence_of, model, case, assumptions) for case in cases]
    evidence = [one for one in found if isinstance(one, Evidence)]
    network = None if any(one.states for one in evidence) else as_network(model)
    if network is not None and has_engine(engine):
        each = infer_each(network, evidence, engine, limits)
        answers = (_noted(b, model) if isinstance(b, Beliefs) else b for b in each)
    else:
        answers = (answered(believe, model, one, engine, limits) for one in evidence)
    return [next(answers) if isinstance(one, Evidence) else one for one in found]


def take(model: Model, case: Case, options: Options) -> tuple[Evidence, Limits]:
    """The evidence of a case, assumptions included, and the limits of its inference."""
    assumptions, limits = read_question(model, options)
    return evidence_of(model, case, assumptions), limits


def read_question(model: Model, options: Options) -> tuple[Assumptions, Limits]:
    """The assumptions and limits that the options give for a model, once it is one."""
    check_model(model)
    return read_options(options)


def evidence_of(model: Model, case: Case, assumptions: Assumptions) -> Evidence:
    """The located case with the assumptions in force."""
    return assume(locate(case, model), assumptions, lambda: prior_of(model))


def believe(model: Model, evidence: Evidence, engine: str, limits: Limits) -> Beliefs:
    """What a model concludes from located evidence.

    A general model that is a three-layer network goes to the engines for networks, unless an
    engine of general models is asked for by name.
    """
    network = layered(model, evidence)
    if network is not None and has_engine(engine):
        return _noted(infer_network(network, evidence, engine, limits), model)
    if not isinstance(model, Network):
        from hickam.model.tied import as_tied

        tied = as_tied(model) if engine == "auto" and not evidence.states else None
        if tied is not None:
            from hickam.inference.tied import infer_tied

            beliefs = infer_tied(tied, evidence, limits)
            if beliefs is not None:
                return _noted(beliefs, model)
        from hickam.twin.infer import infer_scm

        return _noted(infer_scm(model, evidence, engine, limits), model)
    return infer_network(model, evidence, engine, limits)


def _noted(beliefs: Beliefs, model: Model) -> Beliefs:
    """The beliefs with a note of what was guessed of the model."""
    general = general_of(model)
    if general is None or not general.guessed:
        return beliefs
    how = beliefs.accuracy
    notes = dict.fromkeys((f"this rests on {general.guessed}", *how.notes))
    return replace(beliefs, accuracy=replace(how, notes=tuple(notes)))


def engines_of(model: Model) -> Mapping[str, Engine[Any]]:
    """The engines that can be asked for by name on a model."""
    from hickam.inference.engines import ENGINES

    if isinstance(model, Network):
        return ENGINES
    from hickam.twin.infer import ENGINES as GENERAL

    return GENERAL if as_network(model) is None else {**GENERAL, **ENGINES}


def all_engines() -> Mapping[str, Engine[Any]]:
    """Every engine of either kind of model; a name that both have is given once."""
    from hickam.inference.engines import ENGINES
    from hickam.twin.infer import ENGINES as GENERAL

    return {**GENERAL, **ENGINES}


def posterior_of(model: Model, evidence: Evidence) -> Floats:
    """[disease] P(D = 1 | evidence), and nothing else: on a general model much quicker."""
    network = layered(model, evidence)
    if network is not None:
        return infer_network(network, evidence, "auto", Limits()).posterior
    from hickam.model.kinds import as_scm
    from hickam.twin.infer import posteriors

    return posteriors(as_scm(model), evidence)


def prior_of(model: Model) -> Floats:
    """[disease] P(D = 1) with nothing observed."""
    network = as_network(model)
    if network is not None:
        return network.prior
    from hickam.model.kinds import as_scm
    from hickam.twin.infer import disease_priors

    return disease_priors(as_scm(model))
