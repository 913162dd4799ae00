"""What comes from memory, cut to what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.axi.signatures import read_layout
from tilewright.hdl.engine.order import RUN_BYTES_BITS, STREAM_BITS, TAG_BITS
from tilewright.hdl.engine.piece import cut_layout
from tilewright.hdl.structure import Block, named


def read_run_layout(bus_bytes: int) -> data.StructLayout:
    """What of a run the data side must know: see `joined_layout`."""
    return data.StructLayout(
        {
            "offset": unsigned(exact_log2(bus_bytes)),
            "bytes": unsigned(RUN_BYTES_BITS),
            "inside": unsigned(1),
            "row_end": unsigned(1),
            "last": unsigned(1),
            "joins": unsigned(1),
            "fill": unsigned(16),
            "stream": unsigned(STREAM_BITS),
            "element": unsigned(2),
            "tag": unsigned(TAG_BITS),
        }
    )


class ReadCut(Block):
    """Follows runs, none of them empty, through the beats of R, and makes up what is not inside.

    ``sizes``: bytes of a beat of each destination; a cut has at most so many. ``throughput`` = 1 cut a cycle, without
    a gap between runs: a beat of R a cycle where ``sizes`` are not smaller than it. Latency ``latency`` = 1 cycle from
    R, 2 from a run. ``o`` is a register; ``r.ready`` depends on ``o.ready`` in the same cycle, and on nothing of R.

    Members
    -------
    run, r, o: streams of `read_run_layout`, R, `cut_layout`
    awaits: a beat of R is needed and has not come
    error, error_resp, error_tag: in a cycle with ``error``, a beat was answered ``error_resp`` in the cycle before;
        its data flow on all the same
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int, sizes: Sequence[int]) -> None:
        self.bus_bytes, self.sizes = bus_bytes, tuple(sizes)
        self.run_layout, self.cut = read_run_layout(bus_bytes), cut_layout(bus_bytes)
        members = {
            "run": In(stream.Signature(self.run_layout)),
            "r": In(stream.Signature(read_layout(8 * bus_bytes))),
            "o": Out(stream.Signature(self.cut)),
            "awaits": Out(1),
            "error": Out(1),
            "error_resp": Out(2),
            "error_tag": Out(TAG_BITS),
        }
        super().__init__(f"read_cut_{bus_bytes}to{'_'.join(map(str, self.sizes))}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus_bytes
        running, opens = Signal(), Signal(init=1)
        at = Signal(self.run_layout, name="at", reset_less=True)
        full = Signal()
        cut = Signal(self.cut, name="cut", reset_less=True)
        free = named(m, ~full | self.o.ready, "free")

        room = named(m, bus - at.offset, "room")
        steps = [min(bus, size) for size in self.sizes]
        most: Value = room
        within: Value = Const(1)
        if min(steps) < bus:
            step = named(m, Array([*steps, *[steps[-1]] * ((1 << STREAM_BITS) - len(steps))])[at.stream], "step")
            within = named(m, room <= step, "within")
            most = named(m, Mux(within, room, step), "most")
        final = named(m, at.bytes <= most, "final")
        # What is left of a beat belongs to the run that joins.
        ends_beat = named(m, (within & (at.bytes >= room)) | (final & ~at.joins), "ends_beat")
        count = named(m, Mux(final, at.bytes[: len(most)], most), "count")
        go = named(m, running & free & (self.r.valid | ~at.inside), "go")
        m.d.comb += [
            self.r.ready.eq(running & free & at.inside & ends_beat),
            self.run.ready.eq(~running | (go & final)),
            self.awaits.eq(running & at.inside & ~self.r.valid),
            self.o.valid.eq(full),
            self.o.payload.eq(cut),
        ]
        with m.If(self.run.ready):
            m.d.sync += [running.eq(self.run.valid), at.eq(self.run.payload)]
            with m.If(~self.run.payload.inside):
                m.d.sync += at.offset.eq(0)
        with m.Elif(go):
            m.d.sync += at.bytes.eq(at.bytes - count)
            with m.If(at.inside):
                m.d.sync += at.offset.eq(at.offset + count)
        close = named(m, final & at.row_end, "close")
        with m.If(go):
            m.d.sync += opens.eq(close)
        with m.If(free):
            m.d.sync += [
                full.eq(go),
                cut.data.eq(Mux(at.inside, self.r.payload.data, self._filling(at))),
                cut.first.eq(at.offset),
                cut.count.eq(count),
                cut.opens.eq(opens),
                cut.start.eq(0),
                cut.close.eq(close),
                cut.last.eq(close & at.last),
                cut.stream.eq(at.stream),
            ]
        self._report(m, at.tag)
        return m

    def _filling(self, at: Any) -> Value:
        """A word of values ``fill``. It begins with a whole value, but for those of 8 bytes on a bus of 4."""
        patterns: list[Value] = []
        for element in range(4):
            size = 1 << element
            value = Cat(at.fill[: 8 * size], Const(0, max(0, 8 * size - 16)))
            if size <= self.bus_bytes:
                patterns.append(value.replicate(self.bus_bytes // size))
            else:  # a multiple of 8 bytes is left when a value begins
                patterns.append(Mux(at.bytes[2], 0, value[: 8 * self.bus_bytes]))
        return Array(patterns)[at.element]

    def _report(self, m: Module, tag: Value) -> None:
        m.d.sync += self.error.eq(self.r.valid & self.r.ready & (self.r.payload.resp != 0))
        for name, value in (("resp", self.r.payload.resp), ("tag", tag)):
            held = Signal(len(value), name=f"{name}_seen", reset_less=True)
            m.d.sync += held.eq(value)
            m.d.comb += getattr(self, f"error_{name}").eq(held)
