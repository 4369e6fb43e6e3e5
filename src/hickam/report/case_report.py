"""One case as a self-contained HTML page: one bar per finding and candidate, and why.

In the spirit of LIRICAL's reports, with the counterfactual beside the likelihood: the left bar says
whether the finding would go away, the right one how much it speaks for the disease by itself. No
script, no picture from elsewhere; addresses are only followed by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from hickam.advise.finding_ratios import finding_ratios
from hickam.advise.pairs import Pair
from hickam.measures.differential import Candidate
from hickam.measures.scores import MEASURES
from hickam.model.network import Floats
from hickam.record import Record
from hickam.report.case_style import CSS
from hickam.report.references import address_of, references
from hickam.report.robust import STANDING_HEADS, standings, statement
from hickam.words import counted, factor, number, percent

DETAILED = 10  # candidates with a bar for every finding
WIDEST = 3.0  # powers of ten that fill half of a likelihood bar
MAIN = 2  # measures that a narrow screen shows
DISCLAIMER = "A demonstration, not for clinical use."


def case_report(record: Record) -> str:
    """The whole page."""
    title = f"Differential of {record.case.id}" if record.case.id else "Differential"
    body = "".join(
        (
            _header(record, title),
            _findings(record),
            _ranking(record),
            _candidates(record),
            _pairs(record),
            _robustness(record),
            _left_over(record),
            _versions(record),
        )
    )
    head = (
        f'<meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<style>{CSS}</style>"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head><body><main>{body}</main></body>'
        "</html>\n"
    )


def _header(record: Record, title: str) -> str:
    """Who, by what, when."""
    case, dx = record.case, record.differential
    person = [
        (case.sex or "").capitalize(),
        f"{case.age:.3g} years" if case.age is not None else "",
    ]
    measure = MEASURES[dx.measure]
    said = record.network.about.disclaimer.replace(DISCLAIMER, "").strip()
    return (
        f"<header><h1>{escape(title)}</h1>"
        f"<p>{escape(', '.join(filter(None, person)))}</p>"
        f"<p>Ranked by {escape(measure.title)}, the {escape(measure.meaning)}, among "
        f"{dx.total:,} diseases of {escape(record.network.name)}.</p>"
        f'<p class="warn"><strong>{DISCLAIMER}</strong> {escape(said)}</p></header>'
    )


def _findings(record: Record) -> str:
    """What was entered, what was excluded and what could not be used."""
    case = record.case
    parts = [f"<h2>Findings</h2>{_terms(record, case.present)}"]
    if case.absent:
        counted_in = set(record.differential.absent)
        free = [finding for finding in case.absent if finding not in counted_in]
        note = " (not counted: this network gives absence no weight)" if free else ""
        parts.append(f"<h3>Excluded{note}</h3>{_terms(record, case.absent)}")
    if record.warnings:
        listed = "".join(f"<li>{escape(str(issue))}</li>" for issue in record.warnings)
        parts.append(f'<h3>Left out</h3><ul class="small">{listed}</ul>')
    return f"<section>{''.join(parts)}</section>"


def _terms(record: Record, findings: Iterable[str]) -> str:
    """Findings with their ids and what is known about each."""
    items = []
    for finding in findings:
        details = record.details.get(finding, "")
        said = f' <span class="soft small">{escape(details)}</span>' if details else ""
        items.append(f"<li>{escape(record.label(finding))} {_linked(finding)}{said}</li>")
    return f'<ul class="terms">{"".join(items)}</ul>' if items else "<p>None.</p>"


def _linked(name: str) -> str:
    """An id as a link where there is something to read about it."""
    address = address_of(name)
    if not address:
        return ""
    return f'<a class="small" rel="noreferrer" href="{escape(address)}">{escape(name)}</a>'


def _catalogues(record: Record, disease: str) -> str:
    """The ids of a disease in its catalogues, and its genes."""
    entry = record.network.entries[disease]
    listed = [_linked(name) for name, _ in references(disease, entry.synonyms)]
    genes = ", ".join(entry.genes)
    said = f'<span class="soft small">{escape(genes)}</span>' if genes else ""
    return " ".join([*listed, said])


def _ranking(record: Record) -> str:
    """The candidates by every measure."""
    dx = record.differential
    first = list(dict.fromkeys((dx.measure, "posterior", *MEASURES)))
    marks = {name: "n" if place < MAIN else "n more" for place, name in enumerate(first)}
    titles = "".join(
        f'<th class="{marks[name]}" scope="col">{escape(MEASURES[name].title)}</th>'
        for name in first
    )
    rows = []
    for candidate in dx:
        scores = "".join(
            f'<td class="{marks[name]}">{_score(candidate.scores[name], name)}</td>'
            for name in first
        )
        tied = "=" if candidate.tied else ""
        rows.append(
            f'<tr><td class="n">{candidate.rank}{tied}</td><td>{escape(candidate.name)} '
            f"{_catalogues(record, candidate.disease)}</td>{scores}</tr>"
        )
    return (
        '<section><h2>Candidates</h2><div class="scroll" tabindex="0" role="region" '
        'aria-label="Candidates"><table><thead><tr><th class="n" scope="col">#</th>'
        f'<th scope="col">Disease</th>{titles}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        "</div></section>"
    )


def _score(value: float, measure: str) -> str:
    """A score as its kind is written."""
    return number(value) if MEASURES[measure].counts_findings else percent(value)


def _candidates(record: Record) -> str:
    """A card with a bar per finding for each of the first candidates."""
    dx = record.differential
    ratios = finding_ratios(record.network, dx.present, dx.absent, record.case)
    cards = "".join(_card(record, c, ratios) for c in dx[:DETAILED])
    return (
        "<section><h2>What each explains</h2>"
        '<p class="soft small">First bar: the probability that the finding would go away if the '
        "disease were cured (strong), and that the disease alone would keep it up (pale). Second "
        "bar: how much the finding by itself speaks for the disease, as a factor on its odds.</p>"
        f"{cards}</section>"
    )


def _card(record: Record, candidate: Candidate, ratios: Mapping[str, Floats]) -> str:
    """One candidate with all findings."""
    dx = record.differential
    row = record.network.index[candidate.disease]
    rows = [
        '<div class="row head"><span>Finding</span><span>Counterfactual</span><span></span>'
        "<span>Likelihood</span><span></span></div>"
    ]
    for finding in (*dx.present, *dx.absent):
        gone = candidate.disabled.get(finding, 0.0)
        kept = candidate.sustained.get(finding, 0.0)
        is_absent = finding in dx.absent
        ratio = float(ratios[finding][row]) if finding in ratios else None
        speaks = "<span></span><span></span>"
        if ratio is not None:
            said = f'<span class="figure">{escape(factor(ratio))}</span>'
            speaks = f"{_ratio_bar(ratio)}{said}"
        name = f"no {record.label(finding).lower()}" if is_absent else record.label(finding)
        rows.append(
            f'<div class="row"><span>{escape(name)}</span>'
            f"{_two_bars(gone, kept)}"
            f'<span class="figure">{"" if is_absent else percent(gone)}</span>'
            f"{speaks}</div>"
        )
    left = record.differential.left_open(candidate)
    said = ", ".join(record.label(finding).lower() for finding in left)
    leaves = f"Leaves unexplained: {escape(said)}." if left else "Leaves nothing unexplained."
    return (
        f"<article><h3>{candidate.rank}. {escape(candidate.name)} "
        f"{_catalogues(record, candidate.disease)}</h3>"
        f"<p>Probability {percent(candidate.posterior)}; curing it is expected to remove "
        f"{number(candidate.disablement)} of {counted(len(dx.present), 'finding')}. {leaves}</p>"
        f"{''.join(rows)}</article>"
    )


def _robustness(record: Record) -> str:
    """How the order fares with the network's estimates drawn anew."""
    if record.robustness is None:
        return ""
    said = " ".join(statement(record.robustness, record.network))
    titles = "".join(
        f'<th class="n" scope="col">{escape(head)}</th>' for head in STANDING_HEADS[1:]
    )
    rows = "".join(
        f"<tr><td>{escape(cells[0])}</td>"
        + "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells[1:])
        + "</tr>"
        for cells in standings(record.robustness)
    )
    return (
        f'<section><h2>If the estimates are off</h2><p>{escape(said)}</p><div class="scroll" '
        'tabindex="0" role="region" aria-label="If the estimates are off"><table><thead><tr>'
        f'<th scope="col">{STANDING_HEADS[0]}</th>{titles}</tr></thead><tbody>{rows}</tbody>'
        "</table></div></section>"
    )


