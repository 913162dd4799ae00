"""Products as operators, of which synthesis makes what the device has."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, Value, signed

from tilewright.hdl.arith.targets.factors import Factors, number
from tilewright.hdl.structure import pipeline


def inferred_products(m: Module, platform: Any, factors: Factors, registers: int) -> list[Value]:
    """See `products`."""
    found = []
    for name, x, w in factors.pairs():
        product = Signal(signed(factors.product_bits), name=name)
        m.d.comb += product.eq(number(x.value, factors.x_format) * number(w.value, factors.w_format))
        found.append(pipeline(m, product, registers, name))
    return found
