"""What records say against a network, as lines of text and as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from hickam.learn.criticise import Criticism, Misfit
from hickam.learn.rates import RATE
from hickam.model.network import Network
from hickam.words import percent

SHOWN = 15


def criticism_lines(network: Network, found: Criticism, most: int = SHOWN) -> Iterator[str]:
    """The report as lines for a terminal."""
    yield f"{network.name}: what {found.patients:,} records say against it"
    yield ""
    yield (
        f"{found.tested_numbers:,} numbers and {found.tested_pairs:,} pairs without a link "
        "(risk factor and disease, disease and finding) "
        f"were tested; about {percent(RATE)} of what is listed is expected to be chance."
    )
    label = network.label
    yield ""
    yield f"Missing links: {len(found.proposals) or 'none found'}"
    for one in found.proposals[:most]:
        yield (
            f"  {label(one.cause)} → {label(one.effect)}: about {_chance(one.strength)} "
            f"(± {_chance(1.96 * one.error)}) of {one.both:,.0f} patients; "
            f"log likelihood +{one.gain:,.1f}, q = {one.q:.1g}"
        )
    yield from _more(len(found.proposals) - most)
    for title, chosen in SECTIONS:
        some = [one for one in found.misfits if chosen(one)]
        yield ""
        yield f"{title}: {len(some) or 'none found'}"
        for misfit in some[:most]:
            stated, fits = _told_apart(misfit.stated, misfit.fitted)
            besides = "besides its kinds " if misfit.besides else ""
            yield (
                f"  {_name(network, misfit)}: {stated} stated, "
                f"{fits} fits ({_chance(misfit.low)} – {_chance(misfit.high)}); {besides}"
                f"{misfit.acted:,.1f} times, {misfit.expected:,.1f} expected, z = {misfit.z:+.1f}"
                f"{'; other numbers may explain it' if misfit.explained else ''}"
            )
        yield from _more(len(some) - most)
    yield ""
    yield "Proposals only: nothing was changed. A wrong number can make its neighbours look wrong;"
    yield "mend the first of a list, then look again."


def criticism_document(network: Network, found: Criticism) -> dict[str, Any]:
    """The report as plain values."""
    document = asdict(found)
    for misfit, one in zip(document["misfits"], found.misfits, strict=True):
        misfit["never"], misfit["explained"] = one.never, one.explained
    return {"network": network.name, "rate": RATE, **document}


def _is_prior(misfit: Misfit) -> bool:
    return misfit.kind in ("prior", "disease leak")


def _is_leak(misfit: Misfit) -> bool:
    return misfit.kind == "finding leak"


def _is_link(misfit: Misfit) -> bool:
    return misfit.kind in ("cause", "effect") and not misfit.never


SECTIONS: tuple[tuple[str, Callable[[Misfit], bool]], ...] = (
    ("Links that hardly ever act", lambda misfit: misfit.never),
    ("Links of another strength", _is_link),
    ("Priors that do not fit", _is_prior),
    ("Findings left unexplained more or less often than stated (leaks)", _is_leak),
)


def _name(network: Network, misfit: Misfit) -> str:
    """A number in words."""
    if misfit.cause == misfit.effect:
        return network.label(misfit.effect)
    return f"{network.label(misfit.cause)} → {network.label(misfit.effect)}"


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … {count:,} more (--all)"


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two chances with as many digits as it takes to tell them apart, up to six."""
    for digits in range(2, 6):
        said = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if said[0] != said[1]:
            return said
    return f"{one:.6g}", f"{other:.6g}"


def _chance(value: float) -> str:
    return f"{value:.2g}"
