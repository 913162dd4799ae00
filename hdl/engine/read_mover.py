"""Matrices from memory to streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2

from tilewright.hdl.axi.bursts import Bursts
from tilewright.hdl.axi.parameters import check_bus
from tilewright.hdl.axi.signatures import address_layout, read_layout
from tilewright.hdl.engine.box_walk import BoxWalk
from tilewright.hdl.engine.joining import Joining
from tilewright.hdl.engine.order import RUN_BYTES_BITS, TAG_BITS, order_layout
from tilewright.hdl.engine.placing import Placing
from tilewright.hdl.engine.port import ValuePort, check_ports
from tilewright.hdl.engine.read_cut import ReadCut
from tilewright.hdl.engine.to_targets import to_targets
from tilewright.hdl.stream import Buffer, Fork, Queue
from tilewright.hdl.structure import Block, named, place


class ReadMover(Block):
    """Reads matrices (`order_layout`) from memory, each to the one of ``targets`` that its ``stream`` names.

    Matrices come in the order of their orders, also across targets. A beat of a target carries ``values`` codes of a
    row, the low ``width`` bits of ``container`` bytes (the order's ``element`` is the binary logarithm of these); a row
    starts on a new beat, ``last`` ends the matrix. Values outside of the tensor's picture are the low bits of ``fill``,
    which is not read from memory. A matrix without rows or columns gives no beat.

    Runs that follow each other in memory are asked for together (see `Joining`), in INCR bursts of the full width.
    ``throughput``: a run takes as many cycles as it touches beats of R, or parts of such beats of the size of the
    target's where that is smaller, whatever their alignment: 1 beat of R a cycle but for those that runs share. This
    needs as many beats asked for, in ``outstanding`` bursts, as the memory's latency has cycles, and a target that
    takes its beats. ``r`` is held up for nothing else.
    Latency from order to beat: ``latency`` = 15 cycles (11 to ``ar``, 4 from ``r``) and those from ``ar`` to ``r``.

    Members
    -------
    order: stream of orders
    ar, r: the manager's port
    <name>: beats of each target
    idle: no order is under way
    beat: a beat of R was taken in the cycle before
    waits: an address was not taken in this cycle, or a beat of R is needed that has not come
    error, error_resp, error_tag: in a cycle with ``error``, a beat of the order ``error_tag`` came with a response that
        is not OKAY; its data flow on
    """

    latency = 15
    throughput = 1

    def __init__(
        self, bus_bits: int, address_bits: int, max_burst: int, outstanding: int, targets: Sequence[ValuePort]
    ) -> None:
        check_bus(bus_bits, address_bits, max_burst, outstanding)
        self.bus_bits, self.address_bits = bus_bits, address_bits
        self.max_burst, self.outstanding = max_burst, outstanding
        members: dict[str, Any] = {
            "order": In(stream.Signature(order_layout(address_bits))),
            "ar": Out(stream.Signature(address_layout(address_bits))),
            "r": In(stream.Signature(read_layout(bus_bits))),
        }
        members |= {"idle": Out(1), "beat": Out(1), "waits": Out(1)}
        members |= {"error": Out(1), "error_resp": Out(2), "error_tag": Out(TAG_BITS)}
        self.targets = check_ports("targets", targets, members)
        members |= {target.name: Out(stream.Signature(target.beat)) for target in self.targets}
        labels = "_".join(target.label for target in self.targets)
        super().__init__(f"read_mover_{bus_bits}_{address_bits}_{max_burst}x{outstanding}_{labels}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus_bits // 8
        sizes = [target.bytes for target in self.targets]
        cutter = ReadCut(bus, sizes)
        # Runs of a beat each that are on their way, and those of a span that grows.
        depth = max(2 * Joining.most_runs, 4 << ceil_log2(self.outstanding))
        runs = Queue(f"read_runs_{bus}", cutter.run_layout, depth)
        bursts = Bursts(
            self.address_bits, self.bus_bits, self.max_burst, self.outstanding, bytes_bits=RUN_BYTES_BITS, side=1
        )
        m.submodules.walk = place(platform, walk := BoxWalk(self.address_bits))
        joining = Joining(self.address_bits, bus, self.max_burst * bus)
        m.submodules.joining = place(platform, joining)
        m.submodules.fork = place(platform, fork := Fork(joining.joined, 2))
        m.submodules.bursts = place(platform, bursts)
        m.submodules.runs = place(platform, runs)
        m.submodules.answers = place(platform, answers := Buffer(read_layout(self.bus_bits)))
        m.submodules.cutter = place(platform, cutter)
        m.submodules.placing = place(platform, placing := Placing(bus, sizes))

        connect(m, flipped(self.order), walk.i)
        connect(m, walk.o, joining.i)
        connect(m, joining.o, fork.i)
        connect(m, runs.o, cutter.run)
        connect(m, flipped(self.r), answers.i)
        connect(m, answers.o, cutter.r)
        connect(m, cutter.o, placing.i)
        asked, kept = fork.o_0, fork.o_1
        # A run that the next one joins is asked for with that.
        counts = named(m, asked.payload.inside & ~asked.payload.joins, "counts")
        m.d.comb += [
            bursts.i.valid.eq(asked.valid & counts),
            bursts.i.payload.address.eq(asked.payload.span_address),
            bursts.i.payload.bytes.eq(asked.payload.span_bytes),
            asked.ready.eq(bursts.i.ready | ~counts),
            runs.i.valid.eq(kept.valid & kept.payload.bytes.any()),
            kept.ready.eq(runs.i.ready | ~kept.payload.bytes.any()),
            self.ar.valid.eq(bursts.o.valid),
            self.ar.payload.addr.eq(bursts.o.payload.addr),
            self.ar.payload.len.eq(bursts.o.payload.len),
            bursts.o.ready.eq(self.ar.ready),
            bursts.done.eq(answers.i.valid & answers.i.ready & self.r.payload.last),
        ]
        for field in cutter.run_layout.members:
            m.d.comb += runs.i.payload[field].eq(kept.payload[field])
        to_targets(m, platform, self, self.targets, bus, placing.o)
        self._report(m, cutter)
        return m

    def _report(self, m: Module, cutter: ReadCut) -> None:
        """What can be seen from outside."""
        # More orders than the queues between have room for.
        under_way = Signal(ceil_log2(self.outstanding) + 6)
        box = self.order.payload.box
        comes = named(m, self.order.valid & self.order.ready & box.rows.any() & box.cols.any(), "comes")
        beats = [getattr(self, target.name) for target in self.targets]
        # Matrices end one after the other, but those of two targets may end in one cycle.
        ends = sum((beat.valid & beat.ready & beat.payload.last for beat in beats), Const(0))
        m.d.sync += [
            under_way.eq(under_way + comes - ends),
            self.beat.eq(self.r.valid & self.r.ready),
        ]
        m.d.comb += [
            self.idle.eq(under_way == 0),
            self.waits.eq((self.ar.valid & ~self.ar.ready) | cutter.awaits),
            self.error.eq(cutter.error),
            self.error_resp.eq(cutter.error_resp),
            self.error_tag.eq(cutter.error_tag),
        ]
