"""The way of sums from the foot of the array into C, and of what they start from out of it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Value

from tilewright.hdl.arith import WindowTally
from tilewright.hdl.arith.window_tally import FLAGS
from tilewright.hdl.structure import Block, Repeat, pipeline, place
from tilewright.hdl.systolic.accumulator import SHARED, AccumulatorLane, StartLane
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_access import ArrayAccess, ConnectC
from tilewright.hdl.systolic.c_walker import CWalker, bias_request
from tilewright.hdl.systolic.c_writes import WordWrites, following_writes, walked_writes
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
    reader = CWalker(p)
    m.submodules.c_reader = place(platform, reader)
    walk(m, flight, "read", reader)
    can_broadcast = p.has(Dataflow.IS)
    # What ``reads`` announces is wanted ``wanted`` cycles later, and written ``add`` cycles after it left the array.
    reads, wanted, add = (
        (controls.seed, controls.seed_latency, 0) if p.seeded else (controls.word, controls.word_latency, 1)
    )
    until_read, until_written = wanted - 1 - g.read_latency, controls.word_latency - 1 + add
    m.d.comb += reader.step.eq(delayed(m, platform, "read_step", reads, until_read))
    read_request = bias_request(m, reader)
    if p.in_turn:
        writes = following_writes(m, platform, p, reader, until_written - until_read)
    else:
        writes = walked_writes(m, platform, p, flight, controls.word, until_written, list(read_request))
    m.d.comb += flight.finish.eq(delayed(m, platform, "finish", writes.last, 1 + g.write_latency))
    lanes = lanes_of(p)
    m.submodules.starts = place(platform, lanes)
    side = pipeline(m, Cat(reader.continues, reader.broadcast, reader.region), g.read_latency, "start")

    lanes_written = Cat(writes.lanes > lane for lane in range(g.lanes))
    access = ArrayAccess(
        wants=reader.c_active,
        continues=reader.continues,
        read_region=reader.region,
        read_request=read_request,
        came_region=side[2],
        came_continues=side[0],
        write=writes.active,
        write_region=writes.region,
        write_request=writes.request,
        lanes=lanes_written,
        data=array.sums if p.seeded else lanes.total,
    )
    started, continues = connect_c(m, platform, g, access)
    if p.has_point:
        _tally(m, platform, p, array, flight, writes, lanes_written)
    m.d.comb += [
        array.seeds.eq(lanes.seed) if p.seeded else lanes.sum.eq(array.sums),
        lanes.continues.eq(continues),
        lanes.held.eq(started[: p.cols * p.acc_bits]),
    ]
    if can_broadcast:
        m.d.comb += [lanes.broadcast.eq(side[1]), lanes.first.eq(started[: p.acc_bits])]


def lanes_of(p: CoreParameters) -> Repeat:
    """What each of the ``cols`` lanes of C starts from, and where sums are added at the foot of the array, the adder.

    Words of ``cols * acc_bits`` bits, sums of ``cols * sum_width``; latency 0, with the adder 1 cycle. See `StartLane`
    and `AccumulatorLane`.
    """
    can_broadcast = p.has(Dataflow.IS)
    lane: Block = StartLane(p.acc_bits, can_broadcast=can_broadcast)
    if not p.seeded:
        lane = AccumulatorLane(p.acc_bits, p.element.operands.sum_width, can_broadcast=can_broadcast)
    shared = tuple(port for port in SHARED if port in lane.signature.members)
    return Repeat(f"{lane.name}_by_{p.cols}", lane, p.cols, label="lane", chain={}, shared=shared)


def _tally(
    m: Module,
    platform: Any,
    p: CoreParameters,
    array: SystolicArray,
    flight: Any,
    writes: WordWrites,
    lanes: Value,
) -> None:
    """Counts the flags of a command's results, for its answer, which is given when the last of them is written."""
    tally, bits = WindowTally(p.cols), p.acc_bits
    m.submodules.tally = place(platform, tally)
    ends = [array.sums[(col + 1) * bits - len(FLAGS) : (col + 1) * bits] for col in range(p.cols)]
    m.d.comb += [
        tally.write.eq(writes.active & writes.complete),
        tally.written.eq(lanes[: p.cols]),
        tally.flags.eq(Cat(ends)),
        tally.last.eq(delayed(m, platform, "last_word", writes.last, 1)),
    ]
    counts = Cat(getattr(tally, flag) for flag in FLAGS)
    found = pipeline(m, counts, p.c_memory.write_latency, "counts")
    m.d.comb += Cat(getattr(flight, flag) for flag in FLAGS).eq(found)
