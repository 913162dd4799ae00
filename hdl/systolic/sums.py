"""The way of sums from the foot of the array into C, and of what they start from out of it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Value

from tilewright.hdl.arith import WindowTally
from tilewright.hdl.arith.window_tally import FLAGS
from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import Block, Repeat, pipeline, place
from tilewright.hdl.systolic.accumulator import SHARED, AccumulatorLane, StartLane
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_access import ArrayAccess, ConnectC
from tilewright.hdl.systolic.c_walker import CWalker, bias_request
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.flight import walk
from tilewright.hdl.systolic.operands import delayed
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow


def connect_sums(
    m: Module,
    platform: Any,
    p: CoreParameters,
    array: SystolicArray,
    flight: Any,
    controls: Controls,
    connect_c: ConnectC,
) -> None:
    """From the foot of the array through the accumulator into C; ``flight`` has the ports of a `Flight` for it."""
    g = p.c_memory
    reader, writer = CWalker(p), CWalker(p)
    m.submodules.c_reader, m.submodules.c_writer = place(platform, reader), place(platform, writer)
    walk(m, flight, "read", reader)
    walk(m, flight, "write", writer)
    can_broadcast = p.has(Dataflow.IS)
    sums: Block
    if p.seeded:
        _steps(m, platform, g, controls, flight, reader, writer, controls.seed, controls.seed_latency, 0)
        sums = StartLane(p.acc_bits, can_broadcast=can_broadcast)
    else:
        _steps(m, platform, g, controls, flight, reader, writer, controls.word, controls.word_latency, 1)
        sums = AccumulatorLane(p.acc_bits, p.element.operands.sum_width, can_broadcast=can_broadcast)
    shared = tuple(port for port in SHARED if port in sums.signature.members)
    lanes = Repeat(f"{sums.name}_by_{p.cols}", sums, p.cols, label="lane", chain={}, shared=shared)
    m.submodules.starts = place(platform, lanes)
    side = pipeline(m, Cat(reader.continues, reader.broadcast, reader.region), g.read_latency, "start")

    read_request = bias_request(m, reader)
    wanted = writer.c_active & writer.exists
    lanes_written = Cat(writer.lanes > lane for lane in range(g.lanes))
    access = ArrayAccess(
        read=reader.c_active & reader.continues,
        read_region=reader.region,
        read_request=read_request,
        came_region=side[2],
        write=wanted,
        write_region=writer.region,
        write_request={port: getattr(writer, f"c_{port}") for port in read_request},
        lanes=lanes_written,
        data=array.sums if p.seeded else lanes.total,
    )
    started = connect_c(m, platform, g, access)
    if p.has_point:
        _tally(m, platform, p, array, flight, writer, wanted & writer.complete, lanes_written)
    m.d.comb += [
        array.seeds.eq(lanes.seed) if p.seeded else lanes.sum.eq(array.sums),
        lanes.continues.eq(side[0]),
        lanes.held.eq(started[: p.cols * p.acc_bits]),
    ]
    if can_broadcast:
        m.d.comb += [lanes.broadcast.eq(side[1]), lanes.first.eq(started[: p.acc_bits])]


def _tally(
    m: Module,
    platform: Any,
    p: CoreParameters,
    array: SystolicArray,
    flight: Any,
    writer: CWalker,
    write: Value,
    lanes: Value,
) -> None:
    """Counts the flags of a command's results, for its answer, which is given when the last of them is written."""
    tally, bits = WindowTally(p.cols), p.acc_bits
    m.submodules.tally = place(platform, tally)
    ends = [array.sums[(col + 1) * bits - len(FLAGS) : (col + 1) * bits] for col in range(p.cols)]
    m.d.comb += [
        tally.write.eq(write),
        tally.written.eq(lanes[: p.cols]),
        tally.flags.eq(Cat(ends)),
        tally.last.eq(delayed(m, platform, "last_word", writer.last, 1)),
    ]
    counts = Cat(getattr(tally, flag) for flag in FLAGS)
    found = pipeline(m, counts, p.c_memory.write_latency, "counts")
    m.d.comb += Cat(getattr(flight, flag) for flag in FLAGS).eq(found)


def _steps(
    m: Module,
    platform: Any,
    g: Geometry,
    controls: Controls,
    flight: Any,
    reader: CWalker,
    writer: CWalker,
    reads: Value,
    wanted: int,
    add: int,
) -> None:
    """Steps of the C walkers: what ``reads`` announces is wanted ``wanted`` cycles later, and written ``add``
    cycles after it has left the array."""
    m.d.comb += [
        reader.step.eq(delayed(m, platform, "read_step", reads, wanted - 1 - g.read_latency)),
        writer.step.eq(delayed(m, platform, "write_step", controls.word, controls.word_latency - 1 + add)),
        flight.finish.eq(delayed(m, platform, "finish", writer.last, 1 + g.write_latency)),
    ]
