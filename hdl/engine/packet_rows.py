"""Matrices of packets, row by row."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.engine.order import RUN_BYTES_BITS, STREAM_BITS, TAG_BITS, order_layout
from tilewright.hdl.structure import Block, named


def row_layout(bus_bytes: int) -> data.StructLayout:
    """A row of a matrix: ``bytes`` bytes of a packet, the first of them byte ``offset`` of its beat.

    ``last``: it ends its matrix, and with it the packet.
    """
    return data.StructLayout(
        {
            "offset": unsigned(exact_log2(bus_bytes)),
            "bytes": unsigned(RUN_BYTES_BITS),
            "last": unsigned(1),
            "stream": unsigned(STREAM_BITS),
            "element": unsigned(2),
            "tag": unsigned(TAG_BITS),
        }
    )


class PacketRows(Block):
    """Gives the rows (`row_layout`) of orders (`order_layout`), whose matrices lie in packets without a gap.

    Of an order only rows, columns, ``element``, ``stream`` and ``tag`` count: where its tensor lies in memory is the
    affair of who makes the packets. It has a row and a column at least. Latency ``latency`` = 1 cycle, ``throughput`` =
    1 row a cycle, without a gap between orders. ``o.valid`` and ``o.payload`` depend on registers only, ``i.ready`` on
    ``o.ready``.
    """

    latency = 1
    throughput = 1

    def __init__(self, address_bits: int, bus_bytes: int) -> None:
        self.bus_bytes = bus_bytes
        self.row = row_layout(bus_bytes)
        members = {"i": In(stream.Signature(order_layout(address_bits))), "o": Out(stream.Signature(self.row))}
        super().__init__(f"packet_rows_{address_bits}_{bus_bytes}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        order, row = self.i.payload, self.o.payload
        running = Signal()
        at = Signal(self.row, name="at", reset_less=True)
        left = Signal(order.box.rows.shape(), name="rows_left", reset_less=True)
        last = named(m, left == 1, "last_row")
        m.d.comb += [
            self.i.ready.eq(~running | (self.o.ready & last)),
            self.o.valid.eq(running),
            row.eq(at),
            row.last.eq(last),
        ]
        with m.If(self.i.ready):
            m.d.sync += [
                running.eq(self.i.valid),
                left.eq(order.box.rows),
                at.offset.eq(0),
                at.bytes.eq(order.box.cols << order.element),
                *(at[field].eq(order[field]) for field in ("stream", "element", "tag")),
            ]
        with m.Elif(self.o.ready):
            m.d.sync += [left.eq(Mux(last, left, left - 1)), at.offset.eq(at.offset + at.bytes)]
        return m
