"""The compiled kernels for this processor, or word that only their NumPy twins are there.

Every kernel has a NumPy twin that is both its reference and what runs when Hickam was installed
without compiled kernels. On x86-64 the kernels are there twice: for every processor, and for those
with AVX2. The environment variable HICKAM_KERNELS asks for other kernels than the fastest:
`numpy` for the twins, `portable` for those that every processor can run.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def _optional(name: str) -> ModuleType | None:
    """A module that only some installs have."""
    try:
        return import_module(f"hickam.inference.{name}")
    except ImportError:
        return None


_portable = _optional("_kernels")
_avx2 = _optional("_kernels_avx2") if _portable is not None and _portable.has_avx2 else None


def compiled() -> ModuleType | None:
    """The compiled kernels, or None when the NumPy twins are to be used."""
    wish = os.environ.get("HICKAM_KERNELS")
    if wish == "numpy":
        return None
    return _portable if wish == "portable" else _avx2 or _portable


def describe() -> str:
    """Which kernels are in use, for a person.

    >>> describe().startswith(("compiled", "NumPy"))
    True
    """
    kernels = compiled()
    if kernels is not None:
        return "compiled (C++, AVX2)" if kernels is _avx2 else "compiled (C++)"
    if _portable is not None:
        return "NumPy, because HICKAM_KERNELS=numpy asks for it"
    missing = _optional("_no_kernels")
    why = f": when Hickam was installed {missing.REASON}" if missing is not None else ""
    return f"NumPy only (slow){why}"
