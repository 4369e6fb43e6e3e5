"""The foreign formats as forms of a network; each reader is imported when a file asks for it."""

from __future__ import annotations

from pathlib import Path

from hickam.io.form import Format, Reading
from hickam.io.text import read_bytes, read_file, write_file
from hickam.model.kinds import Model, as_scm

KIND = "network file"


def _read_bif(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.bif import read_bif

    return read_bif(read_file(path, KIND), str(path))


def _write_bif(model: Model, path: Path) -> None:
    from hickam.io.foreign.bif_write import bif_text

    write_file(path, bif_text(as_scm(model)))


def _read_xmlbif(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.xmlbif import read_xmlbif

    return read_xmlbif(read_bytes(path, KIND), str(path))


def _read_uai(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.uai import read_uai

    return read_uai(read_file(path, KIND), str(path))


def _write_uai(model: Model, path: Path) -> None:
    from hickam.io.foreign.uai import uai_text

    write_file(path, uai_text(as_scm(model)))


def _read_hugin(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.hugin import read_hugin

    return read_hugin(read_file(path, KIND), str(path))


def _read_xdsl(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.xdsl import read_xdsl

    return read_xdsl(read_bytes(path, KIND), str(path))


def _write_xdsl(model: Model, path: Path) -> None:
    from hickam.io.foreign.xdsl_write import xdsl_text

    write_file(path, xdsl_text(as_scm(model)))


def _read_pgmx(path: Path, warnings: bool) -> Reading:
    from hickam.io.foreign.pgmx import read_pgmx

    return read_pgmx(read_bytes(path, KIND), str(path))


BIF = Format(
    *("BIF", (".bif",), "a BIF file", _read_bif, _write_bif),
    read_by="aGrUM, pgmpy and bnlearn read it right",
)
XMLBIF = Format("XMLBIF", (".xmlbif", ".bifxml", ".xml"), "an XMLBIF file", _read_xmlbif)
UAI = Format(
    *("UAI", (".uai",), "a UAI file", _read_uai, _write_uai),
    read_by="for programs of the UAI competitions; aGrUM and pgmpy order parents otherwise",
)
HUGIN = Format("Hugin", (".net",), "a Hugin NET file", _read_hugin)
XDSL = Format(
    *("XDSL", (".xdsl",), "a GeNIe XDSL file", _read_xdsl, _write_xdsl),
    read_by="for GeNIe; pgmpy reads it right with --as-tables; aGrUM orders parents otherwise",
)
PGMX = Format("PGMX", (".pgmx",), "an OpenMarkov file", _read_pgmx)
FOREIGN = (BIF, XMLBIF, UAI, HUGIN, XDSL, PGMX)
