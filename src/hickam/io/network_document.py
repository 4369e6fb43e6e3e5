"""A model → the plain document that the builders read, losing nothing."""

from __future__ import annotations

from collections.abc import Mapping

from hickam.io.entry_document import (
    Document,
    about_document,
    category_document,
    chance_document,
    entry_document,
)
from hickam.io.save_scm import scm_document
from hickam.model.kinds import Model
from hickam.model.network import Links, Network
from hickam.model.scm import SCM


def model_document(model: Model) -> Document:
    """The document of either kind of model."""
    return scm_document(model) if isinstance(model, SCM) else document_of(model)


def document_of(network: Network) -> Document:
    """The network as a plain document, as `build_network` reads it."""
    document = about_document(network.about)
    sources = network.link_sources
    document["risk_factors"] = [
        {
            **entry_document(network.entries[node], network.about.source),
            "prior": _own(sources, node, *pair),
        }
        for node, *pair in zip(
            network.risk_factors,
            network.risk_prior.tolist(),
            (1.0 - network.risk_prior).tolist(),
            strict=True,
        )
    ]
    document["diseases"] = _effects(network, network.diseases, network.risk_factors, network.causes)
    document["findings"] = _effects(network, network.findings, network.diseases, network.effects)
    if network.categories:
        document["categories"] = [category_document(category) for category in network.categories]
    return document


def _effects(
    network: Network, nodes: tuple[str, ...], upper: tuple[str, ...], links: Links
) -> list[Document]:
    """The entries of a layer with leaks and causes."""
    diseases = nodes is network.diseases
    leak = network.disease_leak if diseases else network.finding_leak
    fails = network.disease_leak_fails if diseases else network.finding_leak_fails
    listed = []
    for position, node in enumerate(nodes):
        entry = entry_document(network.entries[node], network.about.source)
        entry["leak"] = _own(
            network.link_sources, node, float(leak[position]), float(fails[position])
        )
        causes = {
            upper[int(links.cause[i])]: chance_document(
                float(links.acts[i]),
                float(links.fails[i]),
                network.link_sources.get((upper[int(links.cause[i])], node)),
            )
            for i in links.of_effect(position)
        }
        if causes:
            entry["causes"] = causes
        listed.append(entry)
    return listed


def _own(
    sources: Mapping[tuple[str, str], str], node: str, acts: float, fails: float
) -> float | Document:
    """A node's own prior or leak, with its source if it has one."""
    return chance_document(acts, fails, sources.get((node, node)))
