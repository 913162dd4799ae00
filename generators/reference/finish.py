"""What an engine makes of accumulators before it stores them: the model that hardware equals bit for bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric import (
    BF16,
    FloatFormat,
    FxFormat,
    IntFormat,
    convert,
    from_window,
    requantise,
    saturate,
    unpack_window,
    wrap,
)
from tilewright.hdl.numeric.codes import Overflow
from tilewright.hdl.numeric.functions import elementary
from tilewright.hdl.numeric.requantise import ACC_BITS, Rounding

Codes = NDArray[np.int64]

_FAR = 1 << 62

FUNCTIONS = ("sigmoid", "tanh", "silu", "gelu")
"""Activations of floats beside none and relu."""


def finish_integers(
    acc: ArrayLike,
    out: IntFormat,
    multiplier: ArrayLike,
    shift: ArrayLike,
    zero_point: int = 0,
    limits: tuple[int, int] | None = None,
    *,
    rounding: Rounding = "half_even",
    zero_b: int = 0,
    sums: ArrayLike = 0,
) -> Codes:
    """``clamp(zero_point + round(saturate(acc - zero_b * sums) * multiplier * 2**-shift))``.

    The difference is exact, and then saturates to 33 bits. What has been rounded saturates to ``out``, then is
    at most the higher limit, then at least the lower one.

    Args:
        acc: M x N accumulators, bias included.
        out: format of the results.
        multiplier, shift: one for all or one for each column.
        zero_point: of the results.
        limits: lowest and highest result; None: those of ``out``.
        rounding: as in ``requantise``.
        zero_b: zero point of B.
        sums: sums of the rows of A, one for each row of ``acc``.

    Returns:
        Values of ``out``.
    """
    low, high = (out.min, out.max) if limits is None else limits
    # A correction has at most 57 bits: what is beyond 62 saturates with and without it, and must not wrap.
    within = np.clip(np.asarray(acc, np.int64), -_FAR, _FAR)
    exact = within - np.int64(zero_b) * np.asarray(sums, np.int64).reshape(-1, 1)
    rounded = requantise(saturate(exact, IntFormat(ACC_BITS)), multiplier, shift, zero_point, out, rounding)
    return np.maximum(np.minimum(rounded, high), low)


def finish_floats(
    acc: ArrayLike,
    source: FloatFormat | FxFormat,
    out: FloatFormat,
    activation: str = "none",
    *,
    overflow: Overflow = "ieee",
    point: int = 0,
) -> Codes:
    """The codes of ``out`` nearest to accumulators, or to a function of them.

    ``none`` and ``relu`` (+0 for -0 and all below, NaN stays) round once, to ``out``. A function of ``FUNCTIONS``
    rounds to bf16 ("ieee"), is evaluated from bf16 to bf16, and its result rounds to ``out``.

    Args:
        acc: codes of accumulators, in any shape.
        source: their format, fp32 or a window.
        out: format of the results.
        activation: ``none``, ``relu`` or one of ``FUNCTIONS``.
        overflow: what becomes of what is too large for ``out``.
        point: binary point of windows.

    Returns:
        Codes of ``out`` in the shape of ``acc``.
    """
    if activation in FUNCTIONS:
        operands = _rounded(acc, source, BF16, "ieee", point)
        return convert(elementary(activation).evaluate(operands), BF16, out, overflow).astype(np.int64)
    codes = _rounded(acc, source, out, overflow, point)
    if activation == "relu":
        nan = codes & (out.sign_bit - 1) > (out.largest_bits if out.infinity_bits is None else out.infinity_bits)
        return np.where((codes & out.sign_bit > 0) & ~nan, 0, codes)
    if activation != "none":
        raise ValueError(f"activation must be none, relu or one of {', '.join(FUNCTIONS)}, got {activation!r}")
    return codes


def row_sums(a: ArrayLike, width: int, before: ArrayLike = 0) -> Codes:
    """``before`` plus the sum of each row of ``a`` (M x K values), modulo ``2**width``, as signed numbers."""
    return wrap(np.asarray(before, np.int64) + np.asarray(a, np.int64).sum(axis=1), IntFormat(width))


def _rounded(acc: ArrayLike, source: FloatFormat | FxFormat, out: FloatFormat, overflow: Overflow, point: int) -> Codes:
    if isinstance(source, FxFormat):
        return from_window(unpack_window(acc, source), point, out, overflow).astype(np.int64)
    return convert(acc, source, out, overflow).astype(np.int64)


def residual_sum(
    x: ArrayLike,
    y: ArrayLike,
    out: IntFormat,
    left: tuple[int, int],
    right: tuple[int, int],
    scale: tuple[int, int],
    zero_point: int = 0,
    limits: tuple[int, int] | None = None,
    rounding: Rounding = "half_even",
) -> Codes:
    """``clamp(zero_point + round(((x - zero) * multiplier + (y - zero) * multiplier) * scale))``.

    Args:
        x, y: values of ``out``, in any shapes that broadcast.
        out: format of addends and result.
        left, right: zero point and multiplier of ``x`` and of ``y``; multipliers of at most ``31 - out.width`` bits.
        scale: multiplier and shift of the sum, as of ``requantise``.
        zero_point, limits, rounding: of the result, as in ``finish_integers``.

    Returns:
        Values of ``out``.
    """
    total = (np.asarray(x, np.int64) - left[0]) * left[1] + (np.asarray(y, np.int64) - right[0]) * right[1]
    return finish_integers(total, out, *scale, zero_point, limits, rounding=rounding)


def max_pool(codes: ArrayLike, fmt: IntFormat | FloatFormat) -> Codes:
    """The greatest of each 2 x 2 elements of pictures (lines x pixels x channels, even ones), in steps of 2.

    Floats are in the order of their codes: -0 is below +0; of NaN only the positive one is expected, which is greatest.
    """
    values = np.asarray(codes, np.int64)
    parts = np.stack([values[line::2, pixel::2] for line in (0, 1) for pixel in (0, 1)])
    keys = parts
    if isinstance(fmt, FloatFormat):
        keys = np.where(parts & fmt.sign_bit > 0, -1 - (parts & (fmt.sign_bit - 1)), parts)
    found: Codes = np.take_along_axis(parts, keys.argmax(axis=0)[None], axis=0)[0]
    return found
