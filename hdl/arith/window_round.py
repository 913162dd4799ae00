"""From sums in windows to floats, one a cycle."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, signed, unsigned
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.float_cuts import SINGLE, Cuts
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_unrounded import Unrounded
from tilewright.hdl.arith.unpacked import exponent_signal
from tilewright.hdl.arith.window_accumulate import window_layout
from tilewright.hdl.arith.window_product import POINT_BITS
from tilewright.hdl.numeric import FloatFormat, FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.hdl.structure import Block, named


class FromWindow(Block):
    """``code`` is the float nearest to the sum ``total`` in a window: one rounding, ties to even.

    A sum of 0 becomes +0, an invalid one the quiet NaN. Its flags of overflow and underflow say nothing here. Equal to
    ``numeric.from_window`` on all inputs.

    Latency: ``latency`` cycles from all inputs to ``code``; one sum a cycle. Registers have no reset.

    Parameters
    ----------
    window: FxFormat
        The window.
    target: FloatFormat
        Format of ``code``.
    overflow: "ieee" or "saturate"
        What becomes of a sum that rounds beyond the largest number of ``target``, as in ``numeric.encode``.
    latency: int
        Registers on the way, at least 0. They come, the first of them first: at the inputs, behind the normalising
        shift, before it, at the end.

    Members
    -------
    total: In(window_layout(N)); point: In(signed(11)), -512..512, of that sum; code: Out(target)
    """

    def __init__(self, window: FxFormat, target: FloatFormat, *, overflow: Beyond = "ieee", latency: int = 0) -> None:
        if latency < 0:
            raise ValueError(f"latency must be at least 0, got {latency}; nearest legal value is 0")
        self.window, self.target, self.overflow, self.latency = window, target, overflow, latency
        members = {
            "total": In(window_layout(window.width)),
            "point": In(signed(POINT_BITS)),
            "code": Out(unsigned(target.width)),
        }
        super().__init__(f"from_{window}_{target}{'_sat' if overflow == 'saturate' else ''}_l{latency}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        cuts, width = Cuts(m, self.latency, SINGLE), self.window.width
        total = data.View(window_layout(width), cuts("add", self.total.as_value(), "total"))
        negative = named(m, total.integer[-1], "negative")
        low, high = width - 1 - LARGEST_POINT, width - 1 + LARGEST_POINT
        exponent = exponent_signal(low, high, "exponent")
        m.d.comb += exponent.eq(width - 1 - cuts("add", self.point, "point"))
        number = Unrounded(
            sign=negative,
            zero_sign=Const(0, 1),
            exponent=exponent,
            bits=Cat(Const(0, 1), total.integer),  # with a bit below, the complement of -1 is not 0
            negative=negative,
            nan=total.invalid,
            infinite=Const(0, 1),
            kept=Const(0, 1),
            low=low,
            high=high,
            slack=width,
        )
        m.d.comb += self.code.eq(float_round(m, number, self.target, cuts, self.overflow))
        return m
