"""The product of two matrices of codes in the arithmetic of a configuration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.gemm import gemm
from tilewright.hdl.numeric import (
    FloatFormat,
    FxFormat,
    IntFormat,
    float_chain,
    pack_window,
    unpack_window,
    window_chain,
)

Codes = NDArray[np.int64]


def product(config: SystolicConfig, a: Codes, b: Codes, start: Codes, point: int = 0) -> Codes:
    """``start + a @ b``, all of them codes: integers as they are, floats and windows as their bits.

    Args:
        config: formats, overflow policy, ``vector``.
        a, b: M x K and K x N.
        start: broadcasts to M x N.
        point: binary point of windows.
    """
    acc = config.acc
    if isinstance(acc, IntFormat):
        return gemm(a, b, start, acc, saturating=config.saturates, vector=config.vector)
    assert isinstance(config.a, FloatFormat) and isinstance(config.b, FloatFormat)
    formats = (config.a, config.b)
    if isinstance(acc, FxFormat):
        total = window_chain(a, b, formats, acc, point, unpack_window(start, acc), vector=config.vector)
        return pack_window(total, acc)
    return float_chain(a, b, formats, start, vector=config.vector).astype(np.int64)
