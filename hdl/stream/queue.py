"""A first-in first-out queue between two streams."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, ShapeLike, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.structure import Block, place


class Queue(Block):
    """Holds up to ``depth`` (a power of two) payloads of ``shape`` between ``i`` and ``o``.

    Latency 1 cycle, one payload a cycle; ``i.ready`` and ``o.valid`` depend on registers only. ``level`` is the
    number of payloads held.
    """

    def __init__(self, name: str, shape: ShapeLike, depth: int) -> None:
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth must be a power of two of at least 2, got {depth}")
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
        payload = Signal(self.shape)
        store = RegisterFile(self.depth, len(payload.as_value() if hasattr(payload, "as_value") else payload))
        m.submodules.store = place(platform, store)
        m.d.comb += [
            self.level.eq(written - read),
            self.i.ready.eq(self.level != self.depth),
            self.o.valid.eq(written != read),
            self.o.payload.eq(store.read_data),
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
