"""Several buffers in one memory: a producer fills one while a consumer reads another."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for, ceil_log2

from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.structure import Block, place


class NBuffer(Block):
    """``buffers`` buffers of ``words`` words of ``width`` bits between a producer and a consumer; tokens keep order.

    The producer may write its buffer, in any order, while ``write_ready`` is high; ``write_done`` (alone, or with the
    last write) passes it on. The consumer may read the oldest buffer passed on, in any order and as often as it likes,
    while ``read_ready`` is high; ``read_done`` (alone, or with the last read) gives it back. 2 buffers let
    producer and consumer work at the same time; each more takes up one buffer of difference in pace.

    Latency: data ``read_latency`` = 1 cycle after ``read``; a token ``token_latency`` = 1 cycle from ``write_done``
    to ``read_ready`` and from ``read_done`` to ``write_ready``. One write and one read a cycle (``throughput``
    = 1). Contents are undefined until written. An access or token that is not allowed, or an address of ``words``
    or more, has no effect on buffers and tokens but sets ``error``, one cycle later, until reset.

    Members
    -------
    write, write_address, write_data, write_done, write_ready: the producer's side
    read, read_address, read_data, read_done, read_ready: the consumer's side
    filled: buffers passed on and not given back, 0..``buffers``
    error: sticky
    """

    read_latency = 1
    token_latency = 1
    throughput = 1

    def __init__(self, buffers: int, words: int, width: int) -> None:
        for field, value in (("buffers", buffers), ("words", words), ("width", width)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1, got {value}")
        self.buffers, self.words, self.width = buffers, words, width
        address = max(1, ceil_log2(words))
        members = {
            "write": In(1),
            "write_address": In(address),
            "write_data": In(unsigned(width)),
            "write_done": In(1),
            "write_ready": Out(1),
            "read": In(1),
            "read_address": In(address),
            "read_data": Out(unsigned(width)),
            "read_done": In(1),
            "read_ready": Out(1),
            "filled": Out(bits_for(buffers)),
            "error": Out(1),
        }
        super().__init__(f"nbuffer_{buffers}x{words}x{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.ram = place(platform, ram := Ram(self.buffers * self.words, self.width))
        filled, error = Signal(bits_for(self.buffers)), Signal()
        passed, returned = Signal(), Signal()
        m.d.comb += [
            self.filled.eq(filled),
            self.error.eq(error),
            self.write_ready.eq(filled != self.buffers),
            self.read_ready.eq(filled != 0),
            passed.eq(self.write_done & self.write_ready),
            returned.eq(self.read_done & self.read_ready),
            ram.write_data.eq(self.write_data),
            self.read_data.eq(ram.read_data),
        ]
        m.d.sync += filled.eq(filled + passed - returned)
        for side, moves in (("write", passed), ("read", returned)):
            wanted, done, ready = (getattr(self, f"{side}{part}") for part in ("", "_done", "_ready"))
            address = getattr(self, f"{side}_address")
            inside = address < self.words if self.words < 1 << len(address) else Const(1)
            m.d.comb += [
                getattr(ram, f"{side}_enable").eq(wanted & ready & inside),
                getattr(ram, f"{side}_address").eq(self._base(m, side, moves) + address),
            ]
            with m.If((wanted & ~inside) | ((wanted | done) & ~ready)):
                m.d.sync += error.eq(1)
        return m

    def _base(self, m: Module, side: str, moves: Signal) -> Signal:
        """First word of the buffer that ``side`` works on."""
        last = (self.buffers - 1) * self.words
        base = Signal(range(last + 1), name=f"{side}_base")
        if self.buffers > 1:
            with m.If(moves):
                m.d.sync += base.eq(Mux(base == last, 0, base + self.words))
        return base
