"""What would be known of diseases if one paper had never been read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hickam.hpo.annotations import Annotations, Row, Said, pool
from hickam.hpo.build import Hpo
from hickam.hpo.kin import kin_of, lent
from hickam.hpo.recipe import Recipe
from hickam.hpo.table import pooled

Frequencies = Mapping[int, float]


@dataclass(frozen=True, eq=False)
class Unread:
    """The annotations by disease and by paper, ready to be read without one."""

    annotations: Annotations
    hpo: Hpo
    plain: Recipe  # how a disease's own rows are read

    @cached_property
    def rows(self) -> Mapping[str, list[Row]]:
        """Disease → its rows."""
        found: dict[str, list[Row]] = {}
        for row in self.annotations.rows:
            found.setdefault(row.disease, []).append(row)
        return found

    @cached_property
    def citing(self) -> Mapping[str, set[str]]:
        """Paper → the diseases with rows that cite it."""
        found: dict[str, set[str]] = {}
        for row in self.annotations.rows:
            for paper in row.papers:
                found.setdefault(paper, set()).add(row.disease)
        return found

    @cached_property
    def merged_from(self) -> Mapping[str, tuple[str, ...]]:
        """OMIM disease → the Orphanet entries that are read into it."""
        found: dict[str, tuple[str, ...]] = {}
        for entry, into in self.hpo.merged.items():
            for disease in into:
                found[disease] = (*found.get(disease, ()), entry)
        return found

    @cached_property
    def kin(self) -> Mapping[str, tuple[str, ...]]:
        """Disease → its kin."""
        return kin_of(self.hpo.names, self.hpo.table.diseases)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Disease → position."""
        return {disease: position for position, disease in enumerate(self.hpo.table.diseases)}

    @lru_cache(maxsize=4)  # noqa: B019  patients of one paper come one after the other
    def without(self, paper: str) -> dict[int, dict[str, Frequencies]]:
        """Disease → its own, merged and lent rows without those that cite a paper."""
        found: dict[int, dict[str, Frequencies]] = {}
        for disease in sorted(self.citing.get(paper, ())):
            if disease not in self.place:
                continue
            own = pool(self._read([disease], paper))
            said = pool(self._read([disease, *self.merged_from.get(disease, ())], paper))
            merged = dict.fromkeys(self.merged_from.get(disease, ()), (disease,))
            alone = pooled(own, {}, self.plain).get(disease, {})
            both = pooled(said, merged, self.hpo.recipe).get(disease, {})
            others = [self._stated(k) for k in self.kin.get(disease, ()) if k in self.place]
            more = lent(both, others, self.hpo.recipe.kin) if both else both
            found[self.place[disease]] = {"own": alone, "merged": both, "lent": more}
        return found

    def _read(self, diseases: Iterable[str], paper: str) -> list[Row]:
        """The rows of diseases that do not cite a paper."""
        return [
            row for name in diseases for row in self.rows.get(name, ()) if paper not in row.papers
        ]

    @lru_cache(maxsize=10_000)  # noqa: B019  one disease is kin to many
    def _stated(self, disease: str) -> Frequencies:
        """What is stated of a disease, without what its kin lend."""
        entries = self.merged_from.get(disease, ())
        said: dict[str, dict[int, Said]] = pool(self._read([disease, *entries], ""))
        merged = dict.fromkeys(entries, (disease,))
        return pooled(said, merged, self.hpo.recipe).get(disease, {})
