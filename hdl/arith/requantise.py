"""Requantisation: from accumulators to the integers of the next layer, one a cycle."""

from __future__ import annotations

from typing import Any, get_args

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import ACC_BITS, LARGEST_SHIFT, MULTIPLIER_BITS, Rounding
from tilewright.hdl.structure import Block, named, pipeline

LARGEST_OUT_BITS = 16
DEEPEST = 5
_HIGH_PART = 31  # places that double rounding drops first
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
        if self.rounding == "double_rounding":
            whole, up = _twice(m, product, shift)
        else:
            whole, up = _once(m, product, shift, self.rounding)
        # A number beyond these bits is beyond the result's, whatever the zero point and the rounding.
        near = _clamp(m, whole, IntFormat(self.out.width + 2), "near")
        near, up = pipeline(m, near, at_shift, "near"), pipeline(m, named(m, up, "up"), at_shift, "up")
        moved = named(m, near + zero_point + up, "moved")
        m.d.comb += self.result.eq(pipeline(m, _clamp(m, moved, self.out, "clamped"), at_end, "result"))
        return m


def _dropped(m: Module, value: Value, places: Value, name: str) -> tuple[Value, Value]:
    """``value``, signed, without its last ``places``, rounded down; and the first place that was dropped, or 0."""
    ahead = (1 << len(places)) - 1
    tail = named(m, (Cat(0, value, value[-1].replicate(ahead)) >> places)[: len(value) + 1], name)
    return tail[1:].as_signed(), tail[0]


def _behind(m: Module, value: Value, places: Value, most: int, name: str) -> Value:
    """Whether ``value`` has anything behind the first of the last ``places``, of which there are at most ``most``."""
    return named(m, Cat(value[i] & (places > i + 1) for i in range(min(most - 1, len(value)))).any(), name)


def _once(m: Module, product: Value, shift: Value, rounding: Rounding) -> tuple[Value, Value]:
    """The product without its last places, rounded down, and the carry that rounds it to the nearest."""
    whole, half = _dropped(m, product, shift, "dropped")
    tie_up = whole[0] if rounding == "half_even" else ~product[-1]
    return whole, half & (_behind(m, product, shift, LARGEST_SHIFT, "behind") | tie_up)


def _twice(m: Module, product: Value, shift: Value) -> tuple[Value, Value]:
    """The product rounded by the first of two roundings, without its last places, and the carry of the second."""
    high = named(m, shift >= _HIGH_PART, "high")
    whole, half = _dropped(m, product, named(m, Mux(high, _HIGH_PART, shift), "first"), "dropped")
    rounded = Signal(product.shape(), name="rounded")
    m.d.comb += rounded.eq(whole + half)
    rest = named(m, Mux(high, shift - _HIGH_PART, 0)[: _HIGH_PART.bit_length()], "rest")
    whole, half = _dropped(m, rounded, rest, "rest_dropped")
    return whole, half & (_behind(m, rounded, rest, _HIGH_PART, "behind") | ~rounded[-1])


def _clamp(m: Module, value: Value, fmt: IntFormat, name: str) -> Value:
    """The number of ``fmt`` nearest to ``value``, which is signed and wider."""
    clamped = Signal(signed(fmt.width) if fmt.signed else unsigned(fmt.width), name=name)
    kept, above = value[: fmt.width - fmt.signed], value[fmt.width - fmt.signed :]
    outside = named(m, above.any() & ~above.all() if fmt.signed else above.any(), f"{name}_outside")
    held = Mux(outside, (~value[-1]).replicate(len(kept)), kept)
    m.d.comb += clamped.eq(Cat(held, value[-1]) if fmt.signed else held)
    return clamped
