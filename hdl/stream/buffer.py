"""A register between two streams, in both directions."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream.beat import payload_name
from tilewright.hdl.structure import Block


class Buffer(Block):
    """Cuts every path between ``i`` and ``o``: a skid buffer.

    Latency ``latency`` = 1 cycle, ``throughput`` = 1 payload a cycle, holds up to 2 payloads. ``i.ready``,
    ``o.valid`` and ``o.payload`` are registers. Reset empties it; payload registers have no reset. For more room
    see `Queue`.
    """

    latency = 1
    throughput = 1

    def __init__(self, shape: ShapeLike) -> None:
        self.shape = shape
        signature = stream.Signature(shape)
        super().__init__(f"buffer_{payload_name(shape)}", {"i": In(signature), "o": Out(signature)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        width = Shape.cast(self.shape).width
        first, spare = Signal(width, reset_less=True), Signal(width, reset_less=True)
        full, spilled = Signal(), Signal()
        with m.If(~full | self.o.ready):
            m.d.sync += [full.eq(self.i.valid | spilled), spilled.eq(0), first.eq(self.i.payload)]
            with m.If(spilled):
                m.d.sync += first.eq(spare)
        with m.Elif(self.i.valid & ~spilled):
            # The consumer stopped in the cycle in which ready still promised room.
            m.d.sync += [spilled.eq(1), spare.eq(self.i.payload)]
        m.d.comb += [
            self.i.ready.eq(~spilled),
            self.o.valid.eq(full),
            Value.cast(self.o.payload).eq(first),
        ]
        return m
