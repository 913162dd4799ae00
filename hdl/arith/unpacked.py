"""Numbers with their fields apart, as they travel between the units of floating-point arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed

from tilewright.hdl.arith.float_shift import shift_out_zeros
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import named


@dataclass(frozen=True)
class Unpacked:
    """A number ``(-1)**sign * significand * 2**(exponent - bias - (width - 1))``, ``width`` that of its significand.

    ``exponent - bias`` is thus the exponent of the significand's top bit, whether that bit is set or not.

    Args:
        sign: 1 bit.
        exponent: signed; what it stands for is within ``low``..``high``.
        significand: unsigned.
        zero: the number is 0; then ``exponent`` may have any value.
        nan, infinite: what it is instead of a number; never both.
        present: 1 bit, 0 for what takes no part: then nothing else is said.
        low, high: bounds of ``exponent - bias``.
        slack: the most leading zeros that the significand of a number other than 0 has. A subnormal number at the
            least exponent of its format may have more if that is said where it is used.
        bias: a constant, which saves adders.
    """

    sign: Value
    exponent: Value
    significand: Value
    zero: Value
    nan: Value
    infinite: Value
    present: Value
    low: int
    high: int
    slack: int
    bias: int = 0

    def map(self, function: Callable[[Value, str], Value]) -> Unpacked:
        """The same with every value ``v`` of a field called ``n`` replaced by ``function(v, n)``."""
        fields = ("sign", "exponent", "significand", "zero", "nan", "infinite", "present")
        return replace(self, **{field: function(getattr(self, field), field) for field in fields})

    def widened(self, width: int) -> Unpacked:
        """The same number with zeros behind its significand, which then has ``width`` bits."""
        places = width - len(self.significand)
        return replace(self, significand=Cat(Const(0, places), self.significand)) if places else self

    def rebased(self, m: Module, bias: int, name: str) -> Unpacked:
        """The same number with another bias; ``name`` is that of the exponent's wire."""
        if bias == self.bias:
            return self
        exponent = exponent_signal(self.low + bias, self.high + bias, name)
        m.d.comb += exponent.eq(self.exponent + (bias - self.bias))
        return replace(self, exponent=exponent, bias=bias)


def exponent_signal(low: int, high: int, name: str) -> Signal:
    """A signed wire that holds ``low``..``high``."""
    bits = max((-low - 1).bit_length() if low < 0 else 0, high.bit_length() if high > 0 else 0)
    return Signal(signed(bits + 1), name=name)


def unpack(m: Module, code: Value, fmt: FloatFormat, name: str, *, normalise: bool = True) -> Unpacked:
    """The number that ``code`` of ``fmt`` stands for; combinational; its wires are called ``<name>_...``.

    With ``normalise`` the significand (``fraction_bits + 1`` bits) of every number other than 0 begins with a 1.
    Without, subnormal numbers keep leading zeros and the exponent ``fmt.emin``, which takes less logic.
    """
    fraction = code[: fmt.fraction_bits]
    field = code[fmt.fraction_bits : fmt.width - 1]
    tiny = named(m, field == 0, f"{name}_tiny")
    zero = named(m, tiny & (fraction == 0), f"{name}_zero")
    if fmt.infinities:
        special = field == (1 << fmt.exponent_bits) - 1
        nan = named(m, special & (fraction != 0), f"{name}_nan")
        infinite = named(m, special & (fraction == 0), f"{name}_infinite")
    else:
        nan = named(m, code[: fmt.width - 1].all(), f"{name}_nan")
        infinite = Const(0)
    high = fmt.emin + (1 << fmt.exponent_bits) - 2
    low = fmt.emin - (fmt.fraction_bits if normalise else 0)
    # With the format's own bias, the field is the exponent as it is.
    exponent = exponent_signal(low + fmt.bias, high + fmt.bias, f"{name}_exponent")
    significand = Signal(fmt.fraction_bits + 1, name=f"{name}_significand")
    if normalise:
        begun, places = shift_out_zeros(m, Cat(fraction, ~tiny), f"{name}_significand")
        m.d.comb += [significand.eq(begun), exponent.eq(Mux(tiny, 1 - places, field))]
    else:
        m.d.comb += [
            significand.eq(Cat(fraction, ~tiny)),
            exponent.eq(Cat(field[0] | tiny, field[1:])),
        ]
    sign, present = code[fmt.width - 1], Const(1, 1)
    return Unpacked(sign, exponent, significand, zero, nan, infinite, present, low, high, 0, fmt.bias)
