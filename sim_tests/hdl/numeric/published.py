"""The published vectors: ``vectors/README.md`` says what they are."""

from __future__ import annotations

import gzip
from importlib import resources

import numpy as np
from numpy.typing import NDArray


def published(name: str) -> list[NDArray[np.uint32]]:
    """Operands and result of the vectors ``name``, a column each; the flags are left out."""
    file = resources.files("tilewright.sim_tests.hdl.numeric").joinpath("vectors", f"{name}_near_even.txt.gz")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    rows = [[int(word, 16) for word in line.split()[:-1]] for line in lines]
    return list(np.array(rows, dtype=np.uint32).T)
