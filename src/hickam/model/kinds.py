"""The two kinds of model, and each as the other where that loses nothing.

This is where the program asks which kind a model is; `hickam.infer` dispatches on it, and most
other rooms need only `Described`. Whoever has a network never imports what general models need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hickam.issues import invalid
from hickam.model.network import Network

if TYPE_CHECKING:
    from hickam.model.scm import SCM

Model: TypeAlias = "Network | SCM"


def general_of(model: object) -> SCM | None:
    """The model itself if it is a general one, else None."""
    if isinstance(model, Network):
        return None
    from hickam.model.scm import SCM

    return model if isinstance(model, SCM) else None


def check_model(model: object) -> None:
    """Refuse what is no model."""
    if not isinstance(model, Network) and general_of(model) is None:
        fix = "give what hickam.load returned"
        raise invalid(f"a {type(model).__name__}", "is neither a network nor a general model", fix)


def as_scm(model: Model) -> SCM:
    """The model as a general one; nothing is lost. [CD noisy-or]"""
    check_model(model)
    if not isinstance(model, Network):
        return model
    from hickam.model.converted import general

    return general(model)


def as_network(model: Model) -> Network | None:
    """The three-layer noisy-OR network that the model is, or None if it is more than that."""
    if isinstance(model, Network):
        return model
    from hickam.model.converted import layered

    return layered(model)


def need_network(model: Model, what: str) -> Network:
    """The model as a three-layer network, or the error that says `what` needs one."""
    network = as_network(model)
    if network is None:
        fix = "use 'diagnose', 'cure', 'query' or 'twin', or write it as a three-layer network"
        fix += " (a table of one parent is a noisy-OR only with 'coupling: gate')"
        raise invalid(f"model '{model.name}'", f"is general, and {what} needs three layers", fix)
    return network
