"""What an upgrade found, as lines of text and as a page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape

from hickam.measures.scores import MEASURES
from hickam.report.page import facts, folded, page, section, table, text
from hickam.report.terminal import PLAIN_WIDTH
from hickam.upgrade.examine import COMPARED, ROUGH, Compared, Upgrade
from hickam.upgrade.tables import NEAR, Reading
from hickam.words import counted

ROLES = ("risk factor", "disease", "finding", "other")
NODES_SHOWN = 12
CASES_SHOWN = 3
STATUSES = {
    "identified": "settled by the model",
    "monotone": "settled if no cause acts both ways",
    "bounded": "held only by the named coupling; every answer gives the bounds",
    "open": "not bounded",
}


def upgrade_lines(found: Upgrade, width: int = PLAIN_WIDTH) -> Iterator[str]:
    """The report as lines for a terminal."""
    for line in _lines(found):
        yield from textwrap.wrap(line, width, break_on_hyphens=False) if line[:1] > " " else [line]


def _lines(found: Upgrade) -> Iterator[str]:
    """The report as sentences and rows; a row starts with blanks."""
    yield f"{found.model.name}: what counterfactual diagnosis means on it"
    yield ""
    yield f"Roles: {_roles(found)}."
    yield f"Mechanisms: {_mechanisms(found)}."
    yield from _statements(found)
    unread = [r for r in found.readings if r.normal is not None]
    if unread:
        shown = ", ".join(
            f"{r.node} ({r.states}, normal: {r.normal})" for r in unread[:NODES_SHOWN]
        )
        more = f" and {len(unread) - NODES_SHOWN} more" if len(unread) > NODES_SHOWN else ""
        yield f"More than two states: {shown}{more}."
    for number, case in enumerate(found.cases[:CASES_SHOWN], 1):
        yield ""
        yield f"Case {number}: {', '.join(case.seen)} present, {len(case.absent)} absent"
        yield f"  truly: {', '.join(case.truth) or 'no disease'}"
        yield "  " + "".join(f"{MEASURES[m].title:34s}" for m in COMPARED)
        for place in range(max(len(case.ranked[m]) for m in COMPARED)):
            yield "  " + "".join(f"{_cell(case, m, place):34.33s}" for m in COMPARED).rstrip()
        yield f"  {_how(case)}"


def upgrade_page(found: Upgrade) -> str:
    """The report as a self-contained HTML page."""
    differ = found.differ
    basis = f", resting on {found.model.guessed}" if found.model.guessed else ""
    shares = [
        (f"{100 * share:.0f} %", f"of cases have another first disease by {measure}{basis}")
        for measure, share in differ.items()
    ]
    tables = [r for r in found.readings if r.parents]
    tables.sort(key=lambda r: (r.kind != "table", -(r.distance or 0.0)))
    body = [
        f"<header><h1>{escape(found.model.name)}</h1>",
        text("What counterfactual diagnosis means on this model", "soft"),
        "</header>",
        facts([(str(len(found.cases)), f"of {counted(found.asked, 'sampled case')} answered"),
               *shares]),
        section("read", "How the model was read", text(f"Roles: {_roles(found)}."),
                text(f"Mechanisms: {_mechanisms(found)}."),
                *(text(line) for line in _statements(found))),
        section("cases", "Sampled cases", *(_case(n, c) for n, c in enumerate(found.cases, 1))),
        section("mechanisms", "Mechanisms", _mechanism_table(tables[:40]),
                *([folded(f"{len(tables) - 40} more", _mechanism_table(tables[40:]))]
                  if len(tables) > 40 else [])),
    ]  # fmt: skip
    return page(f"{found.model.name}: an upgrade", body)


def _statements(found: Upgrade) -> Iterator[str]:
    """The findings in sentences."""
    if found.layered:
        yield (
            "The model is a three-layer noisy-OR network: the fast exact engines answer, and every "
            "measure is settled by the model."
        )
    near = [r for r in found.readings if r.near]
    if near:
        names = ", ".join(f"{r.node} ({r.distance:.2g})" for r in near[:NODES_SHOWN])
        yield (
            f"{counted(len(near), 'table')} within {NEAR:g} of independent causes "
            f"(largest error of a probability): {names}."
        )
    if found.approximate:
        kept = ", ".join(f"{100 * s:.0f} % by {m}" for m, s in found.approximate.items())
        yield f"Made exactly noisy-OR, they keep the first disease of a case in {kept}."
    open_ones = [r.node for r in found.readings if r.open and r.parents]
    if open_ones and not found.layered:
        yield (
            f"{counted(len(open_ones), 'table')} without named mechanisms: how the answers to "
            "different causes hang together is not in a table, so counterfactuals through it hold "
            "under a monotone coupling, and 'hickam.identify' gives sharp bounds."
        )
    if found.statuses:
        total = sum(found.statuses.values())
        parts = [f"{n} {STATUSES[status]}" for status, n in found.statuses.items()]
        yield f"Of {counted(total, 'measure')} examined: {'; '.join(parts)}."
    if found.headline:
        yield found.headline
    if found.cases:
        times = sorted(case.seconds for case in found.cases)
        yield f"A case takes {times[len(times) // 2]:.2g} s (at most {times[-1]:.2g} s)."
        rough = sum(not case.sure for case in found.cases)
        if rough:
            yield (
                f"{counted(rough, 'case')} could only be sampled, with a stated error above "
                f"{ROUGH:g}: shown, not counted."
            )
    for reason, count in found.refused.items():
        yield f"{counted(count, 'case')} without an answer: {reason}."


def _roles(found: Upgrade) -> str:
    """How many nodes have each role."""
    return ", ".join(counted(len(found.model.of_role(role)), role) for role in ROLES)


def _mechanisms(found: Upgrade) -> str:
    """How many nodes with causes are read in each way."""
    return ", ".join(f"{n} {kind}" for kind, n in found.kinds.items()) or "none has causes"


def _cell(case: Compared, measure: str, place: int) -> str:
    """One candidate and its score."""
    if place >= len(case.ranked[measure]) or case.ranked[measure][place][1] <= 0.0:
        return ""
    name, score = case.ranked[measure][place]
    return f"{MEASURES[measure].in_words(score):>6s} {name}"


def _how(case: Compared) -> str:
    """How the answer was computed."""
    how = "exact" if case.exact else f"sampled, stated error {case.error:.1g}"
    return f"{how} in {case.seconds:.2g} s"


def _mechanism_table(rows: list[Reading]) -> str:
    """The mechanisms as a table."""
    return table(
        ("node", "role", "read as", "states", "causes", "distance from independent causes"),
        (
            (r.node, r.role, f"{r.kind}{' (near)' if r.near else ''}", r.states, r.parents,
             "" if r.distance is None else f"{r.distance:.3g}")
            for r in rows
        ),
        words=(0, 1, 2),
    )  # fmt: skip


def _case(number: int, case: Compared) -> str:
    """One case as a table of its three rankings."""
    places = range(max(len(case.ranked[m]) for m in COMPARED))
    rows = [tuple(_cell(case, m, place) for m in COMPARED) for place in places]
    caption = (
        f"Case {number}: {', '.join(case.seen)} present, {len(case.absent)} absent; truly "
        f"{', '.join(case.truth) or 'no disease'}. {_how(case).capitalize()}."
    )
    return table([MEASURES[m].title for m in COMPARED], rows, caption, (0, 1, 2))
