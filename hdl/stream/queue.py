"""A first-in first-out queue between two streams."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.structure import Block, place


def check_depth(depth: int) -> None:
    """Raises ValueError for a number of payloads that a queue cannot have."""
    if depth < 2 or depth & (depth - 1):
        raise ValueError(f"depth must be a power of two of at least 2, got {depth}")


class Queue(Block):
    """Holds up to ``depth`` (a power of two) payloads of ``shape`` between ``i`` and ``o``.

    Latency ``latency`` = 1 cycle, ``throughput`` = 1 payload a cycle; ``i.ready`` and ``o.valid`` depend on registers
    only, ``o.payload`` is read from LUT RAM. ``level`` is the number of payloads held. Reset empties it.
    """

    latency = 1
    throughput = 1

    def __init__(self, name: str, shape: ShapeLike, depth: int) -> None:
        check_depth(depth)
        self.shape, self.depth = shape, depth
        signature = stream.Signature(shape)
        super().__init__(
            f"queue_{name}_{depth}",
            {"i": In(signature), "o": Out(signature), "level": Out(ceil_log2(depth) + 1)},
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bits = ceil_log2(self.depth)
        written, read = Signal(bits + 1), Signal(bits + 1)
        store = RegisterFile(self.depth, Shape.cast(self.shape).width)
        m.submodules.store = place(platform, store)
        m.d.comb += [
            self.level.eq(written - read),
            self.i.ready.eq(self.level != self.depth),
            self.o.valid.eq(written != read),
            Value.cast(self.o.payload).eq(store.read_data),
            store.read_address.eq(read[:bits]),
            store.write_address.eq(written[:bits]),
            store.write_data.eq(self.i.payload),
            store.write_enable.eq(self.i.valid & self.i.ready),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += written.eq(written + 1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += read.eq(read + 1)
        return m
