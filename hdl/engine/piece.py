"""Some bytes of a row on their way between a bus and beats."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.utils import bits_for, exact_log2

from tilewright.hdl.engine.order import STREAM_BITS


def cut_layout(bus_bytes: int) -> data.StructLayout:
    """``count`` bytes, at least 1, of a word of the bus's width, from byte ``first``.

    ``opens``: they go to byte ``start`` of a new word; else they follow those before. ``close``: nothing follows in
    that word. ``last``: nor in the matrix.
    """
    return data.StructLayout(
        {
            "data": unsigned(8 * bus_bytes),
            "first": unsigned(exact_log2(bus_bytes)),
            "count": unsigned(bits_for(bus_bytes)),
            "opens": unsigned(1),
            "start": unsigned(exact_log2(bus_bytes)),
            "close": unsigned(1),
            "last": unsigned(1),
            "stream": unsigned(STREAM_BITS),
        }
    )


def piece_layout(bus_bytes: int, largest: int) -> data.StructLayout:
    """Bytes that go to bytes ``position``..``end - 1`` of a word of at most ``largest`` bytes and the one after it.

    The byte for byte ``i`` is byte ``i`` modulo the bus's width of ``data``. ``full``: they reach the end of the word;
    ``spills``: and go beyond.
    """
    return data.StructLayout(
        {
            "data": unsigned(8 * bus_bytes),
            "position": unsigned(bits_for(largest - 1)),
            "end": unsigned(bits_for(largest - 1 + min(largest, bus_bytes))),
            "full": unsigned(1),
            "spills": unsigned(1),
            "close": unsigned(1),
            "last": unsigned(1),
            "stream": unsigned(STREAM_BITS),
        }
    )
