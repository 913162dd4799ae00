"""The GEMM core: scratchpads, sequencers, array, accumulator."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import Out

from tilewright.hdl.memory import BankedScratchpad, Geometry, WideScratchpad
from tilewright.hdl.structure import Block, place
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.core_streams import core_streams
from tilewright.hdl.systolic.flight import walk
from tilewright.hdl.systolic.in_turn import InTurn
from tilewright.hdl.systolic.interleaved_streamer import InterleavedStreamer
from tilewright.hdl.systolic.loader import Loader
from tilewright.hdl.systolic.operands import connect_operands, connect_reads
from tilewright.hdl.systolic.overlapped import Overlapped
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.streamer import Streamer
from tilewright.hdl.systolic.sums import connect_sums


class GemmCore(Block):
    """C = start + A @ B for any M, N, K that fits the scratchpads; A, B, C row-major at the streams, in every dataflow.

    Streams (all of `amaranth.lib.stream`): ``command`` takes commands, ``completion`` answers them in order;
    ``load_a``, ``load_b``, ``load_c`` take beats of the matrix that ``load_*_command`` announces and are answered by
    ``load_*_answer``; ``read_c`` likewise gives them. Loads and read-outs run while the core computes; the array has
    priority and never stalls. A transfer whose words a command taken before it still uses is
    refused; a command waits for transfers taken before it that touch its words, and so do a load and a read-out of the
    same words of C for each other.

    Up to ``in_flight`` commands may be in flight. Consecutive ones of the same dataflow follow without a bubble while
    so many last longer than the first takes to be answered; one whose C or bias overlaps the C of an earlier one waits
    for its last write.

    A core with one command ``in_flight`` does one thing at a time, see `Turns`: transfers, too, come in their turn.

    ``active`` is high in a cycle in which a wavefront starts, for those who count.
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        super().__init__("core", core_streams(p) | {"active": Out(1)})

    @property
    def read_after_write(self) -> int:
        """Cycles from reading a word of C to the earliest reading of it after the sum has been written back."""
        p, c = self.parameters, self.parameters.c_memory
        through = p.rows * p.element.hop + p.cols if p.seeded else 2
        return c.read_latency - c.read_edge + c.write_latency + through + p.in_turn  # which writes from a register

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        side = InTurn(p) if p.in_turn else Overlapped(p)
        flight: Any = side.flight
        streamer = InterleavedStreamer(p) if p.interleaves else Streamer(p, self.read_after_write)
        loader = Loader(p) if p.has(Dataflow.WS, Dataflow.IS) or p.seeded else None
        controls = Controls(p)
        array = SystolicArray(p.element, p.rows, p.cols, seeded=p.seeded, skew_memories=p.skew_memories)
        blocks = {**side.blocks, "streamer": streamer, "controls": controls, "array": array}
        if loader is not None:
            blocks["loader"] = loader
        for name, block in blocks.items():
            m.submodules[name] = place(platform, block)

        side.connect_commands(m, self)
        walk(m, flight, "stream", streamer)
        m.d.comb += streamer.clear.eq(flight.stream_clear)
        if loader is not None:
            walk(m, flight, "load", loader)
            m.d.comb += [
                loader.start_fold.eq(streamer.start_fold),
                loader.waiting.eq(streamer.waiting),
                loader.idle.eq(streamer.idle),
                streamer.tile_ready.eq(loader.tile_ready),
                controls.load_active.eq(loader.active),
                controls.load_last.eq(loader.last),
                controls.load_output_stationary.eq(loader.output_stationary),
                loader.clear.eq(flight.load_clear),
            ]
        else:
            m.d.comb += flight.load_take.eq(flight.load_valid)
        m.d.comb += self.active.eq(streamer.active)
        for port in ("active", "first", "last", "output_stationary"):
            m.d.comb += getattr(controls, port).eq(getattr(streamer, port))
        for control in (*p.element.row_controls, *p.element.column_controls):
            m.d.comb += getattr(array, control).eq(getattr(controls, control))

        a = self._scratchpad(m, platform, "a", p.a_memory, side)
        b = self._scratchpad(m, platform, "b", p.b_memory, side)
        connect_reads(m, platform, p, "a", p.a_memory, a, streamer, loader)
        connect_reads(m, platform, p, "b", p.b_memory, b, streamer, loader)
        connect_operands(m, platform, p, array, a, b, streamer, loader, controls)
        connect_sums(m, platform, p, array, flight, controls, side.connect_c)
        side.connect_transfers(m, platform, self, array)
        return m

    def _scratchpad(self, m: Module, platform: Any, name: str, geometry: Geometry, side: InTurn | Overlapped) -> Any:
        """The scratchpad of A or B, written by its loads alone."""
        single_port = self.parameters.has_single_ports
        memory: Any = (
            BankedScratchpad(name, geometry)
            if geometry.banked
            else WideScratchpad(name, geometry, single_port=single_port)
        )
        m.submodules[f"scratchpad_{name}"] = place(platform, memory)
        side.connect_loads(m, self, name, memory)
        return memory
