"""From an accumulator to an integer result, one a cycle: what each lane of a finish path does."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import ACC_BITS, LARGEST_SHIFT, MULTIPLIER_BITS, Rounding
from tilewright.hdl.structure import Block, data_register, named, pipeline, place

REQUANTISE_STAGES = 4


class IntegerFinish(Block):
    """``result = max(low, min(high, requantise(saturate(acc - correction))))``, exact but for the one rounding.

    The difference is exact and saturates to 33 bits where it may be longer; what becomes of it then is `Requantise`'s
    with the given ``rounding``, whose result has saturated to ``out`` before ``low`` and ``high`` clamp it: ``low``
    wins where it is above ``high``.

    Latency: ``latency`` cycles from all inputs to ``result``, 1 more with a correction; one result a cycle. No
    handshake; registers have no reset.

    Parameters
    ----------
    acc: IntFormat
        Of accumulators: signed, at least 2 bits.
    out: IntFormat
        Of results, 2..16 bits.
    rounding: Rounding
        That of `Requantise`.
    correction_width: int
        Bits of ``correction``; 0: there is none.

    Members
    -------
    acc: In(acc); multiplier: In(unsigned(31)); shift: In(unsigned(6)); zero_point, low, high: In(out);
    correction: In(signed(correction_width)); result: Out(out)
    """

    def __init__(
        self, acc: IntFormat, out: IntFormat, rounding: Rounding = "half_even", correction_width: int = 0
    ) -> None:
        self.out, self.rounding, self.correction_width = out, rounding, correction_width
        self.exact = max(acc.width, correction_width) + 1 if correction_width else acc.width
        self.requantise = Requantise(min(self.exact, ACC_BITS), out, rounding, REQUANTISE_STAGES)
        integer = signed(out.width) if out.signed else unsigned(out.width)
        members = {
            "acc": In(signed(acc.width)),
            "multiplier": In(unsigned(MULTIPLIER_BITS)),
            "shift": In(unsigned(LARGEST_SHIFT.bit_length())),
            "zero_point": In(integer),
            "low": In(integer),
            "high": In(integer),
        }
        if correction_width:
            members["correction"] = In(signed(correction_width))
        name = f"finish_{acc}_{out}_{rounding}{f'_less{correction_width}' if correction_width else ''}"
        super().__init__(name, members | {"result": Out(integer)})

    @property
    def latency(self) -> int:
        """Cycles from the inputs to ``result``."""
        return self._subtracts + self.requantise.latency + 1

    @property
    def _subtracts(self) -> int:
        return int(self.correction_width > 0 or self.exact > ACC_BITS)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.requantise = place(platform, unit := self.requantise)
        before = self._subtracts
        acc = self.acc
        if self.correction_width:
            acc = Signal(signed(self.exact), name="corrected")
            m.d.comb += acc.eq(self.acc - self.correction)
        saturated = _saturated(m, acc, ACC_BITS)
        m.d.comb += [
            unit.acc.eq(pipeline(m, saturated, before, "saturated")),
            unit.multiplier.eq(pipeline(m, self.multiplier, before, "multiplier")),
            unit.shift.eq(pipeline(m, self.shift, before, "shift")),
            unit.zero_point.eq(pipeline(m, self.zero_point, before, "zero_point")),
        ]
        low, high = (pipeline(m, limit, before + unit.latency, limit.name) for limit in (self.low, self.high))
        below_high = named(m, Mux(unit.result > high, high, unit.result), "below_high")
        clamped = named(m, Mux(below_high < low, low, below_high), "clamped")
        m.d.comb += self.result.eq(data_register(m, clamped, "result"))
        return m


def _saturated(m: Module, value: Value, width: int) -> Value:
    """``value``, signed, in at most ``width`` bits."""
    if len(value) <= width:
        return value
    limits = (1 << (width - 1)) - 1
    fits = named(m, value[width - 1 :].all() | ~value[width - 1 :].any(), "fits")
    kept = Mux(fits, value[: width - 1], Mux(value[-1], 0, limits))
    held = Signal(signed(width), name="held")
    m.d.comb += held.eq(kept[: width - 1] | (value[-1] << (width - 1)))
    return held
