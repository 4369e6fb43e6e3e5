"""Disease → genes, from `genes_to_disease.txt` or `genes_to_phenotype.txt`."""

from __future__ import annotations

from hickam.issues import invalid


def read_genes(text: str) -> dict[str, tuple[str, ...]]:
    """Disease → symbols of its genes in alphabetical order."""
    head, _, body = text.partition("\n")
    header = head.lstrip("#").strip().lower().split("\t")
    for name in ("gene_symbol", "disease_id"):
        if name not in header:
            what = f"has no column '{name}'"
            raise invalid("the file of genes", what, "give it as downloaded")
    symbol, disease = header.index("gene_symbol"), header.index("disease_id")
    width = max(symbol, disease) + 1
    found: dict[str, set[str]] = {}
    for line in body.splitlines():
        cells = line.split("\t")
        if len(cells) >= width and cells[symbol] not in ("", "-"):
            found.setdefault(cells[disease], set()).add(cells[symbol])
    return {name: tuple(sorted(genes)) for name, genes in found.items()}
