"""The accumulating add, with its two overflow policies."""

from __future__ import annotations

from typing import Literal

from amaranth.hdl import Module, Mux, Signal, Value, signed

Overflow = Literal["wrap", "saturate"]


def accumulate(m: Module, start: Value, term: Value, width: int, overflow: Overflow) -> Value:
    """``start + term`` in a signed accumulator of ``width`` bits; combinational.

    ``wrap`` keeps the sum modulo 2**width. ``saturate`` clamps it to the accumulator's range; ``term`` must fit in
    the accumulator, so that one clamp is exact.
    """
    if overflow == "wrap":
        total = Signal(signed(width), name="total")
        m.d.comb += total.eq(start + term)
        return total
    exact = Signal(signed(width + 1), name="exact")
    total = Signal(signed(width), name="total")
    limit = (1 << (width - 1)) - 1
    m.d.comb += [
        exact.eq(start + term),
        # The two top bits differ exactly when the sum left the accumulator; the top one is the true sign.
        total.eq(Mux(exact[width] ^ exact[width - 1], Mux(exact[width], ~limit, limit), exact[:width].as_signed())),
    ]
    return total
