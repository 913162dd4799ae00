"""The GEMM core: scratchpads, sequencers, array, accumulator."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.memory import BankedScratchpad, Geometry, WideScratchpad
from tilewright.hdl.pe.window_operands import POINT
from tilewright.hdl.structure import Block, named, place
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.decoder import Decoder
from tilewright.hdl.systolic.flight import Flight, walk
from tilewright.hdl.systolic.interleaved_streamer import InterleavedStreamer
from tilewright.hdl.systolic.load_port import LoadPort
from tilewright.hdl.systolic.loader import Loader
from tilewright.hdl.systolic.operands import connect_operands, connect_reads
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.read_port import ReadPort
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, command_layout, completion_layout
from tilewright.hdl.systolic.streamer import Streamer
from tilewright.hdl.systolic.sums import connect_sums
from tilewright.hdl.systolic.transfers import connect_transfers


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

    ``active`` is high in a cycle in which a wavefront starts, for those who count.
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.load_a = LoadPort("a", p.a_memory, "row")
        self.load_b = LoadPort("b", p.b_memory, "column")
        self.load_c = LoadPort("c", p.c_memory, "row")
        self.read_c = ReadPort("c", p.c_memory)
        members: dict[str, Any] = {
            "command": In(stream.Signature(command_layout(p))),
            "completion": Out(stream.Signature(completion_layout(p))),
        }
        for name in ("load_a", "load_b", "load_c", "read_c"):
            beats = stream.Signature(getattr(self, name).beat)
            members |= {
                f"{name}_command": In(stream.Signature(TRANSFER)),
                f"{name}_beats": Out(beats) if name == "read_c" else In(beats),
                f"{name}_answer": Out(stream.Signature(ANSWER)),
            }
        members["active"] = Out(1)
        self.ports = {name: getattr(self, name) for name in ("load_a", "load_b", "load_c", "read_c")}
        super().__init__("core", members)

    @property
    def read_after_write(self) -> int:
        """Cycles from reading a word of C to the earliest reading of it after the sum has been written back."""
        p, c = self.parameters, self.parameters.c_memory
        through = p.rows * p.element.hop + p.cols if p.seeded else 2
        return c.read_latency - c.read_edge + c.write_latency + through

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        decoder, flight = Decoder(p), Flight(completion_layout(p), p.in_flight)
        streamer = InterleavedStreamer(p) if p.interleaves else Streamer(p, self.read_after_write)
        loader = Loader(p) if p.has(Dataflow.WS, Dataflow.IS) or p.seeded else None
        controls = Controls(p)
        array = SystolicArray(p.element, p.rows, p.cols, seeded=p.seeded)
        blocks = {"decoder": decoder, "flight": flight, "streamer": streamer, "controls": controls, "array": array}
        if loader is not None:
            blocks["loader"] = loader
        for name, block in blocks.items():
            m.submodules[name] = place(platform, block)

        connect(m, flipped(self.command), decoder.command)
        connect(m, flight.completion, flipped(self.completion))
        m.d.comb += [
            flight.valid.eq(decoder.valid),
            flight.decoded.eq(decoder.decoded),
            flight.status.eq(decoder.status),
            decoder.take.eq(flight.take),
        ]
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

        a = self._scratchpad(m, platform, "a", p.a_memory, self.ports["load_a"])
        b = self._scratchpad(m, platform, "b", p.b_memory, self.ports["load_b"])
        connect_reads(m, platform, p, "a", p.a_memory, a, streamer, loader)
        connect_reads(m, platform, p, "b", p.b_memory, b, streamer, loader)
        connect_operands(m, platform, p, array, a, b, streamer, loader, controls)
        regions = connect_sums(m, platform, p, array, flight, controls)
        waits = self._point(m, decoder, flight, array) if p.has_point else Const(0)
        connect_transfers(m, platform, self, regions, decoder, flight, waits)
        return m

    def _point(self, m: Module, decoder: Decoder, flight: Flight, array: SystolicArray) -> Value:
        """Holds the binary point of the commands in flight; one with another has to wait until there are none."""
        point = Signal(POINT, name="point")
        idle = named(m, ~flight.busy.any(), "no_command_in_flight")
        with m.If(decoder.valid & idle):
            m.d.sync += point.eq(decoder.point)
        m.d.comb += array.point.eq(point)
        return named(m, ~idle & (decoder.point != point), "waits_for_its_point")

    def _scratchpad(self, m: Module, platform: Any, name: str, geometry: Geometry, port: LoadPort) -> Any:
        """The scratchpad of A or B, written by its load port alone."""
        memory = (BankedScratchpad if geometry.banked else WideScratchpad)(name, geometry)
        m.submodules[f"scratchpad_{name}"] = place(platform, memory)
        m.d.comb += [memory.write.eq(port.write), port.grant.eq(1)]
        for signal in memory.signature.members:
            if signal.startswith("write_") and signal != "write_lanes":
                m.d.comb += getattr(memory, signal).eq(getattr(port, signal))
        if geometry.banked:
            m.d.comb += memory.write_lanes.eq((1 << geometry.lanes) - 1)
        return memory
