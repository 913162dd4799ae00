"""Codes of float formats: decoding to float64, exactly, and encoding with one rounding."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.floating import FloatFormat
from tilewright.hdl.numeric.whole import whole_numbers

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.unsignedinteger]
"""Codes of a float format, in the smallest unsigned type of numpy that is as wide as the format."""
Overflow: TypeAlias = Literal["ieee", "saturate"]
"""What becomes of a value that rounds beyond the largest finite one; ``encode`` says it."""

_FLOAT64_FRACTION = 52
_FLOAT64_LAST_PLACE = -1074
_FLOAT64_WHOLE = 1 << 53  # no integer up to here is rounded


def decode(bits: ArrayLike, fmt: FloatFormat) -> Floats:
    """The values of the codes ``bits``, exactly; any NaN is float64's own.

    Args:
        bits: integers 0..2**width-1, in any shape.
        fmt: their format.

    Returns:
        Values in the shape of ``bits``.

    Raises:
        ValueError: something is not a code of ``fmt``.
    """
    codes = whole_numbers(f"codes of {fmt}", bits, 0, (1 << fmt.width) - 1)
    magnitude = codes & (fmt.sign_bit - 1)
    field = magnitude >> fmt.fraction_bits
    significand = (magnitude & ((1 << fmt.fraction_bits) - 1)) | ((field > 0).astype(np.int64) << fmt.fraction_bits)
    places = np.maximum(field, 1) - 1 + fmt.last_place
    values = np.ldexp(significand.astype(np.float64), places.astype(np.intc))
    if fmt.infinities:
        values = np.where(magnitude == fmt.infinity_bits, np.inf, values)
    values = np.where(codes & fmt.sign_bit != 0, -values, values)
    return np.where(magnitude > (fmt.infinity_bits or fmt.largest_bits), np.nan, values)


def encode(values: ArrayLike, fmt: FloatFormat, overflow: Overflow = "ieee") -> Codes:
    """The codes nearest to ``values``: one rounding, ties to even, subnormals kept, the sign of zero too.

    What rounds beyond the largest finite value, and infinity:

    - ``"ieee"`` (default): infinity of its sign; in a format without infinities ``nan_bits``. In fp8_e4m3 464 still
      rounds to 448, and all above becomes NaN.
    - ``"saturate"``: the largest finite value of its sign.

    NaN becomes ``nan_bits`` in both.

    Args:
        values: numbers that float64 holds exactly, in any shape.
        fmt: the format of the result.
        overflow: one of the two conventions.

    Returns:
        Codes in the shape of ``values``.

    Raises:
        ValueError: integers beyond 2**53 (``from_integer`` rounds those), other types of numbers, another ``overflow``.
    """
    numbers = exact_floats(values)
    codes = encode_scaled(*significands(numbers), fmt, overflow)
    # An infinity reads as a number above all others, hence as overflow.
    return np.where(np.isnan(numbers), fmt.dtype.type(fmt.nan_bits), codes)


def encode_scaled(
    negative: ArrayLike,
    magnitude: NDArray[np.uint64],
    places: ArrayLike,
    fmt: FloatFormat,
    overflow: Overflow = "ieee",
) -> Codes:
    """The codes nearest to ``magnitude * 2**places``, negated where ``negative``; rounding and overflow of ``encode``.

    Args:
        negative: booleans; minus zero keeps its sign.
        magnitude: integers of all 64 bits.
        places: integers that stay far from the limits of int64.
        fmt: the format of the result.
        overflow: as in ``encode``.

    Returns:
        Codes in the shape of the arguments together.

    Raises:
        ValueError: another ``overflow``.
    """
    if overflow not in get_args(Overflow):
        raise ValueError(f"overflow must be one of {', '.join(get_args(Overflow))}, got {overflow!r}")
    exponents = np.asarray(places, dtype=np.int64)
    leading = np.where(magnitude > 0, exponents + _bit_length(magnitude) - 1, fmt.emin)
    binade = np.maximum(leading, fmt.emin)
    kept = _shift_to_even(magnitude, binade - fmt.fraction_bits - exponents)
    # A normal number's hidden bit adds 1 to its exponent field, and so does a carry out of the fraction.
    codes = ((binade - fmt.emin) << fmt.fraction_bits) + kept
    infinite = fmt.nan_bits if fmt.infinity_bits is None else fmt.infinity_bits
    beyond = fmt.largest_bits if overflow == "saturate" else infinite
    over = codes > fmt.largest_bits
    signed = np.where(over, beyond, codes) | np.where(np.asarray(negative), fmt.sign_bit, 0)
    return np.where(over & (beyond == fmt.nan_bits), fmt.nan_bits, signed).astype(fmt.dtype)


def exact_floats(values: ArrayLike) -> Floats:
    """``values`` as float64 in their shape; ValueError where that would round."""
    numbers = np.asarray(values)
    if numbers.dtype.kind in "iu":
        numbers = whole_numbers("values that float64 holds exactly", numbers, -_FLOAT64_WHOLE, _FLOAT64_WHOLE)
    elif numbers.dtype.kind != "f" or numbers.dtype.itemsize > 8:
        raise ValueError(f"values must be integers or floats of at most 64 bits, got an array of {numbers.dtype}")
    return np.ascontiguousarray(numbers, dtype=np.float64).reshape(numbers.shape)


def significands(numbers: Floats) -> tuple[NDArray[np.bool_], NDArray[np.uint64], NDArray[np.int64]]:
    """Sign, integer significand of 53 bits, and exponent of its last place; an infinity reads as 2**1024."""
    raw = numbers.view(np.int64)
    field = (raw >> _FLOAT64_FRACTION) & 0x7FF
    hidden = (field > 0).astype(np.int64) << _FLOAT64_FRACTION
    significand = (raw & ((1 << _FLOAT64_FRACTION) - 1)) | hidden
    return raw < 0, significand.astype(np.uint64), np.maximum(field, 1) - 1 + _FLOAT64_LAST_PLACE


def _bit_length(magnitude: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Codes of each integer, 0 for 0. Halves of 32 bits are exact in float64."""
    low = (magnitude & np.uint64(0xFFFFFFFF)).astype(np.float64)
    high = (magnitude >> np.uint64(32)).astype(np.float64)
    return np.where(high > 0, 32 + np.frexp(high)[1], np.frexp(low)[1]).astype(np.int64)


def _shift_to_even(magnitude: NDArray[np.uint64], drop: NDArray[np.int64]) -> NDArray[np.int64]:
    """``magnitude * 2**-drop`` to the nearest integer, ties to even; it must fit in 63 bits."""
    one = np.uint64(1)
    # No shift reaches 64, where numpy promises nothing; beyond 64 dropped bits all are less than half of a place.
    down = (np.clip(drop, 1, 64) - 1).astype(np.uint64)
    halves = np.where(drop > 64, np.uint64(0), magnitude >> down)
    whole, half = halves >> one, halves & one
    below = magnitude & ((one << down) - one)
    rounded = whole + (half & ((below != 0).astype(np.uint64) | whole))
    up = np.clip(-drop, 0, 63).astype(np.uint64)
    return np.where(drop > 0, rounded, magnitude << up).astype(np.int64)
