"""A network at a glance: its layers, and how its links, priors and strengths are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hickam.model.network import Floats, Network
from hickam.report.svg import SIDE, WIDTH, box, document, text
from hickam.words import chance, two_digits

BINS = 16
BLOCKS = "▁▂▃▄▅▆▇█"
LABEL = 28  # columns
HIGH = 56.0
ROW = 104.0


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How many nodes or links have a number in each range."""

    what: str
    edges: Floats  # [bin + 1]
    counts: list[int]  # [bin]
    least: float
    median: float
    most: float
    share: bool  # whether the numbers are probabilities, on a logarithmic scale
    zeros: int  # numbers that are 0, and in no bin of a logarithmic scale

    def say(self, value: float) -> str:
        """One of the numbers for a person."""
        return chance(value) if self.share else two_digits(value)

    def to_dict(self) -> dict[str, Any]:
        """The histogram as plain values, ready for JSON."""
        return {
            "edges": self.edges.tolist(),
            "counts": self.counts,
            "least": self.least,
            "median": self.median,
            "most": self.most,
            "zeros": self.zeros,
        }


def portrait(network: Network) -> list[Histogram]:
    """The histograms of a network; those of nothing are left out."""
    causes, effects = network.causes, network.effects
    counts = [
        ("diseases of a risk factor", causes.cause, len(network.risk_factors)),
        ("risk factors of a disease", causes.effect, len(network.diseases)),
        ("findings of a disease", effects.cause, len(network.diseases)),
        ("diseases of a finding", effects.effect, len(network.findings)),
    ]
    chances = [
        ("prior of a risk factor", network.risk_prior),
        ("prior of a disease", network.prior),
        ("leak of a finding", network.finding_leak),
        ("strength, risk to disease", causes.acts),
        ("strength, disease to finding", effects.acts),
    ]
    found = [
        _histogram(what, np.bincount(ends, minlength=size).astype(np.float64), share=False)
        for what, ends, size in counts
        if size and len(ends)
    ]
    found += [_histogram(what, held, share=True) for what, held in chances if (held > 0.0).any()]
    return found


def portrait_lines(network: Network) -> list[str]:
    """The layers and the histograms as lines of text."""
    sizes = [len(layer) for layer in (network.risk_factors, network.diseases, network.findings)]
    links = [len(network.causes), len(network.effects)]
    lines = [
        f"  {sizes[0]:,} risk factors ─{links[0]:,} links→ {sizes[1]:,} diseases "
        f"─{links[1]:,} links→ {sizes[2]:,} findings"
    ]
    for one in portrait(network):
        top = max(one.counts)
        drawn = "".join(
            BLOCKS[max(0, round((len(BLOCKS) - 1) * count / top))] if count else " "
            for count in one.counts
        )
        ends = f"{one.say(one.least)} to {one.say(one.most)}, median {one.say(one.median)}"
        said = ends if one.least < one.most else f"all {one.say(one.most)}"
        none = f", {one.zeros:,} are 0" if one.zeros else ""
        lines.append(f"  {one.what:{LABEL}}  {drawn:{BINS}}  {said}{none}")
    return lines


def portrait_svg(network: Network) -> str:
    """The same as one self-contained picture."""
    histograms = portrait(network)
    parts = [text(SIDE, 24.0, network.name, "head")]
    layers = (
        ("risk factors", len(network.risk_factors)),
        ("diseases", len(network.diseases)),
        ("findings", len(network.findings)),
    )
    for place, (name, size) in enumerate(layers):
        x = SIDE + 132.0 * place
        parts.append(box("box", x, 44.0, 88.0, 46.0))
        parts.append(text(x + 44.0, 64.0, f"{size:,}", "head", "middle"))
        parts.append(text(x + 44.0, 81.0, name, "soft", "middle"))
    for place, links in enumerate((network.causes, network.effects)):
        x = 104.0 + 132.0 * place
        parts.append(f'<path class="line" d="M{x:.0f},67 h38 m-6,-4 l6,4 l-6,4"/>')
        parts.append(text(x + 19.0, 104.0, f"{len(links):,} links", "soft", "middle"))
    for place, one in enumerate(histograms):
        parts += _bars(one, 136.0 + ROW * place)
    return document(network.name, 140.0 + ROW * len(histograms), parts)


def _bars(one: Histogram, top: float) -> list[str]:
    """One histogram with its ends and median."""
    floor, wide = top + 12.0 + HIGH, (WIDTH - 2.0 * SIDE) / len(one.counts)
    none = f", {one.zeros:,} are 0" if one.zeros else ""
    parts = [
        text(SIDE, top, one.what),
        text(WIDTH - SIDE, top, f"median {one.say(one.median)}{none}", "soft", "end"),
    ]
    for place, count in enumerate(one.counts):
        high = HIGH * count / max(one.counts)
        if count:
            left = SIDE + wide * place
            parts.append(box("more", left, floor - high, wide - 1.5, max(high, 1.0)))
    parts.append(f'<path class="line" d="M{SIDE:.0f},{floor:.1f} h{WIDTH - 2.0 * SIDE:.1f}"/>')
    parts.append(text(SIDE, floor + 14.0, one.say(one.least), "soft"))
    parts.append(text(WIDTH - SIDE, floor + 14.0, one.say(one.most), "soft", "end"))
    return parts


def _histogram(what: str, values: Floats, *, share: bool) -> Histogram:
    """The numbers in ranges: of equal width, or probabilities on a logarithmic scale."""
    zeros = int((values == 0.0).sum()) if share else 0
    kept = values[values > 0.0] if share else values
    low, high = float(kept.min()), float(kept.max())
    if low == high:
        edges = np.array([low, high])
    elif share:
        edges = np.geomspace(low, high, BINS + 1)
        edges[0], edges[-1] = low, high
    elif high - low < BINS:  # a bin for each number
        edges = np.arange(low - 0.5, high + 1.0)
    else:
        edges = np.linspace(low, high, BINS + 1)
    counts = [len(kept)] if low == high else np.histogram(kept, edges)[0].tolist()
    return Histogram(what, edges, counts, low, float(np.median(kept)), high, share, zeros)
