"""The sums of the rows of A, which take the zero point of B out of results."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2

from tilewright.hdl.engine.records import SUM_ORDER
from tilewright.hdl.engine.row_walk import RowWalk
from tilewright.hdl.memory import Ram
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.stream import Buffer, beat_layout
from tilewright.hdl.structure import Block, Delay, data_register, named, pipeline, place

LEVELS_A_STAGE = 2


class RowSums(Block):
    """Adds up the values of each row of the matrices that pass from ``i`` to ``o`` unchanged, a beat a cycle.

    A packet waits for its order, one a packet. Its rows are the entries from ``order.base`` on; each starts on a new
    beat and has ``order.cols`` values. With ``order.add`` a sum is added to the entry (a matrix loaded in parts along
    K), else it replaces it. Sums are modulo ``2**width``. Entries beyond ``rows`` are not refused.

    Latency: 1 cycle from ``i`` to ``o``; a sum can be read ``settle`` cycles after the beat that ends its row was
    taken, ``read_latency`` = 1 cycle from ``read`` to ``read_data``, which holds otherwise. An entry may be read while
    others are written; it is undefined until written.

    In an engine it lies between the DMA and ``load_a_beats``, its order goes with the load's command, and its read is
    that of `Finish`. A load that the core refuses is summed all the same. A matrix under computation keeps its
    entries when the next one is loaded to another ``base``; the program sees to it, as it does for scratchpads.

    Parameters
    ----------
    values: int
        Values of a beat.
    fmt: IntFormat
        Their format, that of A.
    rows, width: int
        Entries and bits of them; ``fmt.width + ceil(log2(K))`` bits hold every sum of K values.

    Members
    -------
    order: SUM_ORDER; i, o: beats; read: In(1); read_address: In; read_data: Out(signed(width))
    """

    throughput = 1
    latency = 1
    read_latency = 1

    def __init__(self, values: int, fmt: IntFormat, rows: int, width: int) -> None:
        for field, value in (("values", values), ("rows", rows), ("width", width)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1, got {value}")
        self.values, self.format, self.rows, self.width = values, fmt, rows, width
        beats = stream.Signature(beat_layout(values, fmt.width))
        members = {
            "order": In(stream.Signature(SUM_ORDER)),
            "i": In(beats),
            "o": Out(beats),
            "read": In(1),
            "read_address": In(unsigned(max(1, ceil_log2(rows)))),
            "read_data": Out(signed(width)),
        }
        super().__init__(f"row_sums_{values}x{fmt}_{rows}x{width}", members)

    @property
    def settle(self) -> int:
        """Cycles from the beat that ends a row to the first in which ``read`` finds its sum."""
        return 1 + self._stages + 2

    @property
    def _stages(self) -> int:
        """Registers in the tree of adders."""
        return -(-ceil_log2(self.values) // LEVELS_A_STAGE)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        beat = self.i.payload
        m.submodules.orders = place(platform, orders := Buffer(SUM_ORDER))
        m.submodules.beats = place(platform, beats := Buffer(beat.shape()))
        connect(m, flipped(self.order), orders.i)
        connect(m, beats.o, flipped(self.o))
        taken = named(m, self.i.valid & self.i.ready, "taken")
        m.d.comb += [
            self.i.ready.eq(beats.i.ready & orders.o.valid),
            beats.i.valid.eq(taken),
            beats.i.payload.eq(beat),
            orders.o.ready.eq(taken & beat.last),
        ]
        walk = RowWalk(m, taken, beat.last, orders.o.payload.cols, self.values)
        row = walk.row(m, orders.o.payload.base[: len(self.read_address)])
        way = 1 + self._stages
        m.submodules.side = place(platform, side := Delay(2, way, reset=True))
        m.d.comb += side.d.eq(Cat(taken, taken & walk.ends))
        row, add = pipeline(m, row, way, "row"), pipeline(m, orders.o.payload.add, way, "adds")
        self._store(m, platform, side.q[0], side.q[1], row, add)
        return m

    def _total(self, m: Module) -> Value:
        """The sum of a beat's kept values, ``1 + stages`` cycles after the beat."""
        beat, w = self.i.payload, self.format.width
        level: list[Value] = []
        for index in range(self.values):
            value = beat.data[index * w : (index + 1) * w] & beat.keep[index].replicate(w)
            value = data_register(m, value, f"value_{index}")
            level.append(value.as_signed() if self.format.signed else value)
        step = 1 << LEVELS_A_STAGE
        while len(level) > 1:
            sums = [sum(level[start + 1 : start + step], level[start]) for start in range(0, len(level), step)]
            level = [data_register(m, total, f"sum_{len(sums)}_{index}") for index, total in enumerate(sums)]
        return level[0]

    def _store(self, m: Module, platform: Any, there: Value, ends: Value, row: Value, add: Value) -> None:
        """Puts the total of a row into its entry: a cycle after it is complete, while the entry is read."""
        total = self._total(m)
        partial = Signal(signed(self.width))
        complete = named(m, partial + total, "complete")
        with m.If(there):
            m.d.sync += partial.eq(Mux(ends, 0, complete))
        entries, copy = Ram(self.rows, self.width), Ram(self.rows, self.width)
        m.submodules.entries, m.submodules.copy = place(platform, entries), place(platform, copy)
        writes = Signal()
        m.d.sync += writes.eq(ends)
        write_row, adds = data_register(m, row, "write_row"), data_register(m, add, "adds")
        written = Signal(self.width)
        # The entry read may be the one written in that cycle.
        just_written = data_register(m, writes & (write_row == row), "just_written")
        held = Mux(just_written, data_register(m, written, "written_before"), entries.read_data)
        m.d.comb += [
            written.eq(data_register(m, complete, "row_total") + Mux(adds, held, 0)),
            entries.read_enable.eq(ends),
            entries.read_address.eq(row),
            copy.read_enable.eq(self.read),
            copy.read_address.eq(self.read_address),
            self.read_data.eq(copy.read_data),
        ]
        for ram in (entries, copy):
            m.d.comb += [ram.write_enable.eq(writes), ram.write_address.eq(write_row), ram.write_data.eq(written)]
