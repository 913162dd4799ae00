"""A function of results on their way to memory, looked up."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.flow import Flow
from tilewright.hdl.engine.records import FINISH_ORDER, Activation
from tilewright.hdl.engine.row_load import RowLoad
from tilewright.hdl.memory import Ram
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.stream import Buffer, Queue, beat_layout
from tilewright.hdl.structure import Block, Repeat, data_register, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER

LARGEST_BITS = 8
"""Of results that can be looked up."""

LOADED = 4
"""Entries that are loaded in a cycle, and of a word."""

WAY = 2
"""Cycles from a result to what it becomes."""


class TableLane(Block):
    """``result`` is entry ``code`` of the table where ``looks`` is high, else ``code``; one a cycle.

    A result is the address of its entry, as the bits that it is. Latency ``latency`` = 2 cycles; registers have no
    reset. An entry that is looked up while it is written is undefined.

    Members
    -------
    write, write_address, write_data: a word of `LOADED` entries
    reads: there is a code; code: In(fmt); looks: In(1), a cycle after ``code``; result: Out(fmt)
    """

    latency = WAY

    def __init__(self, fmt: IntFormat) -> None:
        self.format, self.words = fmt, (1 << fmt.width) // LOADED
        value = signed(fmt.width) if fmt.signed else unsigned(fmt.width)
        address = unsigned(max(1, (self.words - 1).bit_length()))
        members = {"write": In(1), "write_address": In(address), "write_data": In(unsigned(LOADED * fmt.width))}
        members |= {"reads": In(1), "code": In(value), "looks": In(1), "result": Out(value)}
        super().__init__(f"table_lane_{fmt}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        width, place_bits = self.format.width, LOADED.bit_length() - 1
        m.submodules.entries = place(platform, ram := Ram(self.words, LOADED * width))
        code = self.code.as_unsigned()
        m.d.comb += [
            ram.write_enable.eq(self.write),
            ram.write_address.eq(self.write_address),
            ram.write_data.eq(self.write_data),
            ram.read_enable.eq(self.reads),
            ram.read_address.eq(code[place_bits:]),
        ]
        plain = data_register(m, code, "plain")
        entries: list[Value] = [ram.read_data[at * width : (at + 1) * width] for at in range(LOADED)]
        for bit in plain[:place_bits]:
            entries = [Mux(bit, odd, even) for even, odd in zip(entries[::2], entries[1::2], strict=True)]
        entry = named(m, entries[0], "entry")
        m.d.comb += self.result.eq(data_register(m, Mux(self.looks, entry, plain), "result"))
        return m


class ResultTable(Block):
    """Looks results up in a table of all values of their format, a beat of ``i`` a cycle, so as any function of one.

    A packet of ``i`` waits for its order, one a packet. Where ``order.activation`` is TABLE each element becomes the
    entry that it is the code of, else it passes as it is. A load (`RowLoad`) is one of ``command.cols`` entries from
    entry ``4 * command.base`` on, 4 a beat. Nothing is known of who looks up: the order of loads and results is the
    program's. Each lane has a copy of the table.

    Latency: ``latency`` cycles from a beat of ``i`` to that of ``o``. ``i.ready`` depends on registers only.

    Parameters
    ----------
    lanes: int
        Elements of a beat.
    fmt: IntFormat
        Of results and entries, of at most `LARGEST_BITS` bits.

    Members
    -------
    command: TRANSFER; beats: beats of entries; answer: ANSWER
    order: FINISH_ORDER; i, o: beats of ``lanes`` elements
    """

    throughput = 1
    latency = WAY + Queue.latency

    def __init__(self, lanes: int, fmt: IntFormat) -> None:
        if fmt.width > LARGEST_BITS:
            nearest = IntFormat(LARGEST_BITS, fmt.signed)
            raise ValueError(
                f"a table must be of at most {LARGEST_BITS} bits, got {fmt}; nearest legal value is {nearest}"
            )
        self.lanes, self.format, self.lane = lanes, fmt, TableLane(fmt)
        beat = beat_layout(lanes, fmt.width)
        members: dict[str, Any] = {
            "command": In(stream.Signature(TRANSFER)),
            "beats": In(stream.Signature(beat_layout(LOADED, fmt.width))),
            "answer": Out(stream.Signature(ANSWER)),
            "order": In(stream.Signature(FINISH_ORDER)),
            "i": In(stream.Signature(beat)),
            "o": Out(stream.Signature(beat)),
        }
        super().__init__(f"result_table_{lanes}x{fmt}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.orders = place(platform, orders := Buffer(FINISH_ORDER))
        connect(m, flipped(self.order), orders.i)
        flow = Flow(m, platform, self.o, WAY)
        taken = named(m, self.i.valid & self.i.ready, "taken_result")
        m.d.comb += [
            self.i.ready.eq(orders.o.valid & flow.room),
            orders.o.ready.eq(taken & self.i.payload.last),
        ]
        activation = Value.cast(orders.o.payload.activation)
        looks = data_register(m, activation == Activation.TABLE.value, "looks")
        flow.begin(m, platform, taken, self.i.payload, self._lanes(m, platform, taken, looks))
        return m

    def _lanes(self, m: Module, platform: Any, reads: Value, looks: Value) -> Value:
        """What results become, and loads of the table."""
        shared = ("write", "write_address", "write_data", "reads", "looks")
        name = f"{self.lane.name}_lanes{self.lanes}"
        lanes: Any = Repeat(name, self.lane, self.lanes, label="lane", chain={}, shared=shared)
        m.submodules.lanes = place(platform, lanes)
        load = RowLoad(m, self, LOADED)
        load.connect(m)
        word = Signal(16, name="word", reset_less=True)
        inside = named(m, word < self.lane.words, "inside")
        m.d.comb += [
            lanes.write.eq(load.taken & inside),
            lanes.write_address.eq(word),
            lanes.write_data.eq(self.beats.payload.data),
            lanes.reads.eq(reads),
            lanes.looks.eq(looks),
            lanes.code.eq(self.i.payload.data),
        ]
        load.run(m, inside, [word.eq(self.command.payload.base)], [word.eq(word + 1)])
        result: Value = lanes.result
        return result
