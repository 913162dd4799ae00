"""Codes of sums in windows: the integer's bits and, above them, the three flags."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.integer import IntFormat, wrap
from tilewright.hdl.numeric.whole import whole_numbers
from tilewright.hdl.numeric.window import FxFormat
from tilewright.hdl.numeric.window_sum import WindowSum

FLAG_BITS = 3
"""From the window's own bits on upwards: invalid, overflow, underflow."""

LARGEST_CODED = 60  # bits of a window whose code is still a positive int64


def pack_window(total: WindowSum, fmt: FxFormat) -> NDArray[np.int64]:
    """Codes of sums in a window of ``fmt``, in their shape."""
    flags = (total.invalid, total.overflow, total.underflow)
    codes = total.integers & ((1 << fmt.width) - 1)
    for place, flag in enumerate(flags):
        codes = codes | flag.astype(np.int64) << (fmt.width + place)
    return codes


def unpack_window(codes: ArrayLike, fmt: FxFormat) -> WindowSum:
    """The inverse of `pack_window`. Raises ValueError where something is not a code of ``fmt``."""
    numbers = whole_numbers(f"codes of {fmt}", codes, 0, (1 << (fmt.width + FLAG_BITS)) - 1)
    invalid, overflow, underflow = ((numbers >> (fmt.width + place)) & 1 > 0 for place in range(FLAG_BITS))
    integers = wrap(numbers & ((1 << fmt.width) - 1), IntFormat(fmt.width))
    return WindowSum(integers, overflow, underflow, invalid)