def _pairs(record: Record) -> str:
    """The best pairs of diseases, each finding shared out between the two."""
    if record.pairs is None:
        return ""
    if not len(record.pairs):
        return (
            "<section><h2>Two diseases at once</h2><p>No pair explains the findings.</p></section>"
        )
    cards = "".join(_pair(record, pair) for pair in record.pairs)
    return (
        "<section><h2>Two diseases at once</h2>"
        f'<p class="soft small">Of {len(record.pairs.considered)} leading diseases, the pairs of '
        "which both are likely and each is needed. Shares of a finding are given that both are "
        f"there; {escape(str(record.pairs.accuracy))}.</p>{cards}</section>"
    )


def _pair(record: Record, pair: Pair) -> str:
    """One pair: what goes with the first, with the second, only with both, and what stays."""
    rows = "".join(
        f'<div class="row"><span>{escape(record.label(finding))}</span>'
        f"{_shares(pair.share(finding), pair.names)}</div>"
        for finding in pair.together
    )
    left = "; ".join(
        f"without {escape(name)}, {number(sum(pair.left(which).values()))} are left over"
        for which, name in enumerate(pair.names)
    )
    one, other = (escape(name) for name in pair.names)
    key = (
        f'<ul class="key small"><li><span class="first"></span>{one}</li>'
        f'<li><span class="second"></span>{other}</li>'
        '<li><span class="both"></span>both at once</li>'
        '<li><span class="others"></span>neither</li></ul>'
    )
    return (
        f'<article class="pair"><h3>{one} and {other}</h3>'
        f"<p>Both: {percent(pair.chance)}. Of {counted(len(pair.together), 'finding')}, {left}.</p>"
        f"{key}{rows}</article>"
    )


