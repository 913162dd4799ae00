"""What loads and read-outs have in common: checking where a matrix lies."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import data_register
from tilewright.hdl.systolic.decoder import SPAN
from tilewright.hdl.systolic.product import ceil_div, clamped, product
from tilewright.hdl.systolic.records import Status

CHECK_CYCLES = 4


def check_members() -> dict[str, Member]:
    """Ports by which a transfer says which words it touches, and learns whether it may.

    ``span`` and ``region`` are the words; ``active`` is high from the cycle after the command is taken until they are
    no longer touched, ``fresh`` in the first such cycle. ``in_use`` (a command that came before uses some) and
    ``hold`` (a transfer that came before has some: wait) answer in the same cycle.
    """
    return {
        "span": Out(SPAN),
        "region": Out(1),
        "active": Out(1),
        "fresh": Out(1),
        "in_use": In(1),
        "hold": In(1),
    }


class Check:
    """Works out ``status`` of a transfer of ``rows`` x ``cols`` stored elements, 4 cycles after ``command`` is stable.

    ``ready``: it is there and nothing holds the transfer up. ``rows`` is the number of stored rows, ``columns`` that of
    elements in a row.
    """

    def __init__(
        self, m: Module, platform: Any, port: Any, g: Geometry, command: Any, rows: Value, columns: Value, begin: Value
    ) -> None:  # fmt: skip
        stage = Signal(CHECK_CYCLES)
        m.d.comb += port.fresh.eq(begin)
        self.ready = stage[-1] & ~port.hold
        m.d.sync += stage.eq(Cat(begin, stage[:-2], stage[-2] | (stage[-1] & port.hold)))
        self.panels = data_register(m, ceil_div(columns, g.lanes), "panels")
        short_rows, many_rows = clamped(m, rows, g.words, "rows")
        short_panels, many_panels = clamped(m, self.panels, g.words, "panels")
        words = product(m, platform, data_register(m, short_rows, "x"), short_panels, "words")
        end = words + command.base
        beyond = many_rows | many_panels | (end > g.words)
        m.d.comb += [port.span.low.eq(command.base), port.span.high.eq(end), port.region.eq(command.region)]
        self.status = Mux(
            (command.rows == 0) | (command.cols == 0),
            Status.EMPTY.value,
            Mux(beyond, Status.OUT_OF_RANGE.value, Mux(port.in_use, Status.IN_USE.value, Status.OK.value)),
        )
