"""Checks a command and works out what the sequencers need of it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.hdl.pe.window_operands import POINT
from tilewright.hdl.structure import Block, data_register, named, pipeline
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.product import Product, ceil_div, ceil_div_cycles, ceil_shift, clamped, product
from tilewright.hdl.systolic.records import Start, Status, command_layout

SPAN = data.StructLayout({"low": unsigned(16), "high": unsigned(17)})
"""Words ``low <= w < high`` of a scratchpad."""

DECODED = data.StructLayout(
    {
        "m": unsigned(16),
        "n": unsigned(16),
        "k": unsigned(16),
        "kg": unsigned(16),
        "dataflow": Dataflow,
        "start": Start,
        "region": unsigned(1),
        "tag": unsigned(8),
        "a": SPAN,
        "b": SPAN,
        "c": SPAN,
        "bias": SPAN,
    }
)
"""A command with ``kg = ceil(k / vector)`` and the words that its matrices occupy."""


def overlap(x: Any, y: Any) -> Value:
    """Whether two SPANs share a word."""
    return (x.low < y.high) & (y.low < x.high)


class Decoder(Block):
    """Decodes one command at a time: its answer is there some cycles after it was taken, and stays until ``take``.

    Latency ``stages`` cycles: 4, and one more where the elements of a word are no power of two; one command in
    ``stages + 1`` cycles at best.

    Members
    -------
    command: stream of what `command_layout` says
    fresh: a command was taken in the cycle before
    valid: ``decoded`` and ``status`` are those of a command
    decoded: DECODED
    status: Status; anything but OK must not be run
    take: the command is dealt with
    point: of its accumulators, where they are windows
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.stages = 4 + max(ceil_div_cycles(g.lanes) for g in (p.a_memory, p.b_memory, p.c_memory))
        super().__init__(
            "decoder",
            {
                "command": In(stream.Signature(command_layout(p))),
                "fresh": Out(1),
                "valid": Out(1),
                "decoded": Out(DECODED),
                "status": Out(Status),
                "take": In(1),
            }
            | ({"point": Out(POINT)} if p.has_point else {}),
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        # One bit walks through the stages; the data registers behind it simply run.
        stage = Signal(self.stages)
        command = Signal(command_layout(p), reset_less=True)
        m.d.comb += [self.command.ready.eq(~stage.any()), self.valid.eq(stage[-1])]
        m.d.comb += self.fresh.eq(stage[0])
        with m.If(named(m, self.command.valid & self.command.ready, "taken")):
            m.d.sync += [stage.eq(1), command.eq(self.command.payload)]
        with m.Elif(~stage[-1]):
            m.d.sync += stage.eq(stage << 1)
        with m.Elif(self.take):
            m.d.sync += stage.eq(0)

        groups = ceil_shift(m, command.k, p.vector, "k")
        d = self.decoded
        for field in ("m", "n", "k", "dataflow", "start", "region", "tag"):
            m.d.comb += getattr(d, field).eq(getattr(command, field))
        if p.has_point:
            m.d.comb += self.point.eq(command.point)
        kg = data_register(m, groups, "kg")
        m.d.comb += d.kg.eq(kg)
        bad = {
            Status.A_OUT_OF_RANGE: self._span(m, platform, p.a_memory, command.m, groups, command.a_base, "a"),
            Status.B_OUT_OF_RANGE: self._span(m, platform, p.b_memory, groups, command.n, command.b_base, "b"),
            Status.C_OUT_OF_RANGE: self._span(m, platform, p.c_memory, command.m, command.n, command.c_base, "c"),
            Status.BIAS_OUT_OF_RANGE: self._span(m, platform, p.c_memory, None, command.n, command.bias_base, "bias")
            & (command.start == Start.BIAS),
            # Whether a word of the bias is read before or after it is overwritten would depend on the dataflow.
            Status.BIAS_IN_C: named(m, overlap(d.c, d.bias), "bias_in_c") & (command.start == Start.BIAS),
        }
        m.d.comb += self.status.eq(self._status(m, command, bad))
        return m

    def _span(
        self, m: Module, platform: Any, g: Geometry, rows: Value | None, cols: Value, base: Value, name: str
    ) -> Value:
        """Sets the span of a matrix (of one row where ``rows`` is None) in time for the last stage.

        Returns whether it leaves the scratchpad.
        """
        short_panels, many_panels = clamped(m, ceil_div(m, cols, g.lanes, f"{name}_columns"), g.words, f"{name}_panels")
        panels = data_register(m, short_panels, f"{name}_y")
        if rows is None:
            words, many_rows = pipeline(m, panels, Product.LATENCY, f"{name}_words"), Const(0)
        else:
            short_rows, many_rows = clamped(m, rows, g.words, f"{name}_rows")
            words = product(m, platform, data_register(m, short_rows, f"{name}_x"), panels, f"{name}_words")
        beyond = Signal(name=f"{name}_beyond")
        end = words + base
        m.d.comb += beyond.eq(many_rows | many_panels | (end > g.words))
        span = getattr(self.decoded, name)
        m.d.comb += [span.low.eq(base), span.high.eq(end)]
        return beyond

    def _status(self, m: Module, command: Any, bad: dict[Status, Value]) -> Value:
        p = self.parameters
        status: Value = Value.cast(Status.OK.value)
        for code, wrong in reversed(bad.items()):
            status = Mux(wrong, code.value, status)
        if p.has_point:
            beyond = (command.point > LARGEST_POINT) | (command.point < -LARGEST_POINT)
            status = Mux(named(m, beyond, "bad_point"), Status.BAD_POINT.value, status)
        status = Mux(command.start > Start.ACCUMULATE.value, Status.BAD_START.value, status)
        legal = Cat(any(d == possible for possible in p.dataflows) for d in range(4))
        status = Mux(legal.bit_select(command.dataflow, 1), status, Status.BAD_DATAFLOW.value)
        empty = named(m, (command.m == 0) | (command.n == 0) | (command.k == 0), "empty")
        return Mux(empty, Status.EMPTY.value, status)
