"""A queue that is too deep for registers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.stream.queue import check_depth
from tilewright.hdl.structure import Block, named, place


class DeepQueue(Block):
    """Holds ``depth`` (a power of two) payloads of ``shape`` in a block RAM, and one more at ``o``.

    Latency ``latency`` = 2 cycles, ``throughput`` = 1 payload a cycle; ``i.ready`` and ``o.valid`` are functions of
    registers. Reset empties it.
    """

    latency = 2
    throughput = 1

    def __init__(self, name: str, shape: ShapeLike, depth: int) -> None:
        check_depth(depth)
        self.shape, self.depth = shape, depth
        signature = stream.Signature(shape)
        super().__init__(f"deep_queue_{name}_{depth}", {"i": In(signature), "o": Out(signature)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bits = ceil_log2(self.depth)
        written, read, full = Signal(bits + 1), Signal(bits + 1), Signal()
        m.submodules.store = place(platform, store := Ram(self.depth, Shape.cast(self.shape).width))
        taken = named(m, self.i.valid & self.i.ready, "taken")
        # What is written in this cycle is not counted yet: nothing is read while it is written.
        reads = named(m, (written != read) & (~full | self.o.ready), "reads")
        m.d.comb += [
            self.i.ready.eq((written - read)[: bits + 1] != self.depth),
            self.o.valid.eq(full),
            Value.cast(self.o.payload).eq(store.read_data),
            store.write_enable.eq(taken),
            store.write_address.eq(written[:bits]),
            store.write_data.eq(self.i.payload),
            store.read_enable.eq(reads),
            store.read_address.eq(read[:bits]),
        ]
        m.d.sync += [written.eq(written + taken), read.eq(read + reads), full.eq(reads | (full & ~self.o.ready))]
        return m
