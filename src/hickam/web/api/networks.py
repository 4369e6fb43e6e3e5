"""Networks over HTTP: list, show, browse, search, bring your own."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field

from hickam.issues import Issue, did_you_mean, error
from hickam.language.lookup import How
from hickam.language.note import Status, read_note
from hickam.language.vocabulary import node_vocabulary
from hickam.model.kinds import Model
from hickam.model.network import Links
from hickam.model.scm import SCM
from hickam.model.scm_view import background, link_strength
from hickam.report.spans import document
from hickam.web.answers import Answer, NetworkBody
from hickam.web.bodies import NetworkFileBody, NoteBody
from hickam.web.problems import RESPONSES
from hickam.web.refusals import UnknownNode
from hickam.web.search import KINDS, search
from hickam.web.service import ServiceOf

router = APIRouter(prefix="/networks", tags=["networks"], responses=RESPONSES)
Kind = Literal["finding", "risk factor", "disease"]


class MatchBody(Answer):
    """One entry that a search found."""

    kind: Kind
    id: str
    name: str
    synonym: str = Field(default="", description="the synonym that matched, if the name did not")
    how: How = Field(
        description="exact, synonym, abbreviation (written out), form (spelling, inflection or "
        "order), meaning (by the word list), start (of words); or less sure: within (says more), "
        "broader, qualified (without `left_out`), typing (corrected), part (shares words)"
    )
    left_out: list[str] = Field(description="words of the query that nothing is called by")
    negated: bool = Field(description="the query says that it is not there, as in “no fever”")
    certain: bool = Field(description="can be taken for what was meant without asking")


class MeantBody(Answer):
    """One thing that words of a note mean."""

    kind: Literal["finding", "risk factor", "disease", "category"]
    id: str
    name: str
    there: bool = Field(description="false where the note says that it is not there")
    value: str = Field(description="of a category: as it would be entered")


class SpanBody(Answer):
    """A stretch of a note and what it says."""

    start: int
    end: int
    text: str
    status: Status = Field(description="empty for punctuation and words that say nothing here")
    meant: list[MeantBody]
    left_out: list[str] = Field(description="words about it for which the network has nothing")
    may_matter: bool = Field(description="it is not understood and may be a finding")


class NoteAnswer(Answer):
    """A note as spans that tile it, and who it is about."""

    text: str
    age: float | None = Field(description="in years")
    sex: str | None
    spans: list[SpanBody]


class LinkBody(Answer):
    """One causal link."""

    id: str
    name: str
    strength: float = Field(description="P(the cause, when present, produces the effect)")
    source: str = ""


class NodeBody(Answer):
    """All that a network says about one risk factor, disease or finding."""

    kind: Literal[Kind, "other"] = Field(description="other: in no layer of a general model")
    id: str
    name: str
    synonyms: list[str]
    group: str
    source: str
    urgency: str
    rareness: str
    leak: float = Field(
        description="probability with every listed cause absent; the prior of a root"
    )
    causes: list[LinkBody]
    effects: list[LinkBody]


class UploadBody(NetworkBody):
    """A network that is now kept for you."""

    key: str = Field(description="deletes the network: send it as `X-Network-Key` with DELETE")


@router.get("")
async def list_networks(service: ServiceOf) -> list[NetworkBody]:
    """The networks that this service was started with."""
    return [NetworkBody.of(offer) for offer in service.shelf.offers.values()]


@router.post("", status_code=201)
async def add_network(body: NetworkFileBody, request: Request, service: ServiceOf) -> UploadBody:
    """Bring a network of your own. Only who knows the answer's `id` can use it."""
    owner = request.client.host if request.client else ""

    def job() -> UploadBody:
        content = body.text.encode(errors="replace")
        offer, key = service.shelf.bring(content, body.file, owner)
        return UploadBody(key=key, **NetworkBody.of(offer).model_dump())

    return await service.run(job)


@router.delete("/{network_id}", status_code=204)
async def delete_network(
    network_id: str,
    service: ServiceOf,
    key: Annotated[str, Header(alias="X-Network-Key", max_length=100)],
) -> None:
    """Delete a network that you brought; needs the key that came with it."""
    await service.run(lambda: service.shelf.drop(network_id, key))


@router.get("/{network_id}")
async def show_network(network_id: str, service: ServiceOf) -> NetworkBody:
    """One network: what it is, how large, and under what terms."""
    return NetworkBody.of(await service.offer(network_id))


