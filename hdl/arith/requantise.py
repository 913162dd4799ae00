"""Requantisation: from accumulators to the integers of the next layer, one a cycle."""

from __future__ import annotations

from typing import Any, get_args

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.drop import drop
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import ACC_BITS, LARGEST_SHIFT, MULTIPLIER_BITS, Rounding
from tilewright.hdl.structure import Block, named, pipeline

LARGEST_OUT_BITS = 16
DEEPEST = 5
_SHIFT_BITS = LARGEST_SHIFT.bit_length()


class Requantise(Block):
    """``result = clamp(zero_point + round(acc * multiplier * 2**-shift))``: the product is exact.

    Rounding is to the nearest integer with ties to the even one (``half_even``) or away from zero (``half_away``),
    or twice (``double_rounding``, TensorFlow Lite's reference: 31 places with ties upwards, then the rest with ties
    away from zero). Equal to ``numeric.requantise`` on all inputs.

    Latency: ``pipeline`` cycles from all inputs to ``result``; one result a cycle. Registers have no reset. The
    inputs may differ every cycle: whether multiplier and shift are of a tensor or of a channel is the caller's
    choice. A ``shift`` of 63 is not legal; it is not refused here.

    Parameters
    ----------
    acc_width: int
        Bits of ``acc``, two's complement, bias included: 2..33.
    out: IntFormat
        Format of ``result`` and ``zero_point``, of at most 16 bits; all of its values are used.
    rounding: "half_even", "half_away" or "double_rounding"
        As above.
    pipeline: int
        Registers on the way: 0..5. They come, the first of them first: behind the product, behind the shift, at the
        end, behind the product again (one that DSP blocks absorb), at the inputs.

    Members
    -------
    acc: In(signed(acc_width)); multiplier: In(unsigned(31)); shift: In(unsigned(6)), 0..62; zero_point: In(out);
    result: Out(out)
    """

    def __init__(self, acc_width: int, out: IntFormat, rounding: Rounding = "half_even", pipeline: int = 3) -> None:
        if not 2 <= acc_width <= ACC_BITS:
            nearest = min(max(acc_width, 2), ACC_BITS)
            raise ValueError(f"acc_width must be 2..{ACC_BITS}, got {acc_width}; nearest legal value is {nearest}")
        if out.width > LARGEST_OUT_BITS:
            nearest_out = IntFormat(LARGEST_OUT_BITS, out.signed)
            raise ValueError(
                f"out must be of at most {LARGEST_OUT_BITS} bits, got {out}; nearest legal value is {nearest_out}"
            )
        if rounding not in get_args(Rounding):
            raise ValueError(f"rounding must be one of {', '.join(get_args(Rounding))}, got {rounding!r}")
        if not 0 <= pipeline <= DEEPEST:
            nearest = min(max(pipeline, 0), DEEPEST)
            raise ValueError(f"pipeline must be 0..{DEEPEST}, got {pipeline}; nearest legal value is {nearest}")
        self.acc_width, self.out, self.rounding, self.pipeline = acc_width, out, rounding, pipeline
        integer = signed(out.width) if out.signed else unsigned(out.width)
        members = {
            "acc": In(signed(acc_width)),
            "multiplier": In(unsigned(MULTIPLIER_BITS)),
            "shift": In(unsigned(_SHIFT_BITS)),
            "zero_point": In(integer),
            "result": Out(integer),
        }
        super().__init__(f"requantise_acc{acc_width}_{out}_{rounding}_p{pipeline}", members)

    @property
    def latency(self) -> int:
        """Cycles from the inputs to ``result``."""
        return self.pipeline

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        at_product, at_shift, at_end, at_product_again, at_inputs = (self.pipeline > place for place in range(DEEPEST))
        behind_product = at_product + at_product_again
        acc = pipeline(m, self.acc, at_inputs, "acc")
        multiplier = pipeline(m, self.multiplier, at_inputs, "multiplier")
        product = named(m, acc * multiplier, "product")
        product = pipeline(m, product, behind_product, "product")
        shift = pipeline(m, self.shift, at_inputs + behind_product, "shift")
        zero_point = pipeline(m, self.zero_point, at_inputs + behind_product + at_shift, "zero_point")
        large: Value = Const(0, 1)
        value, places = product, shift
        if self.rounding == "double_rounding":
            value, places, large = self._high_part(m, product, shift)
        # A number beyond these bits is beyond the result's, whatever the zero point and the rounding.
        kept = drop(m, value, places, self.out.width + 1, "kept")
        tie_up = kept.whole[0] if self.rounding == "half_even" else ~value[-1]
        up = named(m, kept.half & (kept.behind | tie_up), "up")
        beyond = named(m, Cat(large | kept.large, product[-1]), "beyond")
        whole, up = pipeline(m, kept.whole, at_shift, "whole"), pipeline(m, up, at_shift, "up")
        beyond = pipeline(m, beyond, at_shift, "beyond")
        moved = named(m, whole + zero_point + up, "moved")
        m.d.comb += self.result.eq(pipeline(m, _clamp(m, moved, beyond, self.out), at_end, "result"))
        return m

    def _high_part(self, m: Module, product: Value, shift: Value) -> tuple[Value, Value, Value]:
        """After the first of two roundings: the product, the places left to drop, and whether it is far too large."""
        high, low = shift[-1], shift[:-1]  # 31 places are dropped of more than them
        first = named(m, low | high.replicate(len(low)), "first")
        dropped = drop(m, product, first, max(self.acc_width, self.out.width + 1), "dropped")
        rounded = named(m, dropped.whole + dropped.half, "rounded")
        rest = named(m, (low + 1)[: len(low)] & high.replicate(len(low)), "rest")
        return rounded, rest, dropped.large


def _clamp(m: Module, value: Value, beyond: Value, fmt: IntFormat) -> Value:
    """The number of ``fmt`` nearest to ``value``, which is signed and wider; ``beyond``: it is far above, or below."""
    clamped = Signal(signed(fmt.width) if fmt.signed else unsigned(fmt.width), name="clamped")
    negative = named(m, Mux(beyond[0], beyond[1], value[-1]), "negative")
    kept, above = value[: fmt.width - fmt.signed], value[fmt.width - fmt.signed :]
    outside = named(m, beyond[0] | (above.any() & ~above.all() if fmt.signed else above.any()), "outside")
    held = Mux(outside, Mux(negative, 0, (1 << len(kept)) - 1), kept)
    m.d.comb += clamped.eq(Cat(held, negative) if fmt.signed else held)
    return clamped
