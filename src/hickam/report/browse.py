"""A network's content as text: one node with its links, a search, an overview."""

from __future__ import annotations

from collections import Counter

from hickam.issues import Issue, did_you_mean, invalid
from hickam.language.lookup import How
from hickam.language.search import EVERYTHING, Match
from hickam.language.search import search as find_matches
from hickam.language.vocabulary import vocabularies
from hickam.model.described import Described
from hickam.model.is_a import kinds_of
from hickam.model.kinds import Model
from hickam.model.network import Category, Entry, Links, Network
from hickam.model.scm import SCM
from hickam.nearest import shortened
from hickam.report.mechanism import describe_node
from hickam.report.summary import summarise, summary_lines
from hickam.twin.observe import find_node

NAMED = (How.EXACT, How.SYNONYM)


def overview(network: Model) -> list[str]:
    """The summary of a network and the groups of each layer."""
    lines = summary_lines(summarise(network))
    layers = {
        "risk factors": network.risk_factors,
        "diseases": network.diseases,
        "findings": network.findings,
    }
    for title, layer in layers.items():
        groups = Counter(network.entries[node].group or "other" for node in layer)
        listed = ", ".join(f"{group} ({count})" for group, count in groups.most_common())
        lines.append(f"  {title}: {listed}")
    return lines


def describe(network: Model, word: str) -> list[str]:
    """Everything about the one node that a word means; empty if there is none or several."""
    if isinstance(network, SCM):
        node = find_node(network, word, hint=False)
        return [] if isinstance(node, Issue) else describe_node(network, node.id)
    hits = find_matches(network, word, EVERYTHING, limit=2)
    if not hits or hits[0].negated or not (hits[0].how in NAMED or hits[0].certain):
        return []
    kind, node_id = hits[0].kind, hits[0].id
    if kind == "category":
        category = next(c for c in network.categories if c.id == node_id)
        return _category(network, category)
    return _node(network, kind, node_id, network.index[node_id])


def _category(network: Network, category: Category) -> list[str]:
    """An observation with values: what can be entered, and what that says."""
    ways = [f"one of {', '.join(category.values)}"] if category.values else []
    scale = category.scale
    if scale is not None:
        units = " or ".join(unit for unit in (scale.unit, *scale.units) if unit)
        ways.insert(0, f"a number in {units}" if units else "a number")
    lines = [f"{category.name} ({category.id}): {', or '.join(ways)}"]
    for position, cut in enumerate(scale.cuts if scale is not None else ()):
        lines.append(f"  {category.values[position + 1]} from {cut:g}")
    for value, (present, absent) in category.means.items():
        said = [network.label(f).lower() for f in present]
        said += [f"no {network.label(f).lower()}" for f in absent]
        lines.append(f"  {value} means {', '.join(said)}")
    return lines


def search(network: Described, word: str, limit: int) -> list[str]:
    """The nodes that a doctor's own words may mean; finding none is an error with a hint."""
    hits = find_matches(network, word, EVERYTHING, limit=None)
    if not hits:
        every = [w for words in vocabularies(network).values() for w in words.spelled.values()]
        raise invalid(f"'{word}'", "is nowhere in the network", did_you_mean(word, every))
    lines = [_line(hit) for hit in hits[:limit]]
    if hits[0].how in (How.TYPING, How.PART):
        lines.insert(0, f"Nothing is called '{shortened(word)}'. Did you mean:")
    if len(hits) > limit:
        lines.append(f"… and {len(hits) - limit} more (--limit)")
    return lines


def _line(hit: Match) -> str:
    """One match: its kind, id and name, and what of it was found if that is not the name."""
    notes = [
        hit.synonym,
        hit.said if hit.how in (How.MEASURED, How.BROADER, How.QUALIFIED) else "",
        "not" * hit.negated,
    ]
    said = "; ".join(note for note in notes if note)
    return f"{hit.kind:12} {hit.id:28} {hit.name}{f' ({said})' if said else ''}".rstrip()


def _node(network: Network, kind: str, node: str, index: int) -> list[str]:
    """One node with its own number and its links, strongest first."""
    entry = network.entries[node]
    lines = [f"{entry.name} ({node}), {kind}" + (f", {entry.group}" if entry.group else "")]
    if entry.synonyms:
        lines.append(f"  also: {', '.join(entry.synonyms)}")
    classes = [word for word in (entry.rareness, entry.urgency, entry.kind) if word]
    if classes:
        lines.append(f"  {', '.join(classes)}")
    if kind == "risk factor":
        lines.append(f"  prior {network.risk_prior[index]:.3g}")
        lines += _by_person(entry, "prior odds")
        lines += _links(network, "raises", network.causes, index, network.diseases, outward=True)
    elif kind == "disease":
        lines.append(
            f"  prior {network.prior[index]:.3g}, of which without its causes "
            f"{network.disease_leak[index]:.3g}"
        )
        lines += _by_person(entry, "prior odds")
        lines += _links(network, "caused by", network.causes, index, network.risk_factors)
        lines += _links(network, "causes", network.effects, index, network.findings, outward=True)
    else:
        if entry.is_a:
            lines.append(f"  a kind of {network.label(entry.is_a).lower()}")
        kinds = [network.findings[kind] for kind in kinds_of(network).nearest.get(index, ())]
        if kinds:
            lines.append(f"  kinds of it: {', '.join(map(network.label, kinds))}")
        lines.append(f"  leak {network.finding_leak[index]:.3g} (present for no modelled reason)")
        lines += _by_person(entry, "leak odds")
        lines += _links(network, "caused by", network.effects, index, network.diseases)
    lines.append(f"  numbers: {entry.source or 'no source given'}")
    return lines


def _by_person(entry: Entry, what: str) -> list[str]:
    """The factors of a node by sex and age, a line each."""
    lines = []
    for row in entry.prevalence:
        who = [row.sex or "", f"age {row.age[0]:g} to {row.age[1]:g}" if row.age else ""]
        lines.append(f"  {what} × {row.factor:g}: {', '.join(w for w in who if w) or 'everyone'}")
    return lines


def _links(
    network: Network,
    title: str,
    links: Links,
    index: int,
    others: tuple[str, ...],
    *,
    outward: bool = False,
) -> list[str]:
    """The links of one node as lines: strength, the other end, its own source if it has one."""
    if outward:
        rows = range(*links.of_cause(index).indices(len(links)))
        ends = [(float(links.acts[i]), int(links.effect[i])) for i in rows]
    else:
        ends = [(float(links.acts[i]), int(links.cause[i])) for i in links.of_effect(index)]
    lines = [f"  {title}:"] if ends else []
    for acts, other in sorted(ends, key=lambda end: -end[0]):
        node = others[other]
        lines.append(f"    {acts:6.1%}  {network.label(node)} ({node})")
    return lines
