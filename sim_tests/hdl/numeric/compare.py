"""Comparison of codes, with the first difference told."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tilewright.sim_tests.hdl.numeric.exact import FACTS, values


def assert_codes(name: str, got: ArrayLike, want: ArrayLike, *operands: ArrayLike) -> None:
    """Equal bit by bit; where a NaN is wanted, the canonical one is there. ``operands`` are told with a difference."""
    have, right = np.asarray(got), np.asarray(want)
    assert have.shape == right.shape
    nan = np.isnan(values(name, right.astype(np.int64)))
    wrong = np.flatnonzero(have != np.where(nan, FACTS[name].nan, right))
    if wrong.size:
        first = int(wrong[0])
        given = [hex(int(np.broadcast_to(part, have.shape).flat[first])) for part in operands]
        told = f"{name}[{first}] of {given}: {int(have.flat[first]):#x} is not {int(right.flat[first]):#x}"
        raise AssertionError(f"{wrong.size} of {have.size} differ; {told}")
