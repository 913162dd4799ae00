"""Lets results out of the core, each matrix on its way."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.order import order_layout
from tilewright.hdl.engine.records import FINISH, FINISH_ORDER, HEAD
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place

FINISH_BITS = FINISH.size - HEAD.size
_AHEAD = 2


def job_layout(address_bits: int) -> data.StructLayout:
    """A store: where it goes, and how it is finished (a FINISH without its head)."""
    return data.StructLayout({"order": order_layout(address_bits), "finish": unsigned(FINISH_BITS)})


class Release(Block):
    """Joins the matrices that the core gives with the jobs that say where each goes.

    The mover gets a matrix's order when its first beat is there, never before: a read-out that is refused gives no
    beat, and no burst must wait for one. Costs 2 cycles a matrix.

    Members
    -------
    job: stream of `job_layout`; beats: the core's ``read_c_beats``; order: to the mover
    o_0, o_1, ...: beats of matrices whose order's ``stream`` is 0, 1, ...
    finish: stream of FINISH_ORDER, of each matrix whose ``stream`` is not 0
    idle: no matrix is passing
    """

    def __init__(self, address_bits: int, beat: data.StructLayout, ways: int) -> None:
        self.beat, self.ways = beat, ways
        self.job_layout, self.order_layout = job_layout(address_bits), order_layout(address_bits)
        beats = stream.Signature(beat)
        members: dict[str, Any] = {"job": In(stream.Signature(self.job_layout)), "beats": In(beats)}
        members |= {"order": Out(stream.Signature(self.order_layout))} | {f"o_{way}": Out(beats) for way in range(ways)}
        super().__init__(f"release_{ways}", members | {"finish": Out(stream.Signature(FINISH_ORDER)), "idle": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.jobs = place(platform, jobs := Queue("job", self.job_layout, _AHEAD))
        m.d.comb += [
            jobs.i.valid.eq(self.job.valid),
            jobs.i.payload.eq(self.job.payload),
            self.job.ready.eq(jobs.i.ready),
        ]
        ordering, finishing, passing = Signal(), Signal(), Signal()
        order = Signal(self.order_layout, reset_less=True)
        finish = Signal(FINISH_BITS, reset_less=True)
        begins = named(m, ~ordering & ~finishing & ~passing & self.beats.valid & jobs.o.valid, "begins")
        moved = named(m, self.beats.valid & self.beats.ready, "moved")
        with m.If(begins):
            m.d.sync += [ordering.eq(1), order.eq(jobs.o.payload.order), finish.eq(jobs.o.payload.finish)]
            m.d.sync += finishing.eq(jobs.o.payload.order.stream != 0)
        with m.Else():
            m.d.sync += [ordering.eq(ordering & ~self.order.ready), finishing.eq(finishing & ~self.finish.ready)]
        told = named(m, (~ordering | self.order.ready) & (~finishing | self.finish.ready), "told")
        with m.If((ordering | finishing) & told):
            m.d.sync += passing.eq(1)
        with m.Elif(moved & self.beats.payload.last):
            m.d.sync += passing.eq(0)
        m.d.comb += [
            jobs.o.ready.eq(begins),
            self.order.valid.eq(ordering),
            self.order.payload.eq(order),
            self.finish.valid.eq(finishing),
            Value.cast(self.finish.payload).eq(Cat(finish, order.box.cols)),
            self.idle.eq(~ordering & ~finishing & ~passing),
        ]
        for way in range(self.ways):
            output = getattr(self, f"o_{way}")
            here = named(m, passing & (order.stream == way), f"to_{way}")
            m.d.comb += [output.valid.eq(self.beats.valid & here), Value.cast(output.payload).eq(self.beats.payload)]
            with m.If(here):
                m.d.comb += self.beats.ready.eq(output.ready)
        return m
