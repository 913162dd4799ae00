"""Elementary functions to many digits, in Python's decimal numbers: what float64 values are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext
from functools import cache

DIGITS = 40
_TAIL = 90  # more digits: those that 1 - erf loses where the result is smaller than every bf16


def _sigmoid(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


def _tanh(x: Decimal) -> Decimal:
    with localcontext() as wide:
        wide.prec += _TAIL  # what is left of 1 - 1 near 0
        power = (-2 * x).exp()
        return (1 - power) / (1 + power)


def _gelu(x: Decimal) -> Decimal:
    """By the series of erf whose terms are all positive: ``2/sqrt(pi) exp(-z**2) z sum (2 z**2)**n / (2n+1)!!``."""
    with localcontext() as wide:
        wide.prec += _TAIL
        square = x * x  # 2 z**2
        term = total = Decimal(1)
        count, tiny = 1, Decimal(10) ** -wide.prec
        while term > total * tiny:
            count += 2
            term = term * square / count
            total += term
        # z = x / sqrt(2); 2 / sqrt(pi) / sqrt(2) = sqrt(2 / pi)
        erf = (2 / _pi()).sqrt() * (-square / 2).exp() * x * total
        return x * (1 + erf) / 2


@cache
def _pi() -> Decimal:
    """By Machin's formula, to more digits than anything here has."""
    with localcontext() as wide:
        wide.prec = 2 * (DIGITS + _TAIL)
        return 4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239))


def _arctan_of_inverse(n: int) -> Decimal:
    with localcontext() as context:
        power = total = Decimal(1) / n
        count, sign = 1, 1
        while power > Decimal(10) ** -context.prec:
            power /= n * n
            count, sign = count + 2, -sign
            total += sign * power / count
        return total


VALUES: Mapping[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "reciprocal": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / x.sqrt(),
    "sqrt": Decimal.sqrt,
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "silu": lambda x: x * _sigmoid(x),
    "gelu": _gelu,
}


def exact(name: str, x: float) -> Decimal:
    """The function called ``name`` of ``x``, right to some ``DIGITS`` digits."""
    with localcontext(Context(prec=DIGITS, Emax=999_999, Emin=-999_999)):
        return VALUES[name](Decimal(x))
