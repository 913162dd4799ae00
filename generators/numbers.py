"""Numbers of a user's as codes of a format, and back."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.errors import ConfigError, shown
from tilewright.hdl.numeric import (
    FP32,
    FloatFormat,
    Format,
    FxFormat,
    IntFormat,
    decode,
    encode,
    from_window,
    pack_window,
    place,
    unpack_window,
)
from tilewright.hdl.numeric.codes import encode_scaled

Codes = NDArray[np.int64]

_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_EXACT = 1 << 53  # integers up to here are floats


def as_array(name: str, values: ArrayLike) -> NDArray[Any]:
    """``values`` as a numpy array: of anything with ``__array__`` or DLPack, of lists. Raises ConfigError."""
    try:
        exported = hasattr(values, "__dlpack__") and not hasattr(values, "__array__")
        array: NDArray[Any] = np.from_dlpack(cast(Any, values)) if exported else np.asarray(values)
    except Exception:  # rows of several lengths, or an object of a user's
        raise ConfigError(
            f"{name} must be a matrix, got {shown(values)}, which is no array; "
            f"nearest legal value is a list of rows of one length"
        ) from None
    if np.ma.is_masked(values):
        raise ConfigError(f"{name} must have all its values, got masked ones; nearest legal value is {name}.filled(0)")
    if array.size == 0 and not isinstance(values, np.ndarray):
        return array.astype(np.int64)  # numpy makes floats of empty lists
    return array


class NoNumbers(ConfigError, TypeError):
    """A matrix that does not hold what its format asks for."""


def to_codes(name: str, array: NDArray[Any], fmt: Format, point: int) -> Codes:
    """Codes of ``array``: integers as they are, others rounded to the nearest value of ``fmt`` (of windows, ties away
    from zero). Raises ConfigError, and where these are no such numbers a TypeError, too."""
    if isinstance(fmt, IntFormat):
        return _integers(name, array, fmt)
    if array.dtype.name in _NARROW:  # those of ml_dtypes, all of whose values float32 has
        array = array.astype(np.float32)
    whole = array.dtype.kind in "iu"
    if not whole and (array.dtype.kind != "f" or array.dtype.itemsize > 8):
        raise NoNumbers(f"{name} must hold real numbers, got dtype {array.dtype}; convert them to float64 before")
    if isinstance(fmt, FloatFormat):
        if not whole:
            return encode(array, fmt).astype(np.int64)
        size = np.where(array < 0, -array, array).astype(np.uint64)
        return encode_scaled(array < 0, size, 0, fmt).astype(np.int64)
    if whole and array.size and max(abs(int(array.min())), abs(int(array.max()))) > _EXACT:
        raise ConfigError(f"{name} must hold integers up to 2**53 where C is {fmt}; nearest legal value is {_EXACT}")
    numbers = array.astype(np.float64)
    placed = place(numbers, fmt, point)
    wrong = placed.overflow | placed.invalid
    if wrong.any():
        low, high, worst = math.ldexp(fmt.min, -point), math.ldexp(fmt.max, -point), float(numbers[wrong].flat[0])
        raise ConfigError(
            f"{name} must hold numbers of {fmt} with binary point {point}, {low!r} to {high!r}, got {worst!r}; "
            f"nearest legal value is {0.0 if math.isnan(worst) else min(max(worst, low), high)!r}"
        )
    return pack_window(placed, fmt)


def from_codes(codes: Codes, fmt: Format, point: int) -> NDArray[Any]:
    """The numbers that codes of ``fmt`` stand for: integers as int64, others as float64; windows rounded to fp32."""
    if isinstance(fmt, IntFormat):
        return codes
    if isinstance(fmt, FxFormat):
        return decode(from_window(unpack_window(codes, fmt), point, FP32), FP32)
    return decode(codes, fmt)


def _integers(name: str, array: NDArray[Any], fmt: IntFormat) -> Codes:
    if array.dtype.kind not in "iu":
        raise NoNumbers(f"{name} must hold integers, got dtype {array.dtype}; round to integers of {fmt} before")
    if array.size:
        low, high = int(array.min()), int(array.max())
        worst = low if low < fmt.min else high
        if not fmt.min <= worst <= fmt.max:
            nearest = min(max(worst, fmt.min), fmt.max)
            raise ConfigError(
                f"{name} must hold values of {fmt}, {fmt.min}..{fmt.max}, got {worst}; nearest legal value is {nearest}"
            )
    return array.astype(np.int64)
