"""Beats through units that know no handshake."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value, ValueLike
from amaranth.lib import data
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.stream import Queue
from tilewright.hdl.structure import Delay, named, place


class Flow:
    """Lets as many beats be on their way to the stream ``o`` as a queue before it has room for.

    The units on the way have no enable, which would have to reach every register of every lane. While ``room`` is high,
    a beat may begin; its elements must be there ``way`` cycles later. The queue holds all that are under way when
    nothing holds them up, so that a beat a cycle goes through. ``room`` is a function of registers.

    Latency: ``way + Queue.latency`` cycles.
    """

    def __init__(self, m: Module, platform: Any, o: Any, way: int) -> None:
        self._o, self._way = o, way
        self._layout: data.StructLayout = o.payload.shape()
        depth = 1 << (way + Queue.latency).bit_length()
        self._queue = Queue(f"flow_{self._layout['data'].width}_by_{self._layout['keep'].width}", self._layout, depth)
        m.submodules.queue = place(platform, self._queue)
        self._under_way = Signal(range(depth + 1), name="under_way")
        self.room = named(m, self._under_way != depth, "room")

    def begin(self, m: Module, platform: Any, begins: Value, beat: Any, elements: ValueLike) -> None:
        """A beat begins where ``begins`` is high, with ``keep`` and ``last`` of ``beat``; ``elements`` come later."""
        given = named(m, self._o.valid & self._o.ready, "given")
        m.d.sync += self._under_way.eq(self._under_way + begins - given)
        m.submodules.side = place(platform, side := Delay(2 + self._layout["keep"].width, self._way, reset=True))
        m.d.comb += [
            side.d.eq(Cat(begins, beat.last, beat.keep)),
            self._queue.i.valid.eq(side.q[0]),
            self._queue.i.payload.last.eq(side.q[1]),
            self._queue.i.payload.keep.eq(side.q[2:]),
            self._queue.i.payload.data.eq(elements),
        ]
        connect(m, self._queue.o, flipped(self._o))
