"""The exact product of two floats."""

from __future__ import annotations

from amaranth.hdl import Module, Signal

from tilewright.hdl.arith.unpacked import Unpacked, exponent_signal
from tilewright.hdl.structure import named


def float_product(m: Module, x: Unpacked, w: Unpacked, name: str) -> Unpacked:
    """``x * w``, exact, of two normalised numbers; combinational; its wires are called ``<name>_...``.

    Its significand is as wide as the two together and begins with at most one 0. It is present where ``x`` is.
    """
    significand = Signal(len(x.significand) + len(w.significand), name=f"{name}_significand")
    # Both significands are 1.something: the top bit of their product weighs 2.
    low, high = x.low + w.low + 1, x.high + w.high + 1
    bias = x.bias + w.bias - 1
    exponent = exponent_signal(low + bias, high + bias, f"{name}_exponent")
    m.d.comb += [significand.eq(x.significand * w.significand), exponent.eq(x.exponent + w.exponent)]
    nan = x.nan | w.nan | (x.zero & w.infinite) | (x.infinite & w.zero)
    return Unpacked(
        sign=named(m, x.sign ^ w.sign, f"{name}_sign"),
        exponent=exponent,
        significand=significand,
        zero=named(m, x.zero | w.zero, f"{name}_zero"),
        nan=named(m, nan, f"{name}_nan"),
        infinite=named(m, (x.infinite | w.infinite) & ~nan, f"{name}_infinite"),
        present=x.present,
        low=low,
        high=high,
        slack=1,
        bias=bias,
    )
