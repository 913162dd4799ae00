"""Sums of products in a window, the same in every order, and their conversion to floats with one rounding.

**Rounding.** A product is placed in the window by rounding it to the nearest multiple of ``2**-point``, ties away
from zero, alone and before anything is added. In hardware its magnitude ``t`` arrives with the first bit below the
window, ``g``: what is added is ``t`` xor the sign, and the carry into the adder is ``g`` xor the sign. Dropping bits
towards minus infinity takes the same adder with a carry that waits for all dropped bits, and errs twice as far and
to one side only.

**Sum.** Addition is modulo ``2**N``. So the bits of a sum depend on the products only, not on order, tiling or
placement, and what leaves the window on the way is no error when the sum is back in it.

**Flags**, sticky, one of each per result:

- ``invalid``: an operand was NaN or infinite. It adds nothing, and the result converts to NaN.
- ``underflow``: a product lost bits below the window, all of them maybe.
- ``overflow``: a product reached above the window, or an addition left it. While it is clear, the sum is that of the
  placed products; once set, the sum may be wrong by a multiple of ``2**N``. As it watches each step, the flag – and
  only it – may depend on the order where terms of both signs meet; in no order is it clear when the sum is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.codes import Codes, Overflow, decode, encode_scaled, exact_floats, significands
from tilewright.hdl.numeric.floating import FP32, FloatFormat
from tilewright.hdl.numeric.fused import Pair, exact_product
from tilewright.hdl.numeric.integer import IntFormat, wrap
from tilewright.hdl.numeric.whole import magnitudes
from tilewright.hdl.numeric.window import FxFormat, check_point, check_width

_SIGNIFICAND_BITS = 53
_LOW_HALF = np.int64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class WindowSum:
    """What accumulators hold: ``integers`` of the window (int64) and their flags, all of one shape."""

    integers: NDArray[np.int64]
    overflow: NDArray[np.bool_]
    underflow: NDArray[np.bool_]
    invalid: NDArray[np.bool_]


def empty_sum(shape: tuple[int, ...]) -> WindowSum:
    """Zeros without flags."""
    clear = np.zeros(shape, dtype=np.bool_)
    return WindowSum(np.zeros(shape, dtype=np.int64), clear, clear, clear)


def place(values: ArrayLike, fmt: FxFormat, point: int) -> WindowSum:
    """``values``, each alone in a window.

    Args:
        values: numbers that float64 holds exactly, in any shape: products, or a bias.
        fmt: the window.
        point: its bit 0 weighs ``2**-point``; -512..512.

    Returns:
        Windows and flags in the shape of ``values``. Of a value that reaches above, the bits within remain.

    Raises:
        ValueError: another ``point``, or a value that float64 does not hold exactly.
    """
    check_point(point)
    numbers = exact_floats(values)
    finite = np.isfinite(numbers)
    negative, significand, places = significands(np.where(finite, numbers, 0.0))
    up = places + point
    down = np.clip(-up, 1, _SIGNIFICAND_BITS + 1).astype(np.uint64)
    one = np.uint64(1)
    nearest = ((significand >> (down - one)) + one) >> one
    lost = (up < 0) & (significand & ((one << down) - one) != 0)
    raised = np.where(up < 64, significand << np.clip(up, 0, 63).astype(np.uint64), np.uint64(0))
    magnitude = np.where(up < 0, nearest, raised)
    with np.errstate(over="ignore"):  # whatever is above all windows may as well be infinite
        size = np.where(up < 0, nearest.astype(np.float64), np.abs(np.ldexp(numbers, point)))
    limit = 2.0 ** (fmt.width - 1)
    over = finite & np.where(negative, size > limit, size >= limit)
    integers = wrap(np.where(negative, np.negative(magnitude), magnitude), IntFormat(fmt.width))
    return WindowSum(integers, over, lost, ~finite)


def place_products(a: ArrayLike, b: ArrayLike, formats: Pair, fmt: FxFormat, point: int) -> WindowSum:
    """The products ``a * b``, each alone in a window.

    Args:
        a, b: codes, of shapes that broadcast.
        formats: theirs, in this order; any.
        fmt: the window.
        point: its bit 0 weighs ``2**-point``; -512..512.

    Returns:
        Windows and flags in the common shape, as from ``place``.

    Raises:
        ValueError: ``fmt`` is too small for one product, another ``point``, or something is not a code of its format.
    """
    check_width(fmt, *formats)
    return place(exact_product(decode(a, formats[0]), decode(b, formats[1])), fmt, point)


def accumulate(total: WindowSum, step: WindowSum, fmt: FxFormat) -> WindowSum:
    """``total + step`` modulo ``2**fmt.width`` with the flags of both; a step may be a sum of its own.

    Args:
        total, step: sums in windows of ``fmt`` with the same binary point, of shapes that broadcast.
        fmt: their window.
    """
    # The function wraps in silence; the operator, between two scalars, would warn.
    integers = wrap(np.add(total.integers, step.integers), IntFormat(fmt.width))
    left = ((total.integers ^ integers) & (step.integers ^ integers)) < 0
    return WindowSum(
        integers,
        total.overflow | step.overflow | left,
        total.underflow | step.underflow,
        total.invalid | step.invalid,
    )


def accumulate_step(total: WindowSum, terms: Sequence[WindowSum], fmt: FxFormat) -> WindowSum:
    """``total`` and all ``terms`` in one step: as ``accumulate``, but the sum may leave the window on its way.

    ``overflow`` is set where it has not come back in the end, or a term has the flag.

    Args:
        total, terms: sums in windows of ``fmt`` with the same binary point, of shapes that broadcast.
        fmt: their window.
    """
    parts = (total, *terms)
    # In two halves of 32 bits each, so that nothing is lost above 64; a carry out of the low ones is their excess.
    low = sum((part.integers & _LOW_HALF for part in parts), np.int64(0))
    high = sum((part.integers >> 32 for part in parts), np.int64(0)) + (low >> 32)
    low = low & _LOW_HALF
    integers = wrap((high << 32) | low, IntFormat(fmt.width))
    left = (integers >> 32 != high) | (integers & _LOW_HALF != low)
    return WindowSum(
        integers,
        np.logical_or.reduce([left, *np.broadcast_arrays(*(part.overflow for part in parts))]),
        np.logical_or.reduce(np.broadcast_arrays(*(part.underflow for part in parts))),
        np.logical_or.reduce(np.broadcast_arrays(*(part.invalid for part in parts))),
    )


def from_window(total: WindowSum, point: int, out: FloatFormat = FP32, overflow: Overflow = "ieee") -> Codes:
    """The codes nearest to sums in windows: one rounding, ties to even; 0 becomes +0, an invalid sum NaN.

    Args:
        total: sums.
        point: their bit 0 weighs ``2**-point``; -512..512.
        out: format of the result.
        overflow: as in ``encode``; it is about ``out`` and has nothing to do with the flag.

    Returns:
        Codes of ``out`` in the shape of ``total``.

    Raises:
        ValueError: another ``point`` or ``overflow``.
    """
    check_point(point)
    codes = encode_scaled(total.integers < 0, magnitudes(total.integers), -point, out, overflow)
    return np.where(total.invalid, out.dtype.type(out.nan_bits), codes)