@router.get("/{network_id}/search")
async def search_network(
    network_id: str,
    service: ServiceOf,
    q: Annotated[
        str, Query(max_length=200, description="a doctor's own words, or their beginning")
    ],
    kind: Annotated[list[Kind] | None, Query(max_length=3)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 12,
) -> list[MatchBody]:
    """Findings, risk factors and diseases as you type, in your own words, the surest first."""
    network = (await service.offer(network_id)).network
    found = await service.run(lambda: search(network, q, kind or KINDS, limit=limit))
    return [MatchBody.model_validate(match) for match in found]


@router.post("/{network_id}/note")
async def read_a_note(network_id: str, body: NoteBody, service: ServiceOf) -> NoteAnswer:
    """A note in free text as it is read: each stretch of it with what it says."""
    network = (await service.offer(network_id)).network
    found = await service.run(lambda: document(network, read_note(network, body.text)))
    return NoteAnswer.model_validate(found)


@router.get("/{network_id}/nodes/{node_id:path}")
async def show_node(network_id: str, node_id: str, service: ServiceOf) -> NodeBody:
    """One risk factor, disease or finding with its causes and effects."""
    network = (await service.offer(network_id)).network
    return await service.run(lambda: node_body(network, node_id))


def node_body(network: Model, node: str) -> NodeBody:
    """All that the network says about one node, by its id or any of its names."""
    words = node_vocabulary(network)
    found = words.find(node, hint=False)
    if node not in network.entries and not isinstance(found, Issue):
        node = words.ids[found]
    if node not in network.index:
        fix = did_you_mean(node, words.index)
        raise UnknownNode([error(f"'{node[:80]}'", "is not in the network", fix)])
    entry = network.entries[node]
    position = network.index[node]
    causes: list[LinkBody] = []
    effects: list[LinkBody] = []
    if isinstance(network, SCM) and network.nodes[node].role == "other":
        kind, leak = "other", background(network.nodes, (node,))[0]
        own = network.nodes[node]
        causes = [
            link_body(network, parent, link_strength(network.nodes, own, number), (parent, node))
            for number, parent in enumerate(own.parents)
            if parent in network.index
        ]
        effects = [
            link_body(
                network,
                child,
                link_strength(network.nodes, below, below.parents.index(node)),
                (node, child),
            )
            for child in network.children[node]
            for below in (network.nodes[child],)
            if child in network.index
        ]
    elif position < len(network.findings) and network.findings[position] == node:
        kind, leak = "finding", network.finding_leak[position]
        causes = links_into(network, network.effects, position, network.diseases, node)
    elif position < len(network.diseases) and network.diseases[position] == node:
        kind, leak = "disease", network.disease_leak[position]
        causes = links_into(network, network.causes, position, network.risk_factors, node)
        effects = links_from(network, network.effects, position, network.findings, node)
    else:
        kind, leak = "risk factor", network.risk_prior[position]
        effects = links_from(network, network.causes, position, network.diseases, node)
    return NodeBody(
        kind=kind,  # type: ignore[arg-type]
        id=node,
        name=entry.name,
        synonyms=list(entry.synonyms),
        group=entry.group,
        source=entry.source,
        urgency=entry.urgency,
        rareness=entry.rareness,
        leak=float(leak),
        causes=causes,
        effects=effects,
    )


def link_body(network: Model, other: str, strength: float, ends: tuple[str, str]) -> LinkBody:
    """One end of a link as the API shows it."""
    source = network.link_sources.get(ends, "")
    return LinkBody(id=other, name=network.label(other), strength=float(strength), source=source)


def links_into(
    network: Model, links: Links, effect: int, layer: tuple[str, ...], node: str
) -> list[LinkBody]:
    """The links that enter a node, strongest first."""
    found = [
        link_body(network, layer[cause], acts, (layer[cause], node))
        for cause, acts in (
            (int(links.cause[link]), links.acts[link]) for link in links.of_effect(effect)
        )
    ]
    return sorted(found, key=lambda link: -link.strength)


def links_from(
    network: Model, links: Links, cause: int, layer: tuple[str, ...], node: str
) -> list[LinkBody]:
    """The links that leave a node, strongest first."""
    row = links.of_cause(cause)
    found = [
        link_body(network, layer[effect], acts, (node, layer[effect]))
        for effect, acts in zip(links.effect[row].tolist(), links.acts[row], strict=True)
    ]
    return sorted(found, key=lambda link: -link.strength)
