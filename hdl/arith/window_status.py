"""What went wrong in sums in windows, for software to read: sticky flags and counters."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block, named

FLAGS = ("invalid", "overflow", "underflow")
"""The flags of a sum, in their order in ``window_layout``."""


class WindowStatus(Block):
    """Counts results by their flags, as they are written, in counters that stop at their greatest value.

    In a cycle with ``write``, each lane of ``written`` is one result, which may have several flags. ``clear`` sets all
    to 0 before what is written beside it counts, so that each result counts before or after, and none is lost.

    Latency: 2 cycles from all inputs to the outputs; a write or a clear a cycle. The synchronous reset clears all.

    Parameters
    ----------
    lanes: int
        Results that are written at once: at least 1.
    count_width: int
        Bits of each counter: at least 1.

    Members
    -------
    write: In(1); written: In(lanes)
    flags: In(3 * lanes): bits ``[3*i, 3*i + 3)`` are invalid, overflow and underflow of lane ``i``
    clear: In(1)
    invalid, overflow, underflow: Out(1): set since the last clear
    invalid_count, overflow_count, underflow_count: Out(count_width)
    """

    def __init__(self, lanes: int, count_width: int = 32) -> None:
        for name, value in (("lanes", lanes), ("count_width", count_width)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}; nearest legal value is 1")
        self.lanes, self.count_width, self.latency = lanes, count_width, 2
        members = {"write": In(1), "written": In(unsigned(lanes)), "flags": In(unsigned(3 * lanes)), "clear": In(1)}
        sticky = {flag: Out(1) for flag in FLAGS}
        counts = {f"{flag}_count": Out(unsigned(count_width)) for flag in FLAGS}
        super().__init__(f"window_status_{lanes}_c{count_width}", members | sticky | counts)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        clear = Signal(name="clear_late")
        m.d.sync += clear.eq(self.clear)
        for place, flag in enumerate(FLAGS):
            now = Signal(ceil_log2(self.lanes + 1), name=f"{flag}_now")
            m.d.sync += now.eq(_ones(self.flags[place::3] & self.written & self.write.replicate(self.lanes)))
            count = Signal(self.count_width, name=f"{flag}_held")
            total = named(m, Mux(clear, 0, count) + now, f"{flag}_total")
            full = total[self.count_width :].any()
            m.d.sync += count.eq(Mux(full, (1 << self.count_width) - 1, total[: self.count_width]))
            m.d.comb += [getattr(self, flag).eq(count.any()), getattr(self, f"{flag}_count").eq(count)]
        return m


def _ones(bits: Value) -> Value:
    """How many of ``bits`` are 1, by a tree of adders."""
    terms: list[Value] = [*bits]
    while len(terms) > 1:
        odd = [terms.pop()] if len(terms) % 2 else []
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)] + odd
    return terms[0]
