"""What a place on a doctor's list says about a disease, as likelihood ratios."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hickam.issues import Issue, error
from hickam.model.described import Described


@dataclass(frozen=True, slots=True)
class PositionWeights:
    """Likelihood ratios of a disease by its position in a doctor's list.

    `listed[i]` = P(listed at position i + 1 | it is the disease) / P(… | it is not); the last
    holds for all later positions. `unlisted` is the same ratio for a disease the doctor left out.

    Ratios that were fitted on one network make up for how sure of itself that network is: they are
    the honest ones to the power of 1 / `sharpness`. On any other network that would only be
    overconfidence, so there `on` takes the honest ones.

    >>> PositionWeights((30.0, 10.0), 0.3).ratio(5)
    10.0
    """

    listed: tuple[float, ...]
    unlisted: float
    source: str = ""
    network: str = ""  # hash of the network they were fitted on; empty: they hold on any
    sharpness: float = 1.0

    def ratio(self, position: int | None) -> float:
        """The likelihood ratio of a position from 1, or of not being listed."""
        if position is None:
            return self.unlisted
        return self.listed[min(position, len(self.listed)) - 1]

    def on(self, network: Described) -> PositionWeights:
        """The weights tempered to a network.

        >>> import hickam
        >>> fitted = PositionWeights((100.0,), 0.01, network="another", sharpness=0.5)
        >>> fitted.on(hickam.load("smoker")).listed
        (10.0,)
        """
        if self.network in ("", network.hash) or self.sharpness == 1.0:
            return self
        return replace(
            self,
            listed=tuple(ratio**self.sharpness for ratio in self.listed),
            unlisted=self.unlisted**self.sharpness,
            source=f"{self.source}; tempered, because that was another network",
            network=network.hash,
            sharpness=1.0,
        )

    def check(self) -> list[Issue]:
        """What is wrong with the weights."""
        values = (*self.listed, self.unlisted)
        if self.listed and all(0.0 < value < float("inf") for value in values):
            return []
        fix = "one positive ratio per position, and one for unlisted diseases"
        return [error("position weights", f"are {values}", fix)]


DEFAULT_WEIGHTS = PositionWeights(
    listed=(220.0, 6.7, 1.9, 0.33),
    unlisted=0.014,
    source="fitted to the 903 opinions of the reproduction study",
    network="c130c460d6f4df01abcb5ecea4b51863f54b241e8d8d24a1995e409184d725a0",
    sharpness=0.3,
)
