"""The GEMM core: scratchpads, sequencers, array, accumulator."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.memory import BankedScratchpad, Geometry, WideScratchpad
from tilewright.hdl.structure import Block, Repeat, data_register, pipeline, place
from tilewright.hdl.systolic.accumulator import SHARED, AccumulatorLane, StartLane
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_region import CRegion
from tilewright.hdl.systolic.c_walker import CWalker, bias_request
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.decoder import Decoder, overlap
from tilewright.hdl.systolic.flight import Flight
from tilewright.hdl.systolic.load_port import LoadPort
from tilewright.hdl.systolic.loader import Loader
from tilewright.hdl.systolic.mask import EdgeMask
from tilewright.hdl.systolic.operands import connect_reads, delayed, edge_masked, extended
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.read_port import ReadPort
from tilewright.hdl.systolic.records import ANSWER, COMMAND, TRANSFER, Start
from tilewright.hdl.systolic.streamer import Streamer


class GemmCore(Block):
    """C = start + A @ B for any M, N, K that fits the scratchpads; A, B, C row-major at the streams, in every dataflow.

    Streams (all of `amaranth.lib.stream`): ``command`` takes COMMANDs, ``completion`` answers them in order;
    ``load_a``, ``load_b``, ``load_c`` take beats of the matrix that ``load_*_command`` announces and are answered by
    ``load_*_answer``; ``read_c`` likewise gives them. Loads and read-outs run while the core computes; the array has
    priority and never stalls. A transfer whose words a command in flight uses is refused.

    Up to four commands may be in flight. Consecutive ones of the same dataflow follow without a bubble; one whose C
    or bias overlaps the C of an earlier one waits for its last write.
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.load_a = LoadPort("a", p.a_memory, "row")
        self.load_b = LoadPort("b", p.b_memory, "column")
        self.load_c = LoadPort("c", p.c_memory, "row")
        self.read_c = ReadPort("c", p.c_memory)
        members: dict[str, Any] = {
            "command": In(stream.Signature(COMMAND)),
            "completion": Out(stream.Signature(ANSWER)),
        }
        for name in ("load_a", "load_b", "load_c", "read_c"):
            beats = stream.Signature(getattr(self, name).beat)
            members |= {
                f"{name}_command": In(stream.Signature(TRANSFER)),
                f"{name}_beats": Out(beats) if name == "read_c" else In(beats),
                f"{name}_answer": Out(stream.Signature(ANSWER)),
            }
        self.ports = {name: getattr(self, name) for name in ("load_a", "load_b", "load_c", "read_c")}
        super().__init__("core", members)

    @property
    def read_after_write(self) -> int:
        """Cycles from reading a word of C to the earliest reading of it after the sum has been written back."""
        p, c = self.parameters, self.parameters.c_memory
        through = p.rows + p.cols if p.seeded else 2
        return c.read_latency - c.read_edge + c.write_latency + through

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        self._platform = platform
        decoder, flight = Decoder(p), Flight()
        streamer = Streamer(p, self.read_after_write)
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
        self._walk(m, flight, "stream", streamer)
        m.d.comb += streamer.clear.eq(flight.stream_clear)
        if loader is not None:
            self._walk(m, flight, "load", loader)
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
        for port in ("active", "first", "last", "output_stationary"):
            m.d.comb += getattr(controls, port).eq(getattr(streamer, port))
        for control in (*p.element.row_controls, *p.element.column_controls):
            m.d.comb += getattr(array, control).eq(getattr(controls, control))

        a = self._scratchpad(m, "a", p.a_memory, self.ports["load_a"])
        b = self._scratchpad(m, "b", p.b_memory, self.ports["load_b"])
        connect_reads(m, platform, p, "a", p.a_memory, a, streamer, loader)
        connect_reads(m, platform, p, "b", p.b_memory, b, streamer, loader)
        self._operands(m, array, a, b, streamer, loader, controls)
        self._sums(m, array, flight, controls)
        self._transfers(m, flight)
        return m

    def _walk(self, m: Module, flight: Flight, walker: str, block: Any) -> None:
        m.d.comb += [
            block.valid.eq(getattr(flight, f"{walker}_valid")),
            block.command.eq(getattr(flight, f"{walker}_command")),
            getattr(flight, f"{walker}_take").eq(block.take),
        ]

    def _scratchpad(self, m: Module, name: str, geometry: Geometry, port: LoadPort) -> Any:
        """The scratchpad of A or B, written by its load port alone."""
        memory = (BankedScratchpad if geometry.banked else WideScratchpad)(name, geometry)
        m.submodules[f"scratchpad_{name}"] = place(self._platform, memory)
        m.d.comb += [memory.write.eq(port.write), port.grant.eq(1)]
        for signal in memory.signature.members:
            if signal.startswith("write_") and signal != "write_lanes":
                m.d.comb += getattr(memory, signal).eq(getattr(port, signal))
        if geometry.banked:
            m.d.comb += memory.write_lanes.eq((1 << geometry.lanes) - 1)
        return memory

    def _operands(
        self,
        m: Module,
        array: SystolicArray,
        a: Any,
        b: Any,
        streamer: Streamer,
        loader: Loader | None,
        controls: Controls,
    ) -> None:
        """From read data to the edges of the array: choose the matrix, extend, clear what does not exist."""
        p, e = self.parameters, self.parameters.element.operands
        x_values, y_values = p.rows * p.vector, p.cols * p.vector
        offset = p.operand_offset
        words = {"a": (a.read_data, p.a), "b": (b.read_data, p.b)}

        def word(matrix: str, values: int, target: Any, edge: str) -> Value:
            data, source = words[matrix]
            return extended(m, data, values, source, target, f"{edge}_{matrix}")

        y_count, y_each = streamer.count, Const(1, 1)
        if loader is not None:
            holds = loader.active & ~loader.output_stationary
            y_count = Mux(holds, loader.count, streamer.count)
        x_count = Cat(streamer.output_stationary, streamer.count)
        x_wait = offset
        if p.dataflow == "any":
            # One cycle later for output-stationary steps, like everything that belongs to x.
            now = data_register(m, x_count, "x_count_now")
            later = data_register(m, now, "x_count_later")
            x_count, x_wait = Mux(controls.late, later, now), offset - 1
            hold_a = delayed(
                m, self._platform, "streams_b", streamer.b_active & ~streamer.a_output_stationary, offset - 1
            )
            x = Mux(hold_a, word("b", x_values, e.x, "x"), word("a", x_values, e.x, "x"))
            loads_a = delayed(m, self._platform, "loads_a", loader.a_active, offset - 1)
            y = Mux(loads_a, word("a", y_values, e.y, "y"), word("b", y_values, e.y, "y"))
        else:
            x_matrix, y_matrix = ("b", "a") if p.dataflow == "is" else ("a", "b")
            x, y = word(x_matrix, x_values, e.x, "x"), word(y_matrix, y_values, e.y, "y")
        m.d.comb += array.x.eq(
            edge_masked(
                m, self._platform, "x", x, e.x.width, EdgeMask(p.rows, p.vector), x_count[1:], x_count[0], x_wait
            )
        )
        m.d.comb += array.y.eq(
            edge_masked(m, self._platform, "y", y, e.y.width, EdgeMask(p.cols, p.vector), y_count, y_each, offset)
        )

    def _sums(self, m: Module, array: SystolicArray, flight: Flight, controls: Controls) -> None:
        """From the foot of the array through the accumulator into C."""
        p = self.parameters
        g = p.c_memory
        reader, writer = CWalker(p), CWalker(p)
        m.submodules.c_reader, m.submodules.c_writer = place(self._platform, reader), place(self._platform, writer)
        self._walk(m, flight, "read", reader)
        self._walk(m, flight, "write", writer)
        can_broadcast = p.has(Dataflow.IS)
        sums: Block
        if p.seeded:
            self._steps(m, controls, flight, reader, writer, controls.seed, controls.seed_latency, 0)
            sums = StartLane(p.acc.width, can_broadcast=can_broadcast)
        else:
            self._steps(m, controls, flight, reader, writer, controls.word, controls.word_latency, 1)
            sums = AccumulatorLane(p.acc.width, p.element.operands.sum_width, can_broadcast=can_broadcast)
        shared = tuple(port for port in SHARED if port in sums.signature.members)
        lanes = Repeat(f"{sums.name}_by_{p.cols}", sums, p.cols, label="lane", chain={}, shared=shared)
        m.submodules.starts = place(self._platform, lanes)
        side = pipeline(m, Cat(reader.continues, reader.broadcast, reader.region), g.read_latency, "start")

        regions = [CRegion(g) for _ in range(2)]
        read_request = bias_request(m, reader)
        write_request = {port: getattr(writer, f"c_{port}") for port in read_request}
        wanted = writer.c_active & writer.exists
        lanes_written = Cat(writer.lanes > lane for lane in range(g.lanes))
        for index, region in enumerate(regions):
            m.submodules[f"c_region_{index}"] = place(self._platform, region)
            m.d.comb += [
                region.array_read.eq(reader.c_active & reader.continues & (reader.region == index)),
                region.array_write.eq(wanted & (writer.region == index)),
                region.array_write_data.eq(array.sums if p.seeded else lanes.total),
            ]
            if g.banked:
                m.d.comb += region.array_write_lanes.eq(lanes_written)
            for port, value in read_request.items():
                m.d.comb += getattr(region, f"array_read_{port}").eq(value)
                m.d.comb += getattr(region, f"array_write_{port}").eq(write_request[port])
        started = Mux(side[2], regions[1].read_data, regions[0].read_data)
        m.d.comb += [
            array.seeds.eq(lanes.seed) if p.seeded else lanes.sum.eq(array.sums),
            lanes.continues.eq(side[0]),
            lanes.held.eq(started[: p.cols * p.acc.width]),
        ]
        if can_broadcast:
            m.d.comb += [lanes.broadcast.eq(side[1]), lanes.first.eq(started[: p.acc.width])]
        self._regions = regions

    def _steps(
        self,
        m: Module,
        controls: Controls,
        flight: Flight,
        reader: CWalker,
        writer: CWalker,
        reads: Value,
        wanted: int,
        add: int,
    ) -> None:
        """Steps of the C walkers: what ``reads`` announces is wanted ``wanted`` cycles later, and written ``add``
        cycles after it has left the array."""
        g = self.parameters.c_memory
        m.d.comb += [
            reader.step.eq(delayed(m, self._platform, "read_step", reads, wanted - 1 - g.read_latency)),
            writer.step.eq(delayed(m, self._platform, "write_step", controls.word, controls.word_latency - 1 + add)),
            flight.finish.eq(delayed(m, self._platform, "finish", writer.last, 1 + g.write_latency)),
        ]

    def _transfers(self, m: Module, flight: Flight) -> None:
        """The ports to the outside, and what they may touch."""
        g = self.parameters.c_memory
        for name, port in self.ports.items():
            m.submodules[name] = place(self._platform, port)
            connect(m, flipped(getattr(self, f"{name}_command")), port.command)
            connect(m, port.answer, flipped(getattr(self, f"{name}_answer")))
            outward = getattr(self, f"{name}_beats")
            if name == "read_c":
                connect(m, port.beats, flipped(outward))
            else:
                connect(m, flipped(outward), port.beats)
            m.d.comb += port.in_use.eq(self._in_use(flight, name, port))
        load, read = self.ports["load_c"], self.ports["read_c"]
        request = [port.removeprefix("write_") for port in load.signature.members if port.startswith("write_")]
        for index, region in enumerate(self._regions):
            m.d.comb += [
                region.port_write.eq(load.write & (load.region == index)),
                region.port_read.eq(read.read & (read.region == index)),
            ]
            for port in request:
                if port != "slots":
                    m.d.comb += getattr(region, f"port_write_{port}").eq(getattr(load, f"write_{port}"))
                if port not in ("slots", "data"):
                    m.d.comb += getattr(region, f"port_read_{port}").eq(getattr(read, f"read_{port}"))
        r0, r1 = self._regions
        read_from = pipeline(m, read.region, g.read_latency, "read_region")
        m.d.comb += [
            load.grant.eq(Mux(load.region, r1.write_grant, r0.write_grant)),
            read.grant.eq(Mux(read.region, r1.read_grant, r0.read_grant)),
            read.read_data.eq(Mux(read_from, r1.read_data, r0.read_data)),
        ]

    def _in_use(self, flight: Flight, name: str, port: Any) -> Value:
        """Whether a command in flight uses any word that ``port`` is about to touch."""
        used: Value = Const(0)
        for index in range(flight.DEPTH):
            command = flight.spans[index]
            if name == "load_a":
                touched = overlap(port.span, command.a)
            elif name == "load_b":
                touched = overlap(port.span, command.b)
            else:
                bias = (command.start == Start.BIAS) & overlap(port.span, command.bias)
                touched = (overlap(port.span, command.c) | bias) & (command.region == port.region)
            used = used | (flight.busy[index] & touched)
        return used
