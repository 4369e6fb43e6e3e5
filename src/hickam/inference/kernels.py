"""The compiled kernels, or word that only their NumPy twins are there.

Every kernel has a NumPy twin that is both its reference and what runs when Hickam was installed
without a C++ compiler. The environment variable HICKAM_KERNELS=numpy asks for the twins.
"""

from __future__ import annotations

import os
from types import ModuleType

try:
    from hickam.inference import _kernels  # type: ignore[attr-defined]
except ImportError:  # installed without a compiler
    _kernels = None


def compiled() -> ModuleType | None:
    """The compiled kernels, or None when the NumPy twins are to be used."""
    return None if os.environ.get("HICKAM_KERNELS") == "numpy" else _kernels


def describe() -> str:
    """Which kernels are in use, for a person.

    >>> describe().startswith(("compiled", "NumPy"))
    True
    """
    if compiled() is not None:
        return "compiled (C++)"
    if _kernels is not None:
        return "NumPy, because HICKAM_KERNELS=numpy asks for it"
    return "NumPy only (slow): Hickam was installed without a C++ compiler"
