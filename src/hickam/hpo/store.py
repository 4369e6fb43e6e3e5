"""A built network in one file: arrays and one JSON text, nothing that could run.

The file is an uncompressed `.npz`, so that what it claims to hold is no more than its size.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hickam.hpo.build import Hpo
from hickam.hpo.ontology import Ontology
from hickam.hpo.recipe import Recipe
from hickam.hpo.table import Sparse, Table
from hickam.issues import InvalidInput, invalid

LAYOUT = 1  # of the file; a file of another layout is built again
SUFFIX = ".npz"
LARGEST = 2_000_000_000  # bytes
TABLES = ("stated", "implied", "links")
PARTS = ("start", "column", "value")
NAMES = {"said", "background", "findings", *(f"{t}_{p}" for t in TABLES for p in PARTS)}


def save(hpo: Hpo, path: Path) -> None:
    """Write a built network; a reader sees the whole file or none."""
    arrays: dict[str, Any] = {
        "said": np.frombuffer(json.dumps(_said(hpo)).encode(), np.uint8),
        "background": hpo.table.background,
        "findings": hpo.table.findings,
    }
    for name, table in (
        ("stated", hpo.table.stated),
        ("implied", hpo.table.implied),
        ("links", hpo.links),
    ):
        arrays[f"{name}_start"] = table.start.astype(np.int64)
        arrays[f"{name}_column"] = table.column.astype(np.int32)
        arrays[f"{name}_value"] = table.value
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            np.savez(file, **arrays)
        unfinished.replace(path)
    except OSError as bad:
        raise invalid(f"file '{path}'", f"cannot be written: {bad.strerror or bad}") from None
    finally:
        unfinished.unlink(missing_ok=True)


def restore(path: Path) -> Hpo:
    """The network in a file that `save` wrote; any other file is refused."""
    try:
        return _restore(path)
    except InvalidInput:
        raise
    except OSError as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad.strerror or bad}") from None
    except Exception as bad:  # a damaged file can go wrong in any way
        what = f"is no built network, or damaged ({type(bad).__name__})"
        raise invalid(f"file '{path}'", what, "build it again: hickam hpo build") from None


def _restore(path: Path) -> Hpo:
    """The network in a file; what is wrong with it may raise anything."""
    with path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
            raise ValueError("compressed")
        if sum(part.file_size for part in parts) > min(LARGEST, os.fstat(file.fileno()).st_size):
            raise ValueError("larger than it is")
        if {part.filename.removesuffix(".npy") for part in parts} != NAMES:
            raise ValueError("other parts")
        file.seek(0)
        with np.load(file, allow_pickle=False) as held:
            arrays = {name: held[name] for name in NAMES}
    said = json.loads(arrays["said"].tobytes())
    if said["layout"] != LAYOUT:
        raise invalid(f"file '{path}'", "is of another version", "build it again: hickam hpo build")
    ontology = _ontology(said["ontology"])
    diseases, terms = tuple(said["names"]), len(ontology.ids)
    shapes = {"stated": (len(diseases), terms), "implied": (terms, len(diseases))}
    shapes["links"] = shapes["implied"]
    tables = {name: _table(name, arrays, shape) for name, shape in shapes.items()}
    for name, size in (("background", terms), ("findings", len(diseases))):
        _demand(arrays[name], size, np.float64)
    return Hpo(
        ontology=ontology,
        table=Table(
            diseases, tables["stated"], tables["implied"], arrays["background"], arrays["findings"]
        ),
        links=tables["links"],
        names=said["names"],
        symbols={disease: tuple(genes) for disease, genes in said["symbols"].items()},
        merged={entry: tuple(into) for entry, into in said["merged"].items()},
        papers=frozenset(said["papers"]),
        counts=said["counts"],
        annotated=said["annotated"],
        recipe=Recipe(**said["recipe"]),
    )


def _said(hpo: Hpo) -> dict[str, Any]:
    """Everything that is no table, as plain values."""
    ontology = hpo.ontology
    return {
        "layout": LAYOUT,
        "annotated": hpo.annotated,
        "recipe": asdict(hpo.recipe),
        "names": {disease: hpo.names[disease] for disease in hpo.table.diseases},
        "symbols": dict(hpo.symbols),
        "merged": dict(hpo.merged),
        "papers": sorted(hpo.papers),
        "counts": dict(hpo.counts),
        "ontology": {
            "version": ontology.version,
            "ids": ontology.ids,
            "names": ontology.names,
            "synonyms": ontology.synonyms,
            "parents": ontology.parents,
            "current": dict(ontology.current),
            "elsewhere": sorted(ontology.elsewhere),
        },
    }


def _ontology(said: Mapping[str, Any]) -> Ontology:
    """The ontology in plain values."""
    size = len(said["ids"])
    found = Ontology(
        version=said["version"],
        ids=tuple(said["ids"]),
        names=tuple(said["names"]),
        synonyms=tuple(map(tuple, said["synonyms"])),
        parents=tuple(map(tuple, said["parents"])),
        current=said["current"],
        elsewhere=frozenset(said["elsewhere"]),
    )
    lengths = {len(found.names), len(found.synonyms), len(found.parents)}
    inside = all(0 <= parent < size for above in found.parents for parent in above)
    if lengths != {size} or not inside:
        raise ValueError("an ontology that does not fit together")
    return found


def _table(name: str, arrays: Mapping[str, Any], shape: tuple[int, int]) -> Sparse:
    """One sparse table, its places checked."""
    start, column, value = (arrays[f"{name}_{part}"] for part in PARTS)
    _demand(start, shape[0] + 1, np.int64)
    _demand(column, len(value), np.int32)
    _demand(value, len(value), np.float64)
    ordered = start[0] == 0 and start[-1] == len(value) and np.all(np.diff(start) >= 0)
    if not ordered or (len(column) and (column.min() < 0 or column.max() >= shape[1])):
        raise ValueError("a table that points outside itself")
    if not np.all((value >= 0.0) & (value <= 1.0)):
        raise ValueError("a frequency that is none")
    return Sparse(start, column.astype(np.int64), value)


def _demand(array: Any, size: int, kind: Any) -> None:
    """Refuse an array of another length or type."""
    if array.shape != (size,) or array.dtype != kind:
        raise ValueError("an array of another form")
