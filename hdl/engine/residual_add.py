"""Adds another tensor to results on their way to memory."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.finish_integer import IntegerFinish
from tilewright.hdl.engine.flow import Flow
from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import ACC_BITS, Rounding
from tilewright.hdl.stream import Buffer, Queue, beat_layout
from tilewright.hdl.structure import Block, Repeat, data_register, named, pipeline, place

SUM_STAGES = 2


def factor_bits(out: IntFormat) -> int:
    """Bits of the multipliers that bring elements to a common scale: as many as leave the sum within 33."""
    return ACC_BITS - 2 - out.width


class ResidualSum(Block):
    """``result = clamp(zero_point + round(((x - x_zero) * x_multiplier + (y - y_zero) * y_multiplier) * scale))``.

    ``scale`` is ``multiplier * 2**-shift``. All of it is exact but for the one rounding, which is that of
    `IntegerFinish`, as saturation and clamp are. Where ``adds`` is low, ``result`` is ``x``.

    Latency: ``latency`` cycles from all inputs to ``result``; one result a cycle. Registers have no reset.

    Members
    -------
    x, y, x_zero, y_zero, zero_point, low, high: In(out); x_multiplier, y_multiplier: In, ``factor_bits(out)`` bits;
    multiplier: In(unsigned(31)); shift: In(unsigned(6)); adds: In(1); result: Out(out)
    """

    def __init__(self, out: IntFormat, rounding: Rounding = "half_even") -> None:
        self.out = out
        self.finish = IntegerFinish(IntFormat(ACC_BITS), out, rounding)
        members = dict(self.finish.signature.members.items())
        integer, factor = members["zero_point"], In(unsigned(factor_bits(out)))
        del members["acc"]
        members |= {"x": integer, "y": integer, "x_zero": integer, "y_zero": integer}
        members |= {"x_multiplier": factor, "y_multiplier": factor, "adds": In(1)}
        super().__init__(f"residual_sum_{out}_{rounding}", members)

    @property
    def latency(self) -> int:
        """Cycles from the inputs to ``result``."""
        return SUM_STAGES + self.finish.latency

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.finish = place(platform, finish := self.finish)
        terms = []
        for side in ("x", "y"):
            difference = named(m, getattr(self, side) - getattr(self, f"{side}_zero"), f"{side}_difference")
            product = named(m, difference * getattr(self, f"{side}_multiplier"), f"{side}_product")
            terms.append(data_register(m, product, f"{side}_term"))
        total = Signal(signed(ACC_BITS), name="total")
        m.d.comb += total.eq(terms[0] + terms[1])
        m.d.comb += finish.acc.eq(data_register(m, total, "sum"))
        for port in ("multiplier", "shift", "zero_point", "low", "high"):
            m.d.comb += getattr(finish, port).eq(pipeline(m, getattr(self, port), SUM_STAGES, port))
        plain, adds = pipeline(m, self.x, self.latency, "plain"), pipeline(m, self.adds, self.latency, "adds")
        m.d.comb += self.result.eq(Mux(adds, finish.result, plain))
        return m


class ResidualAdd(Block):
    """Adds the elements of beats of ``residual`` to those of ``i``, one beat a cycle; ``order`` tells how, and whether.

    A packet of ``i`` waits for its order, one a packet. Where ``order.add`` is 0 it passes as it is and takes nothing
    of ``residual``; else each of its beats waits for one of that, whose ``keep`` and ``last`` are not looked at.
    `ResidualSum` says what becomes of them: x, of ``i``, has ``left_multiplier`` and ``zero_point``, y has
    ``right_multiplier`` and ``right_zero``, the result ``sum_multiplier``, ``sum_shift``, ``sum_zero``, ``sum_low`` and
    ``sum_high``. For scales X and Y of the addends and Z of the result, with S the greater of X and Y and f =
    ``factor_bits(out)``, the multipliers of the sides are the integers nearest to X/S * (2**f - 1) and to Y/S *
    (2**f - 1); ``sum_multiplier * 2**-sum_shift`` is the number nearest to S/Z / (2**f - 1).

    Latency: ``latency`` cycles from a beat of ``i``, or of ``residual``, whichever comes later, to that of ``o``. Every
    ``ready`` depends on registers only.

    Members
    -------
    order: FINISH_ORDER; i, residual, o: beats of ``lanes`` elements
    """

    throughput = 1

    def __init__(self, lanes: int, out: IntFormat, rounding: Rounding = "half_even") -> None:
        self.lanes, self.out = lanes, out
        self.unit = ResidualSum(out, rounding)
        beat = beat_layout(lanes, out.width)
        members = {"order": In(stream.Signature(FINISH_ORDER)), "i": In(stream.Signature(beat))}
        members |= {"residual": In(stream.Signature(beat)), "o": Out(stream.Signature(beat))}
        super().__init__(f"residual_add_{lanes}x{out}_{rounding}", members)

    @property
    def latency(self) -> int:
        """Cycles from a beat to the sum."""
        return Buffer.latency + 1 + self.unit.latency + Queue.latency

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.orders = place(platform, orders := Buffer(FINISH_ORDER))
        connect(m, flipped(self.order), orders.i)
        order = orders.o.payload
        beats = Buffer(self.i.payload.shape()), Buffer(self.i.payload.shape())
        m.submodules.left, m.submodules.right = (place(platform, buffer) for buffer in beats)
        connect(m, flipped(self.i), beats[0].i)
        connect(m, flipped(self.residual), beats[1].i)
        left, right = beats[0].o, beats[1].o
        flow = Flow(m, platform, self.o, 1 + self.unit.latency)
        adds = named(m, order.add[0], "adds")
        taken = named(m, left.valid & orders.o.valid & flow.room & (right.valid | ~adds), "taken")
        m.d.comb += [
            left.ready.eq(taken),
            right.ready.eq(taken & adds),
            orders.o.ready.eq(taken & left.payload.last),
        ]
        held = data.View(FINISH_ORDER, data_register(m, order.as_value(), "held_order", enable=taken))
        addends = {"x": data_register(m, left.payload.data, "x"), "y": data_register(m, right.payload.data, "y")}
        flow.begin(m, platform, taken, left.payload, self._sums(m, platform, held, addends))
        return m

    def _sums(self, m: Module, platform: Any, order: data.View, addends: dict[str, Value]) -> Value:
        """The sums of beats that were taken a cycle ago."""
        shared = {
            "x_zero": order.zero_point,
            "y_zero": order.right_zero,
            "x_multiplier": order.left_multiplier,
            "y_multiplier": order.right_multiplier,
            "multiplier": order.sum_multiplier,
            "shift": order.sum_shift,
            "zero_point": order.sum_zero,
            "low": order.sum_low,
            "high": order.sum_high,
            "adds": order.add,
        }
        name = f"{self.unit.name}_lanes{self.lanes}"
        lanes: Any = Repeat(name, self.unit, self.lanes, label="lane", chain={}, shared=tuple(shared))
        m.submodules.lanes = place(platform, lanes)
        for port, value in shared.items():
            m.d.comb += getattr(lanes, port).eq(value[: len(getattr(lanes, port))])
        for port, value in addends.items():
            m.d.comb += getattr(lanes, port).eq(value)
        return lanes.result
