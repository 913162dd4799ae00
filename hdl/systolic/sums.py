"""The way of sums from the foot of the array into C, and of what they start from out of it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Value

from tilewright.hdl.arith import WindowTally
from tilewright.hdl.arith.window_tally import FLAGS
from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import Block, Repeat, pipeline, place
from tilewright.hdl.systolic.accumulator import SHARED, AccumulatorLane, StartLane
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_region import CRegion
from tilewright.hdl.systolic.c_walker import CWalker, bias_request
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.flight import Flight, walk
from tilewright.hdl.systolic.operands import delayed
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow


def connect_sums(
    m: Module, platform: Any, p: CoreParameters, array: SystolicArray, flight: Flight, controls: Controls
) -> list[CRegion]:
    """From the foot of the array through the accumulator into the regions of C, which are returned."""
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

    regions = [CRegion(g) for _ in range(2)]
    read_request = bias_request(m, reader)
    write_request = {port: getattr(writer, f"c_{port}") for port in read_request}
    wanted = writer.c_active & writer.exists
    lanes_written = Cat(writer.lanes > lane for lane in range(g.lanes))
    for index, region in enumerate(regions):
        m.submodules[f"c_region_{index}"] = place(platform, region)
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
    if p.has_point:
        _tally(m, platform, p, array, flight, writer, wanted & writer.complete, lanes_written)
    started = Mux(side[2], regions[1].read_data, regions[0].read_data)
    m.d.comb += [
        array.seeds.eq(lanes.seed) if p.seeded else lanes.sum.eq(array.sums),
        lanes.continues.eq(side[0]),
        lanes.held.eq(started[: p.cols * p.acc_bits]),
    ]
    if can_broadcast:
        m.d.comb += [lanes.broadcast.eq(side[1]), lanes.first.eq(started[: p.acc_bits])]
    return regions


def _tally(
    m: Module,
    platform: Any,
    p: CoreParameters,
    array: SystolicArray,
    flight: Flight,
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
    flight: Flight,
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
