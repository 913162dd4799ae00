"""Collects bytes to beats."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.piece import piece_layout
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place


class Packer(Block):
    """Pieces to beats of ``values`` values, each the low ``width`` bits of ``container`` bytes.

    A beat is given when it is full, or when a piece closes it; ``keep`` tells which values it has. With one byte a
    value these are the strobes of a word. Pieces have the layout for words of ``largest`` bytes, a beat or more.

    Latency ``latency`` = 1 cycle, ``throughput`` = 1 piece a cycle, as long as not more than one beat a cycle comes
    of them: one that fills a beat, spills and closes is two, the second of which is given beside the next piece that
    gives none. ``o`` and ``i.ready``: see `Buffer`; ``i.ready`` depends on the piece too.
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int, values: int, width: int, container: int, largest: int) -> None:
        self.bus_bytes, self.values, self.width, self.container = bus_bytes, values, width, container
        self.beat, self.piece = beat_layout(values, width), piece_layout(bus_bytes, largest)
        name = f"packer_{bus_bytes}to{values}x{width}in{container}_of{largest}"
        super().__init__(name, {"i": In(stream.Signature(self.piece)), "o": Out(stream.Signature(self.beat))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.buffer = place(platform, buffer := Buffer(self.beat))
        connect(m, buffer.o, flipped(self.o))
        piece = self.i.payload
        # What spilled of a piece that closed is still to be given.
        flushing, flush_last = Signal(), Signal(reset_less=True)
        gives = named(m, piece.full | piece.close, "gives")
        m.d.comb += self.i.ready.eq(Mux(flushing, buffer.i.ready & ~gives, buffer.i.ready | ~gives))
        take = named(m, self.i.valid & self.i.ready, "take")
        flushed = named(m, flushing & buffer.i.ready, "flushed")
        with m.If(take & gives):
            m.d.sync += [flushing.eq(piece.close & piece.spills), flush_last.eq(piece.last)]
        with m.Elif(flushed):
            m.d.sync += flushing.eq(0)

        word, keep = self._collect(m, take, gives, flushing, flushed)
        m.d.comb += [
            buffer.i.valid.eq(flushing | (self.i.valid & gives)),
            buffer.i.payload.data.eq(word),
            buffer.i.payload.keep.eq(keep),
            buffer.i.payload.last.eq(Mux(flushing, flush_last, piece.last & piece.close & ~piece.spills)),
        ]
        return m

    def _collect(self, m: Module, take: Value, gives: Value, flushing: Value, flushed: Value) -> tuple[Value, Value]:
        """The bytes gathered so far with those of the piece, and which of the values are there."""
        piece = self.i.payload
        size = self.values * self.container
        spilled = min(size, self.bus_bytes) - 1
        given, kept = [], []
        for byte in range(size):
            low = byte % self.container * 8
            bits = min(8, self.width - low)
            beyond = byte + size
            # No position lies beyond the last that its bits can tell.
            reached = Const(1) if byte >= (1 << len(piece.position)) - 1 else piece.position <= byte
            after = named(m, reached & ~flushing, f"new_{byte}")
            if bits > 0:
                gathered = Signal(bits, name=f"gathered_{byte}", reset_less=True)
                fresh = self._byte(byte)[:bits]
                joined = named(m, Mux(after, fresh, gathered), f"joined_{byte}")
                given.append(joined)
                with m.If(take & gives):
                    if byte < spilled:
                        m.d.sync += gathered.eq(self._byte(beyond)[:bits])
                with m.Elif(take):
                    m.d.sync += gathered.eq(Mux(reached, fresh, gathered))
            if byte % self.container == self.container - 1:  # which ends a value
                here = Signal(name=f"here_{byte}")
                comes = named(m, after & (piece.end > byte), f"comes_{byte}")
                kept.append(named(m, here | comes, f"keep_{byte}"))
                with m.If(take & gives):
                    m.d.sync += here.eq(piece.end > beyond if byte < spilled else 0)
                with m.Elif(take):
                    m.d.sync += here.eq((here & ~flushing) | (reached & (piece.end > byte)))
                with m.Elif(flushed):
                    m.d.sync += here.eq(0)
        return Cat(given), Cat(kept)

    def _byte(self, byte: int) -> Value:
        """What comes for byte ``byte`` of the beat and the one after."""
        return self.i.payload.data.word_select(byte % self.bus_bytes, 8)
