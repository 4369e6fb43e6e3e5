"""A product of factors of known size, ready to be summed: by the compiled kernel, or in NumPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hickam.kernels import compiled
from hickam.twin.factors import Calibrated, Factor, Variable, calibrate, plan


class Sums:
    """The order of summing is found at once, and with it the size; the rest when it is asked for.

    >>> Sums([], {"a": 2, "b": 3}).calibrate(["a"]).beliefs["a"].tolist()
    [0.5, 0.5]
    """

    def __init__(self, factors: Sequence[Factor], sizes: Mapping[Variable, int]) -> None:
        self._factors, self._sizes = factors, sizes
        self._kernels = kernels = compiled()
        if kernels is None:
            self._plan = plan([factor.scope for factor in factors], sizes)
            self.cells, self.widest = float(self._plan.cells), float(self._plan.widest)
            return
        self._number = {variable: number for number, variable in enumerate(sizes)}
        number = self._number.__getitem__
        scopes = [list(map(number, factor.scope)) for factor in factors]
        tables = [factor.table for factor in factors]
        self._handle, self.cells, self.widest = kernels.sums(tables, scopes, list(sizes.values()))

    def calibrate(self, wanted: Sequence[Variable]) -> Calibrated:
        """The total of the product and the marginals of the wanted variables."""
        if self._kernels is None:
            return calibrate(self._factors, self._sizes, wanted, self._plan)
        numbers = [self._number[variable] for variable in wanted]
        log_total, beliefs = self._kernels.solve_sums(self._handle, numbers)
        if log_total == -math.inf:
            return Calibrated(log_total, {})
        return Calibrated(log_total, dict(zip(wanted, beliefs, strict=True)))
