"""The exact product of two floats as a window takes it: nothing is normalised, and constants stay out of adders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from amaranth.hdl import Cat, Module, Value

from tilewright.hdl.arith.unpacked import exponent_signal, unpack
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.hdl.structure import named

POINT_BITS = LARGEST_POINT.bit_length() + 1
"""Of a signed binary point."""


@dataclass(frozen=True)
class WindowProduct:
    """A number ``(-1)**sign * significand * 2**(amount + place)``, in places of a window.

    Args:
        sign: 1 bit.
        amount: signed, within ``low``..``high``; the window's binary point is in it.
        significand: unsigned, with or without leading zeros.
        invalid: 1 bit: a factor is NaN or infinite.
        present: 1 bit, 0 for what takes no part: then nothing else is said.
        place: a constant.
        low, high: bounds of ``amount``.
    """

    sign: Value
    amount: Value
    significand: Value
    invalid: Value
    present: Value
    place: int
    low: int
    high: int

    def map(self, function: Callable[[Value, str], Value]) -> WindowProduct:
        """The same with every value ``v`` of a field called ``n`` replaced by ``function(v, n)``."""
        fields = ("sign", "amount", "significand", "invalid", "present")
        return replace(self, **{field: function(getattr(self, field), field) for field in fields})


def window_product(
    m: Module,
    x: Value,
    w: Value,
    x_format: FloatFormat,
    w_format: FloatFormat,
    present: Value,
    point: Value,
    name: str = "product",
) -> WindowProduct:
    """The product of the codes ``x`` and ``w``, exact; combinational; its wires are called ``<name>_...``.

    ``point`` is signed, -512..512: bit 0 of the window weighs ``2**-point``.
    """
    left = unpack(m, x, x_format, f"{name}_x", normalise=False)
    right = unpack(m, w, w_format, f"{name}_w", normalise=False)
    low = -LARGEST_POINT
    high = (1 << x_format.exponent_bits) + (1 << w_format.exponent_bits) - 2 + LARGEST_POINT
    amount = exponent_signal(low, high, f"{name}_amount")
    m.d.comb += amount.eq(named(m, _field(x, x_format) + _field(w, w_format), f"{name}_exponent") + point)
    return WindowProduct(
        sign=named(m, left.sign ^ right.sign, f"{name}_sign"),
        amount=amount,
        significand=named(m, left.significand * right.significand, f"{name}_significand"),
        invalid=named(m, left.nan | left.infinite | right.nan | right.infinite, f"{name}_invalid"),
        present=present,
        # Subnormal numbers read as having the field 1, and their last place is the format's.
        place=x_format.last_place + w_format.last_place - 2,
        low=low,
        high=high,
    )


def _field(code: Value, fmt: FloatFormat) -> Value:
    """The exponent field of ``code``; that of subnormal numbers reads as 1."""
    field = code[fmt.fraction_bits : fmt.width - 1]
    return Cat(field[0] | (field == 0), field[1:])