def _left_over(record: Record) -> str:
    """What no disease of the network may have caused."""
    dx = record.differential
    left = sorted(dx.unexplained.items(), key=lambda item: -item[1])
    rows = "".join(
        f"<tr><td>{escape(record.label(f))}</td><td class='n'>{percent(p)}</td></tr>"
        for f, p in left
    )
    return (
        "<section><h2>Left unexplained</h2><p>The probability that no disease of the network "
        f"caused the finding.</p><table><tbody>{rows}</tbody></table></section>"
    )


def _versions(record: Record) -> str:
    """What the numbers rest on."""
    rows = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in record.versions())
    return f"<section><h2>Versions</h2><dl>{rows}</dl></section>"


def _two_bars(first: float, second: float) -> str:
    """A bar from the left with a lighter one behind it."""
    return _bar((("track", 0.0, 100.0), ("kept", 0.0, 100 * second), ("gone", 0.0, 100 * first)))


def _ratio_bar(ratio: float) -> str:
    """A bar from the middle: to the right for, to the left against, by powers of ten."""
    power = math.log10(ratio) if 0.0 < ratio < math.inf else math.copysign(WIDEST, ratio - 1.0)
    reach = 50.0 * min(abs(power), WIDEST) / WIDEST
    side = ("for", 50.0, reach) if power >= 0.0 else ("against", 50.0 - reach, reach)
    return _bar((("track", 0.0, 100.0), side, ("axis", 49.7, 0.6)))


def _shares(shares: Sequence[float], names: Sequence[str]) -> str:
    """One bar that is shared out; what is left of it belongs to neither."""
    parts = [("track", 0.0, 100.0)]
    start = 0.0
    for kind, share in zip(("first", "second", "both"), shares, strict=False):
        parts.append((kind, start, 100.0 * share))
        start += 100.0 * share
    said = f"{names[0]} {percent(shares[0])}, {names[1]} {percent(shares[1])}, "
    said += f"both {percent(shares[2])}, neither {percent(shares[3])}"
    return _bar(parts, said)


def _bar(parts: Iterable[tuple[str, float, float]], said: str = "") -> str:
    """Rectangles side by side in a drawing that is a hundred wide."""
    drawn = "".join(
        f'<rect class="{kind}" x="{start:.2f}" width="{width:.2f}" height="10"/>'
        for kind, start, width in parts
        if width > 0.0
    )
    named = f'role="img" aria-label="{escape(said)}"' if said else 'aria-hidden="true"'
    title = f"<title>{escape(said)}</title>" if said else ""
    return (
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" {named}>'
        f"{title}{drawn}</svg>"
    )
