"""What goes to memory, cut to where it goes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.engine.order import RUN_BYTES_BITS, STREAM_BITS
from tilewright.hdl.engine.piece import cut_layout
from tilewright.hdl.engine.unpack import part_layout
from tilewright.hdl.structure import Block, named


def write_run_layout(bus_bytes: int) -> data.StructLayout:
    """What of a run the data side must know: see `joined_layout`."""
    return data.StructLayout(
        {
            "offset": unsigned(exact_log2(bus_bytes)),
            "bytes": unsigned(RUN_BYTES_BITS),
            "inside": unsigned(1),
            "joins": unsigned(1),
            "stream": unsigned(STREAM_BITS),
        }
    )


class WriteCut(Block):
    """Deals the bytes of sources ``i_0``, ``i_1``, ... to runs, none of them empty; drops those of runs not inside.

    A run has the bytes of its ``stream`` up to its end, the next run of that stream those after. The cuts of a run, and
    of those that it joins, open and close words of the bus. ``throughput`` = 1 cut a cycle, without a gap between runs;
    latency ``latency`` = 1 cycle from a source, 2 from a run. ``o`` is a register; ``i_*.ready`` depend on ``o.ready``
    in the same cycle.
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int, sources: int) -> None:
        self.bus_bytes, self.sources = bus_bytes, sources
        self.run_layout, self.cut = write_run_layout(bus_bytes), cut_layout(bus_bytes)
        members = {"run": In(stream.Signature(self.run_layout)), "o": Out(stream.Signature(self.cut))}
        members |= {f"i_{n}": In(stream.Signature(part_layout(bus_bytes))) for n in range(sources)}
        super().__init__(f"write_cut_{sources}of{bus_bytes}", members)

    @property
    def inputs(self) -> list[Any]:
        """The sources' streams."""
        return [getattr(self, f"i_{n}") for n in range(self.sources)]

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        running, opens = Signal(), Signal(init=1)
        at = Signal(self.run_layout, name="at", reset_less=True)
        full = Signal()
        cut = Signal(self.cut, name="cut", reset_less=True)
        first = Signal(exact_log2(self.bus_bytes))
        free = named(m, ~full | self.o.ready, "free")

        valid = self._of_source(m, at.stream, "valid", [source.valid for source in self.inputs])
        word = self._of_source(m, at.stream, "data", [source.payload.data for source in self.inputs])
        there = self._of_source(m, at.stream, "count", [source.payload.count for source in self.inputs])
        left = named(m, (there - first)[: len(there)], "left")
        final = named(m, at.bytes <= left, "final")
        empties = named(m, at.bytes >= left, "empties")
        count = named(m, Mux(final, at.bytes[: len(left)], left), "count")
        able = named(m, running & (free | ~at.inside), "able")
        go = named(m, able & valid, "go")
        close = named(m, final & ~at.joins, "close")
        for number, source in enumerate(self.inputs):
            m.d.comb += source.ready.eq(able & empties & (at.stream == number))
        m.d.comb += [
            self.run.ready.eq(~running | (go & final)),
            self.o.valid.eq(full),
            self.o.payload.eq(cut),
        ]
        with m.If(self.run.ready):
            m.d.sync += [running.eq(self.run.valid), at.eq(self.run.payload)]
        with m.Elif(go):
            m.d.sync += [at.bytes.eq(at.bytes - count)]
        with m.If(go):
            m.d.sync += [first.eq(Mux(empties, 0, first + count)), opens.eq(close)]
        with m.If(free):
            m.d.sync += [
                full.eq(go & at.inside),
                cut.data.eq(word),
                cut.first.eq(first),
                cut.count.eq(count),
                cut.opens.eq(opens),
                cut.start.eq(at.offset),
                cut.close.eq(close),
                cut.last.eq(0),
                cut.stream.eq(0),
            ]
        return m

    @staticmethod
    def _of_source(m: Module, number: Value, name: str, values: list[Value]) -> Value:
        """The one of ``values`` that belongs to source ``number``."""
        if len(values) == 1:
            return named(m, values[0], name)
        # Sources that an order cannot have stand for any.
        return named(m, Array([*values, *[values[-1]] * ((1 << len(number)) - len(values))])[number], name)
