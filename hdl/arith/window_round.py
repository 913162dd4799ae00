"""From sums in windows to floats, one a cycle."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.drop import drop, exceeds
from tilewright.hdl.arith.float_cuts import SINGLE, Cuts
from tilewright.hdl.arith.float_round import Beyond
from tilewright.hdl.arith.float_shift import leading_zeros
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
        cuts, width, fmt = Cuts(m, self.latency, SINGLE), self.window.width, self.target
        total = data.View(window_layout(width), cuts("add", self.total.as_value(), "total"))
        point, sign = cuts("add", self.point, "point"), total.integer[-1]
        # The ones' complement of a negative number, with ones behind it: only one of them counts where zeros do.
        size = named(m, Cat(Const(0, 1), total.integer[:-1]) ^ sign.replicate(width), "size")
        zeros = leading_zeros(m, size, "zeros")
        nothing = named(m, ~size.any(), "nothing")
        above, places = self._scale(m, point, zeros, nothing)
        places, above = cuts("count", places, "places"), cuts("count", above, "above")
        integer, invalid = cuts("count", total.integer, "integer"), cuts("count", total.invalid, "invalid")

        # Room for a number whose last place is the significand's first.
        digits = fmt.fraction_bits + 1
        kept = drop(m, Cat(Const(0, digits), integer).as_signed(), places, digits + 1, "kept")
        sign = integer[-1]
        significand = named(m, kept.whole[:-1] ^ sign.replicate(digits), "significand")
        # A half rounds down a negative number as the rest does up a positive one.
        up = Mux(sign, ~kept.half | (significand[0] & ~kept.behind), kept.half & (significand[0] | kept.behind))
        up, significand = cuts("shift", named(m, up, "up"), "up"), cuts("shift", significand, "significand")
        above, sign = cuts("shift", above, "above"), cuts("shift", sign, "sign")
        invalid = cuts("shift", invalid, "invalid")
        code = self._pack(m, above, significand, up, sign, invalid)
        m.d.comb += self.code.eq(cuts("round", code, "code"))
        return m

    def _scale(self, m: Module, point: Value, zeros: Value, nothing: Value) -> tuple[Value, Value]:
        """How far the result's exponent is above the least one, and how many places behind its last are dropped."""
        width, fmt = self.window.width, self.target
        # The exponent of the highest bit, behind which the zeros are counted.
        base = width - 2 - fmt.emin
        above = exponent_signal(base - LARGEST_POINT - width, base + LARGEST_POINT, "above")
        m.d.comb += above.eq(base - point - zeros)
        normal = named(m, ~above[-1] & ~nothing, "normal")
        bits = (width + fmt.fraction_bits + 1).bit_length()
        least = exponent_signal(-LARGEST_POINT, LARGEST_POINT, "least")
        m.d.comb += least.eq(point + fmt.emin + 1)
        # Where less than all is dropped of a subnormal number, these bits hold how much; else they are all ones.
        far = named(m, ~least[-1] & least[bits:-1].any(), "far")
        places = named(m, Mux(normal, width - 1 - zeros, least[:bits] | far.replicate(bits))[:bits], "places")
        return named(m, Mux(normal, above[:-1], 0), "above_least"), places

    def _pack(self, m: Module, above: Value, significand: Value, up: Value, sign: Value, invalid: Value) -> Value:
        """The code; a carry out of the significand makes the next binade."""
        fmt = self.target
        huge = named(m, above[fmt.exponent_bits :].any(), "huge")
        packed = Signal(fmt.width, name="packed")
        m.d.comb += packed.eq(
            Cat(Const(0, fmt.fraction_bits), above[: fmt.exponent_bits], Const(0, 1)) + significand + up
        )
        over = named(m, huge | exceeds(packed, fmt.largest_bits), "over")
        limit = fmt.largest_bits if self.overflow == "saturate" else fmt.infinity_bits
        nan = invalid if limit is not None else invalid | over
        finite = Mux(over, Const(limit or 0, fmt.width - 1), packed[:-1])
        return named(m, Mux(nan, fmt.nan_bits, Cat(finite, sign)), "rounded")
