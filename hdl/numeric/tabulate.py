"""Functions of integers that stand for real numbers, as tables of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.integer import IntFormat

Integers = NDArray[np.int64]

LARGEST_BITS = 8
"""Of what is tabulated."""

_DIGITS = 60
_EXACT = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9, traps=[])
_FAR = 24  # beyond, erfc(x / sqrt(2)) is below 10**-120


def tabulate(
    function: str, fmt: IntFormat, scale: float, zero: int = 0, out_scale: float = 1.0, out_zero: int = 0
) -> Integers:
    """``clamp(out_zero + round(function((q - zero) * scale) / out_scale))`` for every ``q`` of ``fmt``.

    The function is computed with 60 digits, and rounded once, to the nearest integer, ties to even: the table is the
    same on every machine, and nearest to the function. Scales are the numbers that their float64 is, exactly.

    Args:
        function: one of `TABULATED`.
        fmt: format of operands and results, of at most 8 bits.
        scale, out_scale: what 1 in operands and results stands for, above 0.
        zero, out_zero: what stands for 0.

    Returns:
        ``2**fmt.width`` values of ``fmt``, in the order of the operands' bits.
    """
    if function not in TABULATED:
        raise ValueError(f"function must be one of {', '.join(TABULATED)}, got {function!r}")
    if fmt.width > LARGEST_BITS:
        raise ValueError(f"a table must be of at most {LARGEST_BITS} bits, got {fmt}; nearest is {LARGEST_BITS} bits")
    for name, each in (("scale", scale), ("out_scale", out_scale)):
        if not 0 < each < float("inf"):
            raise ValueError(f"{name} must be a number above 0, got {each!r}")
    step, unit = Decimal(float(scale)), Decimal(float(out_scale))
    results = []
    for bits in range(1 << fmt.width):
        operand = bits - (1 << fmt.width) if bits > fmt.max else bits
        value = TABULATED[function](_EXACT.multiply(Decimal(operand - zero), step))
        rounded = _EXACT.divide(value, unit).to_integral_value(rounding=ROUND_HALF_EVEN)
        results.append(min(max(int(rounded) + out_zero, fmt.min), fmt.max))
    return np.array(results, dtype=np.int64)


def _exp(x: Decimal) -> Decimal:
    return _EXACT.exp(x)


def _sigmoid(x: Decimal) -> Decimal:
    small = _exp(x.copy_abs().copy_negate())
    return _EXACT.divide(small if x < 0 else Decimal(1), _EXACT.add(Decimal(1), small))


def _tanh(x: Decimal) -> Decimal:
    small = _exp(_EXACT.multiply(Decimal(-2), x.copy_abs()))
    found = _EXACT.divide(_EXACT.subtract(Decimal(1), small), _EXACT.add(Decimal(1), small))
    return found.copy_negate() if x < 0 else found


def _silu(x: Decimal) -> Decimal:
    return _EXACT.multiply(x, _sigmoid(x))


def _gelu(x: Decimal) -> Decimal:
    """``x (1 + erf(x / sqrt(2))) / 2``."""
    if abs(x) > _FAR:
        return max(x, Decimal(0))
    # erf(z) is 2 / sqrt(pi) e^(-z^2) times the sum of 2^n z^(2n+1) / (1 3 5 ... (2n+1)), whose terms have one sign.
    square = _EXACT.multiply(x, x)
    term = total = x
    odd = 1
    while abs(term) > abs(total) * Decimal(10) ** -_DIGITS:
        odd += 2
        term = _EXACT.divide(_EXACT.multiply(term, square), Decimal(odd))
        total = _EXACT.add(total, term)
    density = _EXACT.divide(_exp(_EXACT.divide(square, Decimal(-2))), _EXACT.sqrt(_EXACT.multiply(Decimal(2), _pi())))
    return _EXACT.multiply(x, _EXACT.add(Decimal("0.5"), _EXACT.multiply(density, total)))


@cache
def _pi() -> Decimal:
    """By Machin: 16 atan(1/5) - 4 atan(1/239)."""
    return _EXACT.subtract(_EXACT.multiply(Decimal(16), _atan(5)), _EXACT.multiply(Decimal(4), _atan(239)))


def _atan(inverse: int) -> Decimal:
    """Of 1 / ``inverse``."""
    power, total, odd = _EXACT.divide(Decimal(1), Decimal(inverse)), Decimal(0), 1
    while abs(power) > Decimal(10) ** -(_DIGITS + 5):
        total = _EXACT.add(total, _EXACT.divide(power, Decimal(odd if odd % 4 == 1 else -odd)))
        power, odd = _EXACT.divide(power, Decimal(inverse * inverse)), odd + 2
    return total


TABULATED: Mapping[str, Callable[[Decimal], Decimal]] = {
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "silu": _silu,
    "gelu": _gelu,
}
"""Functions by their names; gelu is the exact form."""
